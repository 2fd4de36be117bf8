//! Meaning of elaborated Verilog: widths and signs, processes, memories, hierarchy; each small
//! module against Icarus on random inputs (against nothing where Icarus is missing, except for the
//! tests that state values). What Verilog leaves x is avoided here and stated in
//! `elaborate_two_state`.

use crate::elaborate_common::{agree, graph, interpret, outputs_at_zero};
use quadlock_rtlsim::Bits;

/// A module with mixed inputs and one output for each expression, as wide as given.
fn expressions(list: &[(&str, &str)]) -> String {
    let mut ports = String::from("input [7:0] a, input [3:0] b, input signed [7:0] s, input signed [3:0] t, input c, input [99:0] w, input [11:4] h, input [0:7] r");
    let mut body = String::new();
    for (i, (range, e)) in list.iter().enumerate() {
        ports += &format!(", output {range} y{i}");
        body += &format!("  assign y{i} = {e};\n");
    }
    format!("module m({ports});\n  localparam [7:0] P = 8'hc5; localparam signed [5:0] N = -3;\n{body}endmodule")
}

#[test]
fn arithmetic_takes_the_width_of_its_context() {
    agree(
        &expressions(&[
            ("[7:0]", "a + b"),
            ("[8:0]", "a + a"),
            ("[3:0]", "a * b"),
            ("[15:0]", "a * b"),
            ("[7:0]", "(a + a) >> 1"),
            ("[8:0]", "(a + a) >> 1"),
            ("[7:0]", "{a + a} >> 1"),
            ("[15:0]", "a - b"),
            ("[15:0]", "-b"),
            ("[15:0]", "~b"),
            ("[15:0]", "{~b}"),
            ("[31:0]", "a + 1"),
            ("[63:0]", "a - 1"),
            ("[99:0]", "w * w + a"),
            ("[99:0]", "w - {w[49:0], w[99:50]}"),
            ("[7:0]", "c ? a : b"),
            ("[15:0]", "c ? a + a : b"),
            ("[7:0]", "a / (b | 1)"),
            ("[7:0]", "a % (b | 1)"),
        ]),
        60,
    );
}

#[test]
fn signs_follow_the_operands() {
    agree(
        &expressions(&[
            ("signed [15:0]", "s"),
            ("[15:0]", "s"),
            ("[15:0]", "s + t"),
            ("[15:0]", "s + b"),
            ("[15:0]", "s * t"),
            ("[15:0]", "s * a"),
            ("[15:0]", "c ? s : t"),
            ("[15:0]", "c ? s : b"),
            ("[15:0]", "-t"),
            ("[15:0]", "$signed(b)"),
            ("[15:0]", "$signed(b) + s"),
            ("[15:0]", "$unsigned(t) + s"),
            ("[15:0]", "{t}"),
            ("[15:0]", "t[3:0]"),
            ("[15:0]", "s + 1"),
            ("[15:0]", "s + 4'd1"),
            ("[15:0]", "s + 4'sd9"),
            ("[15:0]", "s / $signed({t[3:1], 1'b1})"),
            ("[15:0]", "s % $signed({t[3:1], 1'b1})"),
            ("[15:0]", "N + s"),
            ("[15:0]", "P + s"),
            ("[15:0]", "-8'sd3 * t"),
            ("[99:0]", "s"),
            ("[99:0]", "s - t"),
        ]),
        60,
    );
}

#[test]
fn shift_amounts_stand_alone() {
    agree(
        &expressions(&[
            ("[7:0]", "a << b"),
            ("[15:0]", "a << b"),
            ("[15:0]", "a >> b"),
            ("[15:0]", "s >> b"),
            ("[15:0]", "s >>> b"),
            ("[15:0]", "a >>> b"),
            ("[15:0]", "(s >>> b) + a"),
            ("[15:0]", "(s >>> 2) + t"),
            ("[15:0]", "s <<< 3"),
            ("[15:0]", "a << (b + b)"),
            ("[15:0]", "a >> t"),
            ("[7:0]", "s >>> 200"),
            ("[7:0]", "a >> 8"),
            ("[99:0]", "w >> a"),
            ("[99:0]", "w << a"),
            ("[99:0]", "$signed(w) >>> a"),
            ("[31:0]", "1 << b"),
            ("[15:0]", "a << 16'h1_0000"),
        ]),
        60,
    );
}

