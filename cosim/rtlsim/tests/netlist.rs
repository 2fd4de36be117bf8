//! Post-synthesis netlists as yosys itself writes them. Each of our cells against yosys's own
//! definition of it, for every name that yosys knows; and designs before and after `synth`, with
//! and without `-noexpr`. A polarity that is wrong in a cell shows in the first test; a form of
//! `write_verilog` that is misread, in the second. Both could be blind only to what makes RTL and
//! netlist wrong alike. Without yosys they say so and pass, unless QUADLOCK_REQUIRE_PEERS=1.

use std::path::{Path, PathBuf};
use std::process::Command;

use quadlock_rtlsim::graph::SignalKind;
use quadlock_rtlsim::{Bits, Design, Engine, Options, Simulation, Source};
use quadlock_testkit::peers::installed;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn design(text: &str, top: &str) -> Result<Design, quadlock_rtlsim::Error> {
    Design::parse(&[Source::new(format!("{top}.v"), text)], Some(top))
}

fn outputs(sim: &mut Simulation, top: &str) -> Vec<(String, Bits)> {
    let of_top =
        |s: &quadlock_rtlsim::design::SignalView<'_>| s.kind() == SignalKind::Output && s.scope().name() == top;
    let mut names: Vec<String> = sim.design().signals().filter(of_top).map(|s| s.path()).collect();
    // A netlist declares them in an order of its own.
    names.sort();
    names.into_iter().map(|n| (n.clone(), sim.get_bits(&n).expect("a signal"))).collect()
}

/// The first difference of two designs of equal ports; every input is random in every step, clocks
/// and resets too, one at a time. Steps in `settle_in` are not compared: registers without a start
/// value have taken one from an input by then.
fn difference(a: &Design, b: &Design, top: &str, engine: Engine, steps: u32, settle_in: u32) -> Option<String> {
    let options = Options::default().verify(true).engine(engine).profile(64);
    let (mut a, mut b) = (a.compile(&options).expect("compiles"), b.compile(&options).expect("compiles"));
    let inputs: Vec<(String, u32)> = a.graph().inputs.iter().map(|i| (i.name.clone(), i.width)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for step in 0..steps {
        let (name, width) = &inputs[rng.random_range(0..inputs.len())];
        let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.random()).collect();
        for sim in [&mut a, &mut b] {
            sim.set_bits(name, &Bits::from_limbs(*width, &limbs)).expect("an input");
            sim.eval().expect("settles");
        }
        let (x, y) = (outputs(&mut a, top), outputs(&mut b, top));
        assert!(!x.is_empty());
        if step >= settle_in && x != y {
            let at = x.iter().zip(&y).find(|(x, y)| x != y);
            return Some(format!("step {step}: {at:?}"));
        }
    }
    None
}

/// yosys's definitions of its simple cells: name, `module` to `endmodule`.
fn definitions() -> Vec<(String, String)> {
    let share = ["/usr/share/yosys", "/usr/local/share/yosys"].map(PathBuf::from);
    let asked = Command::new("yosys-config").arg("--datdir").output().ok();
    let asked = asked.map(|o| PathBuf::from(String::from_utf8_lossy(&o.stdout).trim()));
    let text = asked.into_iter().chain(share).find_map(|d| std::fs::read_to_string(d.join("simcells.v")).ok());
    let text = text.expect("simcells.v is beside yosys");
    let modules = text.split("\nmodule \\").skip(1).map(|m| {
        let body = m.split("endmodule").next().unwrap_or_default();
        let name = body.split([' ', '(']).next().unwrap_or_default();
        (name.to_owned(), format!("module \\{body}endmodule\n"))
    });
    modules.collect()
}

/// A module `top` that is one cell.
fn instance(name: &str, definition: &str) -> String {
    let ports: Vec<&str> =
        definition.split('(').nth(1).unwrap().split(')').next().unwrap().split(',').map(str::trim).collect();
    let (out, inputs) = ports.split_last().expect("a cell has ports");
    let connections: Vec<String> = ports.iter().map(|p| format!(".{p}({p})")).collect();
    format!(
        "module top(input {}, output {out}); \\{name} u({}); endmodule\n",
        inputs.join(", input "),
        connections.join(", ")
    )
}

/// What is not provided: latches, set and reset at once, three states, wide multiplexers.
fn not_provided(name: &str) -> bool {
    let kinds = ["$_DFFSR", "$_DLATCH", "$_SR_", "$_TBUF_", "$_MUX8_", "$_MUX16_", "$_FF_"];
    kinds.iter().any(|k| name.starts_with(k))
}

