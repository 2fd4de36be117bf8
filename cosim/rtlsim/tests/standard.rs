//! Verilog that is legal and that nobody here would write, pinned against Icarus Verilog and
//! Verilator in every mode of this crate: asynchronous loads and sets by the standard's event
//! control, zero replications, functions, blocks with names around a reset. What a peer does not
//! know is not a difference; without peers the modes are compared with each other. Also the speed
//! of reads as far as it is a fact of structure: no output is computed when it is read.

use quadlock_rtlsim::parse::parse;
use quadlock_rtlsim::random::{compare, random_module, stimulus, Peer, RandomModule, Runner, Weight};
use quadlock_rtlsim::random::{DataInput, DATA};
use quadlock_rtlsim::{Design, Engine, Options, Source};

/// A module with a clock `clk` and, if it has one, a reset line `rst` or `rst_n`; its other inputs
/// are data.
fn module(number: u64, text: &str) -> RandomModule {
    let ast = parse(&[Source::new("t.v", text)]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let design = Design::parse(&[Source::new("t.v", text)], None).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let graph = design.graph();
    let named = |name: &str| graph.inputs.iter().any(|i| i.name == name);
    let reset = [("rst", false), ("rst_n", true)].into_iter().find(|r| named(r.0)).map(|(n, low)| (n.to_string(), low));
    let clocks = if named("clk") { vec![("clk".to_string(), 0)] } else { Vec::new() };
    let data = graph.inputs.iter().filter(|i| i.name != "clk" && reset.as_ref().is_none_or(|r| r.0 != i.name));
    let mut offset = (number as u32 * 37) % (DATA / 2);
    let inputs = data
        .map(|i| {
            offset += i.width;
            DataInput { name: i.name.clone(), width: i.width, offset: offset - i.width }
        })
        .collect();
    let outputs = graph.outputs.iter().map(|(name, node)| (name.clone(), graph.width(*node))).collect();
    RandomModule { seed: number, ast, inputs, clocks, reset, outputs }
}

const LEGAL: &[&str] = &[
    // Loads are taken at edges, not while the level lasts.
    "module load(input clk, rst, input [3:0] ad, d, output reg [3:0] q); initial q = 0;
       always @(posedge clk or posedge rst) if (rst) q <= ad; else q <= d; endmodule",
    "module load_low(input clk, rst_n, input [3:0] ad, d, output reg [3:0] q); initial q = 0;
       always @(negedge rst_n or posedge clk) if (!rst_n) q <= ad; else if (d[0]) q <= q + d; endmodule",
    // Set before reset: released first, it leaves the register set until the next edge.
    "module set_reset(input clk, rst, s, input [7:0] d, output reg [7:0] q); initial q = 0;
       always @(posedge clk or posedge s or posedge rst) if (s) q <= 8'hf0; else if (rst) q <= 8'h0f; else q <= d; endmodule",
    "module reset_set(input clk, rst, s, input [7:0] d, output reg [7:0] q); initial q = 0;
       always @(posedge clk or negedge s or posedge rst) if (rst) q <= 8'h0f; else if (!s) q <= 8'hf0; else q <= d; endmodule",
    // One register of the process is not reset, one has bits that are not.
    "module partly(input clk, rst, input [7:0] d, output reg [7:0] a, b, c); initial begin a = 0; b = 0; c = 0; end
       always @(posedge clk or posedge rst) if (rst) begin a <= 1; c[3:0] <= 5; end else begin a <= d; b <= a; c <= c + d; end endmodule",
    // A reset that ends itself, and one made of registers.
    "module self_ending(input clk, input [3:0] d, output reg [3:0] n, output [3:0] y); initial n = 0; wire full = n == 9;
       always @(posedge clk or posedge full) if (full) n <= 0; else n <= n + 1; assign y = n ^ d; endmodule",
    "module synchroniser(input clk, rst_n, input [7:0] d, output reg [7:0] q); reg [1:0] s; initial begin s = 3; q = 0; end
       always @(posedge clk or negedge rst_n) if (!rst_n) s <= 0; else s <= {s[0], 1'b1}; wire held = s[1];
       always @(posedge clk or negedge held) if (!held) q <= 8'h55; else q <= d; endmodule",
    // Blocks with names, locals and what has no effect around the reset.
    "module named(input clk, rst_n, input [7:0] d, output reg [7:0] q); initial q = 0;
       always @(posedge clk or negedge rst_n) begin : upd integer i; ; if (!rst_n) q <= 0; else begin
         for (i = 0; i < 8; i = i + 1) q[i] <= d[7 - i]; end end endmodule",
    "module nested_name(input clk, rst_n, input [7:0] d, output reg [7:0] q); initial q = 0;
       always @(posedge clk or negedge rst_n) begin begin : upd if (!rst_n) q <= 0; else q <= d; end end endmodule",
    "module memory(input clk, rst, we, input [1:0] a, input [7:0] d, output [7:0] q); reg [7:0] m [0:3]; integer i;
       initial for (i = 0; i < 4; i = i + 1) m[i] = i;
       always @(posedge clk or posedge rst) if (rst) for (i = 0; i < 4; i = i + 1) m[i] <= 0; else if (we) m[a] <= d;
       assign q = m[a]; endmodule",
    // A loop's variable is a register like any other: read outside, kept between edges, assigned
    // in another branch, as an output, nested.
    "module loop_variable(input clk, input en, output [3:0] seen, output reg [3:0] sum); reg [3:0] k;
       initial begin k = 9; sum = 0; end
       always @(posedge clk) if (en) for (k = 0; k < 3; k = k + 1) sum <= sum + k; assign seen = k; endmodule",
    "module loop_state(input clk, input en, input [3:0] d, output [3:0] seen, output reg [3:0] sum); integer k;
       initial begin sum = 0; k = 0; end
       always @(posedge clk) begin if (en) begin k = 2; sum <= sum + d; end
         else for (k = 1; k < 3; k = k + 1) sum[k] <= d[k]; end assign seen = k; endmodule",
    "module loop_before(input clk, input en, input [3:0] d, output reg [7:0] sum); integer k; initial begin sum = 0; k = 5; end
       always @(posedge clk) begin sum <= sum + k; if (en) for (k = 1; k < 4; k = k + 1) sum[k] <= d[k]; end endmodule",
    "module loop_output(input clk, input en, input [3:0] d, output reg [3:0] i, output reg [3:0] sum); reg [3:0] j;
       initial begin i = 7; j = 3; sum = 0; end
       always @(posedge clk) if (en) for (i = 0; i < 3; i = i + 1) for (j = i; j < 3; j = j + 1) sum[j] <= d[i] ^ sum[j]; endmodule",
    "module loop_shared(input clk, input en, input [3:0] d, output reg [3:0] a, b, c); integer k; initial begin a = 0; b = 0; end
       always @(posedge clk) if (en) for (k = 0; k < 4; k = k + 1) a[k] <= d[3 - k];
       always @(posedge clk) for (k = 0; k < 4; k = k + 1) b[k] <= a[k] ^ d[k];
       always @* begin c = 0; if (en) for (k = 0; k < 4; k = k + 1) c = c + d[k]; end endmodule",
    "module loop_value(input en, input [3:0] d, output reg [3:0] c, output [3:0] seen); integer k;
       always @* begin k = 9; c = 0; if (en) for (k = 0; k < 4; k = k + 1) c = c + d[k]; end assign seen = k; endmodule",
    // Blanks, a comment and macros between base and digits.
    "`define VALUE 7\n`define AGAIN `VALUE\n`define SUM 5 + a\n
       module digits(input [7:0] a, output [7:0] y, z, u, v); assign y = a + 8'd 12; assign z = a ^ 8'd`VALUE;
       assign u = 8 'h /* hex */ `AGAIN - a; assign v = 8'sd`SUM; endmodule",
    // Arrays of wires: words driven one by one, by an instance, read by a moving index and in
    // parts.
    "module wires(input [7:0] a, input [2:0] i, output [7:0] y, z, output [3:0] u); wire [7:0] t [0:3]; wire [1:8] s [5:2];
       assign t[0] = a; assign t[1] = t[0] + 1; assign t[2] = t[1] ^ t[0]; sub w(t[2], t[3]);
       assign s[2] = a; assign s[3] = ~a; assign s[4] = t[1]; assign {s[5][1:4], s[5][5:8]} = t[3];
       assign y = t[i[1:0]]; assign z = s[2 + i[1:0]]; assign u = t[3][5:2]; endmodule
     module sub(input [7:0] x, output [7:0] y); assign y = x * 3; endmodule",
    // The promise of a full case where it is kept.
    "module full(input [1:0] s, input [7:0] a, output reg [7:0] y, z);
       always @* begin (* full_case *) case (s) 2'd0: y = a; 2'd1: y = a << 1; 2'd2: y = ~a; 2'd3: y = 0; endcase end
       always @* (* parallel_case, full_case = 1 *) casez (s) 2'b1?: z = a; 2'b0?: z = ~a; endcase endmodule",
    // A promise changes nothing where a value was given before.
    "module promised(input [1:0] s, input [2:0] t, input [7:0] a, output reg [7:0] y, z);
       always @* begin y = 0; (* full_case *) case (s) 2'd0: y = a; 2'd1: y = ~a; endcase end
       always @* begin z = 8'hff; (* full_case *) case (t) 0: z = 1; 1: z = 2; 2: z = 3; 3: z = 4; endcase end endmodule",
    "module promised_function(input clk, input [1:0] s, input [7:0] a, output [7:0] y, output reg [7:0] q);
       function [7:0] f(input [1:0] s, input [7:0] a); begin f = 9; (* full_case *) case (s) 0: f = a; 1: f = ~a; endcase end endfunction
       assign y = f(s, a); initial q = 0; always @(posedge clk) q <= f(s, a); endmodule",
    // A counter that is reset, that another process uses, and that asynchronous edges count.
    "module loop_reset(input clk, rst, input [3:0] d, output reg [3:0] q); integer i; initial q = 0;
       always @(posedge clk) if (rst) begin i <= 0; q <= 0; end else for (i = 0; i < 4; i = i + 1) q[i] <= d[3 - i]; endmodule",
    "module loop_other(input clk, input [3:0] d, output reg [3:0] q, r); integer k; initial begin q = 0; r = 0; end
       always @(posedge clk) begin k = d + 1; q <= k; end
       always @(posedge clk) for (k = 0; k < 4; k = k + 1) r[k] <= d[k]; endmodule",
    "module loop_edges(input clk, rst, input [3:0] d, output reg [3:0] q, output [31:0] seen); integer i; initial begin q = 0; i = 9; end
       always @(posedge clk or posedge rst) if (rst) for (i = 0; i < 2; i = i + 1) q[i] <= 0;
         else for (i = 0; i < 4; i = i + 1) q[i] <= d[i]; assign seen = i; endmodule",
    // Arrays of wires with signs and indices below zero, as targets and at ports.
    "module signed_wires(input [7:0] a, input signed [1:0] i, output [7:0] y, output signed [15:0] s);
       wire signed [7:0] t [-2:1];
       assign t[-2] = a; assign t[-1] = a + 1; assign {t[0], t[1]} = {a ^ 8'h0f, ~a}; assign y = t[i]; assign s = t[1]; endmodule",
    "module wires_at_ports(input [7:0] a, output [7:0] y); wire [3:0] t [1:0]; sum u(a, {t[1], t[0]}); assign y = {t[0], t[1]}; endmodule
     module sum(input [7:0] x, output [7:0] o); assign o = x + 1; endmodule",
    // Replications of zero times.
    "module zero_replication #(parameter W = 8)(input [W-1:0] a, output [7:0] y, output [15:0] z);
       assign y = {{(8-W){1'b0}}, a}; assign z = {a, {(W-8){a, 1'b1}}, {2{{(8-W){1'b1}}, a[3:0]}}}; endmodule",
    // Functions: yosys's form of a wide multiplexer, loops, signs, module signals, calls in calls,
    // in processes and in constants.
    "module pmux(input [1:0] s, input [7:0] a, b, c, d, output [7:0] y); wire _0_, _1_, _2_;
       function [7:0] _3_; input [7:0] a; input [23:0] b; input [2:0] s;
         (* parallel_case *) casez (s) 3'b??1: _3_ = b[7:0]; 3'b?1?: _3_ = b[15:8]; 3'b1??: _3_ = b[23:16]; default: _3_ = a; endcase
       endfunction
       assign y = _3_(d, { a, b, c }, { _2_, _1_, _0_ }); assign _0_ = s == 2'h2; assign _1_ = s == 2'h1; assign _2_ = ! s; endmodule",
    "module functions(input clk, input [7:0] a, b, input signed [3:0] n, output [7:0] y, z, output reg [15:0] q, output [3:0] w);
       function automatic [7:0] reverse(input [7:0] x); integer i; for (i = 0; i < 8; i = i + 1) reverse[i] = x[7 - i]; endfunction
       function signed [7:0] grow; input signed [3:0] x; reg signed [3:0] t; begin t = x; grow = t >>> 1; end endfunction
       function integer log2; input integer value; begin log2 = 0; for (value = value - 1; value > 0; value = value >> 1) log2 = log2 + 1; end endfunction
       function [7:0] mixed(input [7:0] x, y); if (x > y) mixed = reverse(x) + b; else mixed = x ^ {y}; endfunction
       localparam W = log2(13); reg [W-1:0] c; initial begin q = log2(100); c = 0; end
       assign y = reverse(a) + mixed(b, a); assign z = grow(n); assign w = c;
       always @(posedge clk) begin : p reg [7:0] t; t = reverse(b); c <= c + 1; q <= {mixed(t, a), reverse(t ^ q[7:0])}; end endmodule",
    // Variables of blocks in a function, one inside another, called twice in one expression.
    "module function_blocks(input clk, input [7:0] a, b, output [7:0] y, output reg [7:0] q); initial q = 0;
       function [7:0] f(input [7:0] x); begin : outer reg [7:0] t; integer i; t = x ^ 8'h5a; f = 0;
         for (i = 0; i < 8; i = i + 1) begin : inner reg c; c = t[i]; if (c) begin : deep reg [7:0] i; i = t; f = f + i; end end end endfunction
       assign y = f(a) - f(b); always @(posedge clk) begin : p reg [7:0] t; t = f(q); q <= t + a; end endmodule",
    // Arguments left out.
    "module display(input clk, a, output reg q); initial q = 0;
       always @(posedge clk) begin q <= a; if (a && !a) $display(\"x\",,a,); end endmodule",
    // Macros and lists that name what is there.
    "`define INV 1'b1\nmodule lists(input a, b, output y, output reg z); assign y = a ^ `INV; always @(a or b) z = a & b; endmodule",
];

#[test]
fn legal_verilog_means_what_the_peers_say() {
    let mut runners = Runner::all();
    if !runners.iter().any(|r| matches!(r, Runner::Peer(_))) {
        quadlock_testkit::peers::missing("every peer");
    }
    runners.sort_by_key(|r| !matches!(r, Runner::Peer(Peer::Icarus)));
    let modules: Vec<RandomModule> = (0..).zip(LEGAL).map(|(k, text)| module(k, text)).collect();
    let dir = tempfile::tempdir().unwrap();
    let differences = compare(&modules, &stimulus(7, 120), &runners, dir.path());
    let mut text = String::new();
    for (module, list) in modules.iter().zip(differences) {
        let refused = list.iter().filter(|d| d.weight == Weight::Refused).count();
        assert!(refused < 2, "{}: no peer accepts it: {list:?}", module.ast.modules[0].name);
        let counted = list.iter().filter(|d| d.weight != Weight::Refused);
        counted.for_each(|d| text += &format!("{}: {d:?}\n", module.ast.modules[0].name));
    }
    assert!(text.is_empty(), "{text}");
}

/// An edge of the clock and one of an asynchronous signal in one moment: both see the values of
/// before.
#[test]
fn edges_of_one_moment_act_together() {
    let text = "module m(input clk, rst, input [3:0] d, output reg [3:0] a, b); initial begin a = 1; b = 2; end
        always @(posedge clk or posedge rst) if (rst) a <= 15; else a <= d; always @(posedge clk) b <= a; wire c = clk; endmodule";
    let text = text.replace("wire c = clk;", "reg n; initial n = 0; always @(negedge clk) n <= ~n;");
    let design = Design::parse(&[Source::new("t.v", text)], None).unwrap();
    for options in [Options::default().verify(true), Options::default().engine(Engine::Interpreted)] {
        let mut sim = design.compile(&options).unwrap();
        sim.set("clk", 1).unwrap();
        sim.set("rst", 1).unwrap();
        sim.eval().unwrap();
        assert_eq!((sim.get("a").unwrap(), sim.get("b").unwrap()), (15, 1), "{options:?}");
    }
}

/// A state that is taken over knows which edges it has seen: the load does not happen again.
#[test]
fn a_snapshot_remembers_asynchronous_levels() {
    let text = "module m(input clk, load, input [3:0] ad, d, output reg [3:0] q);
        always @(posedge clk or posedge load) if (load) q <= ad; else q <= d; endmodule";
    let design = Design::parse(&[Source::new("t.v", text)], None).unwrap();
    for options in [Options::default().verify(true), Options::default().engine(Engine::Interpreted)] {
        let mut sim = design.compile(&options).unwrap();
        sim.set("ad", 5).unwrap();
        sim.set("load", 1).unwrap();
        assert_eq!(sim.get("q").unwrap(), 5);
        let saved = sim.snapshot();
        let mut traced = design.compile(&options.clone().trace_all()).unwrap();
        traced.take_state(&mut sim).unwrap();
        for (name, value) in [("ad", 6), ("load", 1)] {
            sim.set(name, value).unwrap();
            traced.set(name, value).unwrap();
        }
        assert_eq!((sim.get("q").unwrap(), traced.get("q").unwrap()), (5, 5), "{options:?}: no edge");
        sim.set("load", 0).unwrap();
        sim.settle();
        sim.restore(&saved).unwrap();
        sim.set("ad", 7).unwrap();
        assert_eq!(sim.get("q").unwrap(), 5, "{options:?}: load was high already");
    }
}

fn walked(sim: &quadlock_rtlsim::Simulation) -> u64 {
    sim.statistics().iter().find(|s| s.0 == "walked_reads").map_or(0, |s| s.1 as u64)
}

/// Outputs that passes have narrowed, folded or merged are kept like any other: none is computed at
/// the read.
#[test]
fn every_output_is_a_load() {
    let fixed = [
        "module constant(input clk, d, output reg q, output zero); assign zero = 1'b0; always @(posedge clk) q <= d; endmodule",
        "module narrowed(input clk, input [23:0] a, b, output [31:0] addr, output [23:0] n);
           reg [23:0] x; initial x = 0; always @(posedge clk) x <= x + a;
           wire [31:0] s = {8'b0, x} + {8'b0, b}; assign addr = {8'b0, s[23:0]}; assign n = x; endmodule",
    ];
    let random = (0..60).map(|seed| quadlock_rtlsim::parse::print(&random_module(seed).ast));
    for text in fixed.iter().map(|t| (*t).to_string()).chain(random) {
        let ast = parse(&[Source::new("t.v", text.as_str())]).unwrap();
        let design = Design::parse(&[Source::new("t.v", text.as_str())], Some(&ast.modules[0].name)).unwrap();
        for options in [Options::default().verify(true), Options::default().verify(true).profile(2)] {
            let mut sim = design.compile(&options).unwrap();
            for _ in 0..3 {
                sim.eval().unwrap();
                for (name, _) in &design.graph().outputs {
                    sim.get_bits(name).unwrap();
                }
                let clocks: Vec<String> = design.graph().inputs.iter().map(|i| i.name.clone()).collect();
                clocks.iter().for_each(|name| sim.set(name, 1).unwrap());
            }
            assert_eq!(walked(&sim), 0, "{options:?}\n{text}");
        }
    }
}