#[test]
fn comparisons_size_their_sides_to_each_other() {
    agree(
        &expressions(&[
            ("", "a < b"),
            ("", "s < t"),
            ("", "s < b"),
            ("", "s <= t"),
            ("", "s >= -1"),
            ("", "s > 4'd3"),
            ("", "a + a > 255"),
            ("", "(a + a) == {1'b0, a}"),
            ("", "s == t"),
            ("", "s != b"),
            ("", "s === t"),
            ("", "a !== b"),
            ("[3:0]", "(a < b) + (s < t)"),
            ("", "w > a"),
            ("", "$signed(w) < s"),
            ("", "a - b < 0"),
            ("", "t - 1 < 0"),
        ]),
        60,
    );
}

#[test]
fn logic_and_reductions() {
    agree(
        &expressions(&[
            ("", "a && b"),
            ("", "a || b"),
            ("", "!a"),
            ("", "!w"),
            ("", "&a"),
            ("", "|a"),
            ("", "^a"),
            ("", "~&b"),
            ("", "~|b"),
            ("", "~^b"),
            ("[7:0]", "a ^~ b"),
            ("[7:0]", "a ~^ s"),
            ("[7:0]", "(a & b) | ~s"),
            ("[3:0]", "!a + !b"),
            ("", "a && b || c && s"),
            ("", "&w | ^w"),
            ("[7:0]", "~(a == b)"),
            ("", "c ? a : b"),
        ]),
        60,
    );
}

#[test]
fn selects_concatenations_and_replications() {
    agree(
        &expressions(
            &[
                ("", "a[3]"),
                ("", "a[b[2:0]]"),
                ("[3:0]", "a[6:3]"),
                ("[3:0]", "a[b[1:0] +: 4]"),
                ("[3:0]", "a[b[1:0] + 3 -: 4]"),
                ("[3:0]", "h[8:5]"),
                ("", "h[4 + b[2:0]]"),
                ("[2:0]", "h[4 + b[1:0] +: 3]"),
                ("[3:0]", "r[2:5]"),
                ("", "r[b[2:0]]"),
                ("[2:0]", "r[b[1:0] +: 3]"),
                ("[2:0]", "r[b[1:0] + 2 -: 3]"),
                ("[99:0]", "{a, b, s, t}"),
                ("[99:0]", "{3{a, b}}"),
                ("[99:0]", "{4{s[7]}}"),
                ("[15:0]", "{2{t}} + s"),
                ("[7:0]", "w[a[5:0] +: 8]"),
                ("", "w[a[5:0]]"),
                ("[2:0]", "P[6:4]"),
                ("", "P[b[2:0]]"),
                ("[7:0]", "{a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]}"),
                ("[15:0]", "\"Hi\" + b"),
                ("[15:0]", "{b, 4'b1x0z & 4'b1010}[3:0] + 0"),
            ][..22],
        ),
        60,
    );
}

#[test]
fn constants_and_system_functions() {
    agree(
        &expressions(&[
            ("[15:0]", "2 ** 3"),
            ("[15:0]", "b ** 3"),
            ("[15:0]", "t ** 2"),
            ("[31:0]", "2 ** b"),
            ("[31:0]", "(-2) ** 3"),
            ("[31:0]", "$clog2(1)"),
            ("[31:0]", "$clog2(9)"),
            ("[31:0]", "$clog2(P)"),
            ("[31:0]", "$bits(w)"),
            ("[7:0]", "8'shff >>> 1"),
            ("[15:0]", "8'shff"),
            ("[15:0]", "'hff + 'sh1"),
            ("[39:0]", "32'hffff_ffff + 1"),
            ("[39:0]", "4'd15 + 4'd1"),
            ("[15:0]", "-1"),
            ("[39:0]", "-1"),
            ("[7:0]", "7 / 2 * 2"),
            ("[7:0]", "-7 / 2"),
            ("[7:0]", "-7 % 4"),
            ("[7:0]", "'d5 - 'd7"),
            ("[7:0]", "1 ? a : b"),
        ]),
        20,
    );
}