#[test]
fn every_cell_is_what_yosys_says() {
    if !installed("yosys") {
        return;
    }
    let mut compared = 0;
    for (name, definition) in definitions() {
        let top = instance(&name, &definition);
        let ours = match design(&top, "top") {
            Ok(ours) => ours,
            Err(e) => {
                assert!(not_provided(&name), "{name}: {e}");
                continue;
            }
        };
        assert!(!not_provided(&name), "{name} is provided: take it off the list");
        let theirs = design(&format!("{definition}{top}"), "top").unwrap_or_else(|e| panic!("{name}: {e}"));
        for engine in [Engine::Interpreted, Engine::Compiled] {
            // 100 steps of at most six inputs: an edge with everything enabled has long been among
            // them
            let found = difference(&ours, &theirs, "top", engine, 500, 100);
            assert_eq!(found, None, "{name}, {engine:?}");
        }
        compared += 1;
    }
    assert!(compared >= 90, "only {compared} cells");
}

/// The comparison can fail: a cell against the definition of another polarity.
#[test]
fn a_wrong_polarity_is_found() {
    let cell = |name: &str| {
        format!("module top(input C, R, E, D, output Q); \\{name} u(.C(C), .R(R), .E(E), .D(D), .Q(Q)); endmodule")
    };
    let right = design(&cell("$_SDFFE_PN0P_"), "top").unwrap();
    for wrong in ["$_SDFFE_NN0P_", "$_SDFFE_PP0P_", "$_SDFFE_PN1P_", "$_SDFFE_PN0N_", "$_SDFFCE_PN0P_", "$_DFFE_PN0P_"]
    {
        let other = design(&cell(wrong), "top").unwrap();
        assert!(difference(&right, &other, "top", Engine::Compiled, 500, 100).is_some(), "{wrong}");
    }
}

const DESIGNS: [(&str, &str); 3] = [
    (
        "resets",
        "module resets(input ck, cn, r, s, e, input [3:0] d, output reg [3:0] a, b, c, f, g);
           initial begin c = 0; f = 3; g = 0; end
           initial begin a = 4'h5; b = 4'ha; end
           always @(posedge ck) if (r) a <= 4'h9; else if (e) a <= d;
           always @(posedge ck or negedge s) if (!s) b <= 4'h6; else if (!e) b <= d + a;
           always @(negedge ck or posedge r) if (r) c <= 4'hc; else c <= c ^ d;
           always @(posedge cn) if (e) begin if (!s) f <= 4'h3; else f <= f + d; end
           always @(negedge cn) if (!e) g <= d - 1;
         endmodule",
    ),
    (
        "arithmetic",
        "module arithmetic(input [11:0] x, y, input signed [7:0] p, q, input [3:0] n, output [23:0] m, output [11:0] s, t, u, output signed [15:0] w,
             output [5:0] k, output z);
           assign m = x * y; assign s = x << n; assign t = x >> n; assign u = x - y; assign w = p * q + (p >>> n[1:0]);
           assign k = {x < y, p < q, x == y, ^x, &y[3:0], |x[7:4]}; assign z = x[n] ? y[n] : p[n[2:0]];
         endmodule",
    ),
    (
        "memory",
        "module memory(input ck, we, input [2:0] wa, ra, input [6:0] d, output [6:0] q, output reg [6:0] last, output reg [1:0] st);
           initial begin last = 0; st = 0; end
           reg [6:0] m [0:7]; integer i; initial for (i = 0; i < 8; i = i + 1) m[i] = i * 5;
           assign q = m[ra];
           always @(posedge ck) begin if (we) m[wa] <= d; last <= m[ra];
             if (d[6:5] == 2) st <= 0; else case (st) 0: if (we) st <= 1; 1: st <= d[0] ? 2 : 3; 2: st <= 3; 3: st <= d[1:0]; default: st <= 0; endcase end
         endmodule",
    ),
];

/// What `synth` makes of a design, as `write_verilog` prints it with these options.
fn synthesised(folder: &Path, name: &str, text: &str, options: &str) -> String {
    std::fs::write(folder.join("in.v"), text).expect("a file");
    let script = format!("read_verilog in.v; synth -flatten -top {name}; clean; write_verilog {options} out.v");
    let run = Command::new("yosys").args(["-q", "-p", &script]).current_dir(folder).output().expect("yosys runs");
    assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
    std::fs::read_to_string(folder.join("out.v")).expect("a netlist")
}

#[test]
fn netlists_are_what_they_were_made_of() {
    if !installed("yosys") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in DESIGNS {
        let before = design(text, name).unwrap();
        for options in ["", "-noattr -noexpr"] {
            let netlist = synthesised(folder.path(), name, text, options);
            assert!(options.is_empty() || netlist.contains("\\$_"), "{name}: no cells in\n{netlist}");
            let after = design(&netlist, name).unwrap_or_else(|e| panic!("{name} {options}: {e}\n{netlist}"));
            // With -noexpr, start values are in `init` attributes, which vanish: compared when
            // reset or load has reached everything.
            let from = if options.is_empty() { 0 } else { 1_000 };
            let found = difference(&before, &after, name, Engine::Compiled, 4_000, from);
            assert_eq!(found, None, "{name} {options}");
        }
    }
}