#[test]
fn combinational_processes() {
    agree(
        "module m(input [3:0] a, b, input [1:0] k, input c, d, output reg [3:0] x, y, z, output reg [7:0] v, output reg p);
           reg [3:0] t; integer i;
           always @(*) begin
             x = a; t = x + 1;
             if (c) begin x = t; t = b; end else if (d) x[1:0] = b[3:2];
             y = t ^ x;
             case (k)
               0: z = a; 2'd1, 2'd2: z = b;
               default: begin z = 0; z[k] = 1'b1; end
             endcase
             v = 0;
             for (i = 0; i < 4; i = i + 1) begin v[2 * i +: 2] = {a[i], b[3 - i]}; end
             p = 0;
             for (i = 0; i < 4; i = i + 1) if (a[i]) p = p ^ b[i];
           end
         endmodule",
        100,
    );
}

#[test]
fn every_kind_of_case() {
    agree(
        "module m(input [3:0] a, input [2:0] b, input signed [2:0] s, input [7:0] d, output reg [7:0] x, y, z, u, v, o);
           localparam [3:0] ONE = 4'b1zz0;
           always @* begin
             casez (a) 4'b1???: x = 1; 4'b01?1: x = 2; 4'b0?00: x = d; default: x = 3; endcase
             casex (a) 4'b1xx0: y = d; 4'bxx11: y = 2; 4'b0??1: y = 9; 4'b0xxx: y = 4; 4'b1001: y = 3; 4'b1101: y = 7; endcase
             case (b) 0: z = 8'h10; 1: z = 8'h21; 2: z = 8'h32; 3: z = 8'h43; 4: z = 8'h54; 7: z = 8'h65; default: z = 8'hff; endcase
             case (s) -1: u = 1; -4: u = 2; 3: u = 3; default: u = 0; endcase
             case (1'b1) a[0]: v = 1; b[1]: v = 2; s[2]: v = d; default: v = 0; endcase
             casez (a) ONE: o = 1; default: o = 0; endcase
           end
         endmodule",
        150,
    );
}

#[test]
fn a_full_case_needs_no_default() {
    agree(
        "module m(input [1:0] k, input [3:0] a, output reg [3:0] x, y);
           always @* case (k) 2'd0: x = a; 2'd1: x = ~a; 2'd2: x = a + 1; 2'd3: x = a - 1; endcase
           always @* casez (k) 2'b1?: y = a; 2'b01: y = ~a; 2'b00: y = 3; endcase
         endmodule",
        40,
    );
}

#[test]
fn clocked_processes() {
    agree(
        "module m(input clk, rst, en, input [7:0] d, input [2:0] i, output reg [7:0] q, p, n, output [7:0] sum, output reg [7:0] bits);
           reg [7:0] t; reg [3:0] lo, hi; reg started;
           // Icarus sees an edge from x to 0 before the first cycle
           initial begin started = 0; q = 1; p = 2; n = 3; bits = 8'h55; {hi, lo} = 8'hab; t = 0; end
           always @(posedge clk) begin
             if (rst) q <= 0; else if (en) q <= q + d;
             t = d ^ q; t = t + 1;
             p <= t; p[0] <= en;
             bits[i] <= d[0];
             if (en) bits[7:6] <= d[7:6];
           end
           always @(posedge clk) started <= 1;
           always @(negedge clk) if (started) n <= n + q;
           always @(posedge clk) lo <= hi;
           always @(posedge clk) if (en) hi <= lo ^ d[3:0];
           assign sum = {hi, lo};
         endmodule",
        100,
    );
}

#[test]
fn loop_counters_are_shared_by_processes() {
    agree(
        "module m(input clk, en, input [7:0] d, output reg [7:0] x, y, z, output reg [3:0] n);
           integer i; reg [7:0] mem [0:3];
           initial begin for (i = 0; i < 4; i = i + 1) mem[i] = i; x = 0; n = 0; end
           always @(posedge clk) if (en) for (i = 0; i < 8; i = i + 1) x[i] <= d[7 - i];
           always @(posedge clk) begin for (i = 0; i < 4; i = i + 1) if (d[i]) mem[i] <= d + i; n <= n + 1; end
           always @* begin y = 0; if (en) for (i = 0; i < 4; i = i + 1) y = y ^ mem[i]; end
           always @* begin z = 0; for (i = 7; i >= 0; i = i - 1) z = {z[6:0], d[i] ^ x[i]}; end
         endmodule",
        60,
    );
}

#[test]
fn memories() {
    agree(
        "module m(input clk, we, input [3:0] be, input [2:0] wa, ra, input [31:0] d, input [1:0] lane, output reg [31:0] q, output [31:0] now, output [7:0] byte_, output reg [31:0] o);
           reg [31:0] mem [0:7]; reg [7:0] other [15:8]; integer k;
           initial begin
             for (k = 0; k < 8; k = k + 1) begin mem[k] = k * 32'h01010101; other[k + 8] = 200 - k; end
             mem[3][7:4] = 4'hf; q = 0;
           end
           always @(posedge clk) begin
             q <= mem[ra];
             if (we) mem[wa] <= d;
             else begin
               if (be[0]) mem[wa][7:0] <= d[7:0];
               if (be[1]) mem[wa][15:8] <= d[15:8];
               mem[ra][{lane, 3'd0} +: 8] <= d[31:24];
             end
             other[{1'b1, wa}] <= d[7:0];
           end
           assign now = mem[ra] + mem[wa][lane];
           assign byte_ = other[{1'b1, ra}];
           always @* begin o = 0; for (k = 0; k < 8; k = k + 1) o = o ^ mem[k]; end
         endmodule",
        200,
    );
}

#[test]
fn hierarchy_parameters_and_ports() {
    agree(
        "module add #(parameter W = 4, parameter signed [7:0] K = 1, parameter M = W * 2) (input [W-1:0] a, input signed [W-1:0] b, output [M-1:0] y, output signed [3:0] n);
           localparam L = $clog2(M);
           assign y = a + b * K + L; assign n = b;
         endmodule
         module old(p, q, r); input [3:0] p; output q; output [7:0] r; reg [7:0] r; wire q; assign q = ^p; always @(p) r = p * 3; endmodule
         module m(input [3:0] a, input signed [3:0] b, output [15:0] y, z, output [11:0] x, output [7:0] n, r, output q, output [3:0] h, l);
           wire [3:0] unused;
           add u0(.a(a), .b(b), .y(y[7:0]), .n(n));
           add #(8, -2) u1(.a(a + a), .b(b), .y(z), .n());
           add #(.W(6), .K(3)) u2(.y(x), .a({b, a}), .b(a - b));
           assign y[15:8] = implied ? a : b;
           old u3(.p(a), .q(implied), .r(r));
           assign q = implied;
           old u4(b, , {h, l});
         endmodule",
        100,
    );
}

#[test]
fn ready_and_valid_through_one_process_are_no_loop() {
    agree(
        "module stage(input iv, input [7:0] id, output reg ir, output reg ov, output reg [7:0] od, input orr, output reg [2:0] bus, input [2:0] sub);
           always @(*) begin ir = orr; ov = iv; od = id + 1; bus = {sub[1], iv, sub[0] & orr}; end
         endmodule
         module m(input v, r, input [7:0] d, output vo, ro, output [7:0] dout, output [2:0] b);
           wire v1, r1; wire [7:0] d1; wire [2:0] x, y;
           stage s0(.iv(v), .id(d), .ir(ro), .ov(v1), .od(d1), .orr(r1), .bus(x), .sub({1'b0, y[1], 1'b1}));
           stage s1(.iv(v1), .id(d1), .ir(r1), .ov(vo), .od(dout), .orr(r), .bus(y), .sub({1'b0, d[0], x[1]}));
           assign b = x ^ y;
         endmodule",
        60,
    );
}

#[test]
fn bits_of_a_word_may_depend_on_each_other() {
    agree(
        "module m(input [7:0] a, b, m, input c, output [8:0] carry, output [7:0] pre, mux, output [7:0] down, up);
           assign carry = {(a & b) | (carry[7:0] & (a ^ b)), c};
           assign pre = a ^ {pre[6:0], 1'b0};
           assign mux = c ? {mux[6:0], a[0]} ^ b : {mux[5:0], b[1:0]} | a;
           assign {up, down} = {down ^ a, b & 8'hff ^ {8{c}}};
         endmodule",
        80,
    );
}

#[test]
fn sums_of_a_words_own_lower_bits() {
    let g = graph("module m(input [7:0] b, input [1:0] m, output [7:0] ring); assign ring = {ring[5:0], m} + {b[7:2], 2'b01}; endmodule");
    let g = g.expect("no bit depends on itself");
    for (b, m) in [(0u32, 0u32), (0xff, 3), (0x5a, 1), (0x3c, 2)] {
        let mut ring = 0;
        for _ in 0..8 {
            ring = ((ring << 2 | m) + (b & 0xfc | 1)) & 0xff;
        }
        let lines = interpret(&g, &[vec![Bits::new(8, b.into()), Bits::new(2, m.into())]]);
        assert_eq!(lines, [format!(" ring={ring:02x}")]);
    }
}

#[test]
fn asynchronous_resets() {
    agree(
        "module m(input clk, rst, set, rn, input [7:0] d, output reg [7:0] q, p, output reg [7:0] s, h);
           initial begin q = 5; p = 6; s = 7; h = 8; end
           always @(posedge clk or posedge rst) if (rst) q <= 8'h3c; else q <= q + d;
           always @(posedge clk, negedge rn) begin if (!rn) begin p <= 1; h[3:0] <= 2; end else begin p <= p ^ d; h <= h + d; end end
           always @(posedge clk or posedge rst) if (rst == 1'b1) s <= 0; else if (set) s <= 8'hf0; else s <= d;
         endmodule",
        100,
    );
}

#[test]
fn initial_values_and_declarations() {
    let out = outputs_at_zero(
        "module m(input clk, output [7:0] x, y, output [3:0] i, output z);
           reg [7:0] x = 8'h12; reg [7:0] t = 3; integer k = 5; reg [7:0] sum;
           wire [7:0] w = t + 1;
           initial begin sum = 0; for (k = 0; k < 5; k = k + 1) if (k != 2) sum = sum + k; end
           assign y = sum + w; assign i = k; assign z = open; wire open;
         endmodule"
            .replace("assign z = open; wire open;", "wire open; assign z = open;")
            .as_str(),
    );
    assert_eq!(out, "x=12 y=0c i=5 z=0");
}

#[test]
fn clocks_resolve_to_the_top_input() {
    let g = graph(
        "module ff(input clk, d, output reg q); initial q = 0; always @(posedge clk) q <= d; endmodule
         module mid(input clk, d, output reg q); reg c; wire w; always @(*) begin c = clk; q = w; end ff f(.clk(c), .d(d), .q(w)); endmodule
         module m(input clk, d, output q); mid u(.clk(clk), .d(d), .q(q)); endmodule",
    )
    .expect("a valid design");
    assert_eq!(g.registers.len(), 1);
    assert_eq!(g.registers[0].edge.clock, g.inputs[0].node);
    assert_eq!(g.registers[0].name, "m.u.f.q");
    let names: Vec<String> =
        (0..g.scopes.len()).map(|s| g.scope_path(quadlock_rtlsim::graph::ScopeId(s as u32))).collect();
    assert_eq!(names, ["m", "m.u", "m.u.f"]);
}

#[test]
fn constant_arms_become_a_table() {
    let arms: String = (0..200).map(|i| format!("8'd{i}: y = 16'd{};", i * 37 % 1000)).collect();
    let text = format!(
        "module m(input [7:0] a, output reg [15:0] y); always @* case (a) {arms} default: y = 7; endcase endmodule"
    );
    assert_eq!(graph(&text).expect("a valid design").tables.len(), 1);
    agree(&text, 300);
}

#[test]
fn long_chains_do_not_recurse() {
    let mut text = String::from("module m(input [7:0] a, output [7:0] y);\n");
    for i in 0..50_000 {
        let from = if i == 0 { "a".into() } else { format!("w{}", i - 1) };
        text += &format!("wire [7:0] w{i}; assign w{i} = {from} + 8'd1;\n");
    }
    text += "assign y = w49999; endmodule";
    assert!(graph(&text).expect("a valid design").nodes.len() > 50_000);
    let elses: String = (0..1500).map(|i| format!("if (a == {i}) y = {}; else ", i % 7)).collect();
    let sum = vec!["a"; 1500].join(" + ");
    let text = format!("module m(input [10:0] a, output reg [2:0] y, output [31:0] s); always @* {elses} y = 7; assign s = {sum}; endmodule");
    let g = graph(&text).expect("a valid design");
    let lines = interpret(&g, &[vec![Bits::new(11, 1499)], vec![Bits::new(11, 1500)]]);
    assert_eq!(lines, [format!(" y=1 s={:08x}", 1499 * 1500), format!(" y=7 s={:08x}", 1500 * 1500)]);
}
