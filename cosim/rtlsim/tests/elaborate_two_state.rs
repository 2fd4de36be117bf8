//! What elaboration refuses, with the place and the reason, and what it decides where Verilog has
//! x: zero, as the crate's documentation states.

use crate::elaborate_common::{agree, error, graph, interpret, outputs_at_zero};
use quadlock_rtlsim::elaborate::elaborate;
use quadlock_rtlsim::graph::Start;
use quadlock_rtlsim::parse::parse;
use quadlock_rtlsim::start::start_memory;
use quadlock_rtlsim::{Bits, Design, Error, Options, Source};

#[track_caller]
fn refused(text: &str, message: &str) {
    let got = error(text);
    assert!(got.contains(message), "got: {got}\nwanted: {message}");
}

#[test]
fn latches_are_refused_where_they_are_assigned() {
    refused(
        "module m(input c, d, output reg q);\n  always @* if (c)\n    q = d;\nendmodule",
        "test.v:3:5: q is not assigned on every path",
    );
    refused(
        "module m(input [1:0] k, output reg q); always @* case (k) 0: q = 1; 1: q = 0; 2: q = 1; endcase endmodule",
        "q is not assigned on every path",
    );
    refused(
        "module m(input [1:0] k, output reg [3:0] q); always @* begin q[2:0] = 0; q[k] = 1; end endmodule",
        "q is not assigned on every path",
    );
    refused(
        "module m(input c, output reg q, r); reg t; always @* begin if (c) t = 1; r = t; t = 0; q = t; end endmodule",
        "t is read here, but not every path has assigned it before",
    );
}

#[test]
fn two_drivers_are_named_both() {
    refused(
        "module m(input a, b, output [3:0] y);\n  assign y[2:0] = {3{a}};\n  assign y[3:2] = {2{b}};\nendmodule",
        "test.v:3:10: y[2] has two drivers; the other is at test.v:2:10",
    );
    refused(
        "module m(input clk, a, output reg y); always @(posedge clk) y <= a; always @* y = a; endmodule",
        "y[0] has two drivers",
    );
    refused("module m(input a, output y); assign a = y; endmodule", "input port a is driven inside its module");
    refused(
        "module m(input clk, input [7:0] a, output reg [7:0] y);\n  initial y = 0;\n  always @(posedge clk) begin y = y ^ a;\n    y <= y + 1; end\nendmodule",
        "test.v:4:5: y is assigned with = and with <= in one process (the other is at test.v:3:31): use one of them",
    );
}

/// What counts a loop has one value, or none that anything sees.
#[test]
fn loop_variables_that_have_no_one_value_are_refused() {
    refused(
        "module m(input clk, e, input [3:0] d, output reg [3:0] a, b, output [3:0] y); integer k;
           always @(posedge clk) for (k = 0; k < 4; k = k + 1) a[k] <= d[k];
           always @(posedge clk) if (e) for (k = 0; k < 4; k = k + 1) b[k] <= d[k]; assign y = k; endmodule",
        "k counts loops of several processes and is read outside of them",
    );
    refused(
        "module m(input e, input [3:0] d, output reg [3:0] a, output [3:0] y); integer k;
           always @* begin a = 0; if (e) for (k = 0; k < 4; k = k + 1) a[k] = d[k]; end assign y = k; endmodule",
        "k is not assigned on every path and would be a latch",
    );
    for text in [
        "module m(input en, a, b, output [1:0] y); integer k;
           always @* if (en) k[0] = a;  always @* k[1] = b;  assign y = k[1:0]; endmodule",
        "module m(input e, f, a, b, output [1:0] y); integer k;
           always @* if (e) k[0] = a;  always @* if (f) k[1] = b;  assign y = k[1:0]; endmodule",
    ] {
        refused(text, "k is not assigned on every path and would be a latch");
    }
    refused(
        "module m(input e, input [3:0] d, output reg [3:0] y);
           always @* begin : b integer t; if (e) t = d; y = t; end endmodule",
        "b.t is read here, but not every path has assigned it before",
    );
}

/// Peers read texts in which macros are expanded already, so these values are known by hand.
#[test]
fn digits_of_a_base_may_come_from_macros() {
    let text = "`define A 1\n`define B `A + 1\n`define C 2 + `B - 1\n`define W \\\n  7\n`define H ff\n
        module m(output [7:0] a, b, c, w, h, s); assign a = 8'd`A; assign b = 8'd`B; assign c = 8'd`C;
          assign w = 8'd`W; assign h = 8 'h /* hex */ `H; assign s = 8'd 12; endmodule";
    assert_eq!(outputs_at_zero(text), "a=01 b=02 c=03 w=07 h=ff s=0c");
    refused("`define R 1 + 8'd`R\nmodule m(output [7:0] y); assign y = 8'd`R; endmodule", "`R expands without end");
    refused("`define R `S\n`define S `R\nmodule m(output [7:0] y); assign y = 8'd`R; endmodule", "expands without end");
    let doubled = |n: usize| format!("`define D{} 1 + 8'd`D{n} + 8'd`D{n}\n", n + 1);
    let many: String = (0..28).map(doubled).collect();
    refused(
        &format!("`define D0 1\n{many}module m(output [7:0] y); assign y = 8'd`D28; endmodule"),
        "macros expand to more than",
    );
    refused("`define E\nmodule m(output [7:0] y); assign y = 8'd`E; endmodule", "expected a macro of digits");
    refused("module m(output [7:0] y); assign y = 8'd`NONE; endmodule", "the macro `NONE is not defined");
}

/// `full_case` is a promise where a value would be missing, and nothing where it would not.
#[test]
fn a_full_case_takes_its_last_arm() {
    let text = "module m(input clk, input [1:0] s, output reg [3:0] y, z);
        always @* (* full_case *) case (s) 0: y = 1; 1: y = 2; 2: y = 3; endcase
        initial z = 0; always @(posedge clk) (* full_case *) case (s) 0: z <= 1; 1: z <= 2; endcase endmodule";
    let design = Design::parse(&[Source::new("t.v", text)], None).expect("it is legal");
    let mut sim = design.compile(&Options::default().verify(true)).expect("it compiles");
    let (s, y, z) = (sim.input("s").unwrap(), sim.signal("y").unwrap(), sim.signal("z").unwrap());
    sim.poke(s, 3);
    sim.run(2).expect("it comes to rest");
    assert_eq!((sim.peek(y), sim.peek(z)), (3, 0));
    refused(
        "module m(input [1:0] s, output reg y); always @* (* full_case = 0 *) case (s) 0: y = 1; endcase endmodule",
        "y is not assigned on every path",
    );
    refused(
        "module m(input [1:0] s, output reg y); always @* (* full_case = 1'b0 *) case (s) 0: y = 1; endcase endmodule",
        "y is not assigned on every path",
    );
    refused(
        "`ifdef NO\n(* full_case *)\n`endif\nmodule m(input [1:0] s, output reg y); always @* case (s) 0: y = 1; endcase endmodule",
        "y is not assigned on every path",
    );
}

#[test]
fn loops_are_paths_of_names() {
    let text = "module g(input i, output o); assign o = ~i; endmodule
        module m(input e, output y); wire a, b; g u(.i(a), .o(b)); assign a = b & e; assign y = a; endmodule";
    let sources = [Source::new("l.v", text)];
    let got = elaborate(&parse(&sources).expect("it is Verilog"), &sources, None);
    let Err(Error::Loop { path, place }) = got else { panic!("no loop reported: {got:?}") };
    assert_eq!(path.first(), path.last());
    for name in ["m.a", "m.b", "m.u.i", "m.u.o"] {
        assert_eq!(path[1..].iter().filter(|p| *p == name).count(), 1, "{name} in {path:?}");
    }
    // the data goes from a into u and out as b
    let at = |name: &str| path[1..].iter().position(|p| p == name).map_or(0, |i| i as i32);
    assert_eq!((at("m.u.i") - at("m.a")).rem_euclid(4), 1, "{path:?}");
    assert!(place.is_some());
    refused(
        "module m(input a, output [1:0] y); assign y = {y[1] & a, y[0]} ^ y; endmodule",
        "combinational loop: m.y -> m.y",
    );
    refused("module m(input a, output reg y); always @* y = y ^ a; endmodule", "m.y -> m.y");
}

#[test]
fn names_and_widths_that_do_not_work() {
    refused("module m(output y);\n  assign y = nope;\nendmodule", "test.v:2:14: nope is not declared");
    refused("module m(input a, output y); wire a1; wire a1; endmodule", "a1 is declared twice");
    refused("module m(input a, output y); sub u(a); endmodule", "there is no module sub");
    refused("module s(input a); endmodule module m(input a); s u(.b(a)); endmodule", "module s has no port b");
    refused("module s(input a); endmodule module m(input a); s u(a, a); endmodule", "module s has no port number 2");
    refused(
        "module s(input a); endmodule module m(input a); s #(.W(3)) u(a); endmodule",
        "module s has no parameter W",
    );
    refused("module m(input a, output y); m u(a, y); endmodule", "no module can be the top");
    refused(
        "module t(input a, output y); m u(a, y); endmodule module m(input a, output y); m u(a, y); endmodule",
        "contains itself",
    );
    refused(
        "module a(input x); endmodule module b(input x); endmodule",
        "several modules can be the top, name one: a, b",
    );
    refused("module m(input [3:0] a, output y); assign y = a[0:3]; endmodule", "against the declared range");
    refused("module m(input [3:0] a, output [3:0] y); assign y = {a{1'b1}}; endmodule", "this must be constant");
    refused("module m(inout a); endmodule", "inout port is not supported");
    refused("module m(input [3:0] a, output reg [3:0] y); integer i; always @* begin y = 0; for (i = 0; i < a; i = i + 1) y = y + 1; end endmodule", "loop with a bound that is not constant");
    refused("module m(input a, output reg y); integer i; always @* begin y = 0; for (i = 0; i < 2; i = i) y = a; end endmodule", "does not end");
    refused(
        "module m(input clk, a, output reg y); always @(posedge clk or posedge a) y <= a; endmodule",
        "test each asynchronous reset, set or load first",
    );
    refused("module m(input a, output y); reg [3:0] mem [0:3]; assign y = mem; endmodule", "memory mem");
    refused(
        "module m(input a, output reg y);\n  always @(a or nope) y = a; endmodule",
        "test.v:2:17: nope is not declared",
    );
    refused("module m(input a, output reg y);\n  always @nope y = a; endmodule", "test.v:2:11: nope is not declared");
    refused("module m(input a, output reg y);\n  assign y = a; endmodule", "test.v:2:10: y is declared reg");
    refused("module m(input a, output y); reg y;\n  assign y = a; endmodule", "test.v:2:10: y is declared reg");
    refused(
        "module s(output y); assign y = 1; endmodule module m(output reg y);\n  s u(.y(y)); endmodule",
        "test.v:2:10: y is declared reg",
    );
    refused(
        "module m(input a, output y);\n  always @* y = a; endmodule",
        "y is assigned in a process and must be declared reg",
    );
    for width in ["[1'bx:0]", "[2'b1z:0]", "[P:0]"] {
        let text = format!("module m #(parameter P = 3'bx1)(input a,\n output {width} y); assign y = a; endmodule");
        refused(&text, "x or z digits in a number that must be known");
    }
    refused("module m(input a, output y); assign y = {2'bx0{a}}; endmodule", "x or z digits");
    refused(
        "module m(input a, output y); assign y = {0{a}}; endmodule",
        "replication 0 times: 0 times is possible beside",
    );
    refused("module m(input a, output y); assign y = {{0{a}}, {0{a}}}; endmodule", "replication 0 times");
    refused("module m(input a, output y); assign y = {a, {-1{a}}}; endmodule", "replication -1 times");
    refused("module m(input a, output y); parameter P = a; endmodule", "not");
    refused("`default_nettype none\nmodule m(input a, output y); assign y = a; s u(b); endmodule module s(input x); endmodule", "b is not declared");
    let deep = format!("module m(input a, output y); assign y = {}a{}; endmodule", "{".repeat(90), "}".repeat(90));
    assert_eq!(graph(&deep).map(|g| g.inputs.len()), Ok(1));
}

#[test]
fn what_is_x_in_verilog_is_zero() {
    let out = outputs_at_zero(
        "module s(input [3:0] p, output [3:0] o); assign o = p | 4'd8; endmodule
         module m(input [3:0] a, output [3:0] div, rem, wire_, part, word, open_port, x, bit_, output neg, beyond);
           wire [3:0] undriven; reg [3:0] mem [1:3]; integer i;
           initial for (i = 1; i < 4; i = i + 1) mem[i] = 15;
           wire [3:0] ones = 4'hf; wire [6:3] high = 4'hf;
           assign div = 4'd7 / a; assign rem = 4'd7 % a; assign wire_ = undriven; assign part = ones[5:2];
           assign word = mem[a]; assign x = 4'b1xz0; assign beyond = ones[a + 9]; assign neg = high[a + 2];
           assign bit_ = {high[3], high[7], high[6:5]};
           s u(.p(), .o(open_port));
         endmodule",
    );
    assert_eq!(out, "div=0 rem=0 wire_=0 part=3 word=0 open_port=8 x=8 bit_=b neg=0 beyond=0");
}

#[test]
fn registers_without_a_value_start_unknown() {
    let g = graph(
        "module m(input clk, d, output reg a, b, output reg [3:0] c, d4);
           initial begin a = 1; c[1:0] = 2; end reg z = 0;
           always @(posedge clk) begin a <= d; b <= d; c <= {4{d}}; d4 <= 0; z <= d; end
         endmodule",
    )
    .expect("a valid design");
    let of = |name: &str| g.registers.iter().find(|r| r.name == name).map(|r| r.start.clone());
    assert_eq!(of("m.a"), Some(Start::Value(Bits::bit(true))));
    assert_eq!(of("m.b"), Some(Start::Unknown));
    assert_eq!(of("m.z"), Some(Start::Value(Bits::bit(false))));
    // a vector with a value in some bits is two registers
    assert_eq!(of("m.c[1:0]"), Some(Start::Value(Bits::new(2, 2))));
    assert_eq!(of("m.c[3:2]"), Some(Start::Unknown));
}

#[test]
fn memory_files_are_beside_the_source() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("init.hex"), "// words\n01 23 /* two\nlines */ @4 ab_cd\n@6 ff\n").expect("written");
    std::fs::write(dir.path().join("init.bin"), "1010 1x11").expect("written");
    let text = "module m(input [2:0] a, output [7:0] h, output [3:0] b); reg [7:0] x [0:7]; reg [3:0] y [0:7];
        initial begin $readmemh(\"init.hex\", x); $readmemb(\"init.bin\", y, 2, 3); end assign h = x[a]; assign b = y[a]; endmodule";
    let sources = [Source::new(dir.path().join("m.v").display().to_string(), text)];
    let g = elaborate(&parse(&sources).expect("it is Verilog"), &sources, None).expect("files are found");
    let lines = interpret(&g, &(0..8).map(|i| vec![Bits::new(3, i)]).collect::<Vec<_>>());
    // words that the files leave out come from the seed: those between given ones too
    let mut expected = [start_memory(&g.memories[0], 0), start_memory(&g.memories[1], 0)];
    for (memory, word, value) in [(0, 0, 0x01), (0, 1, 0x23), (0, 4, 0xcd), (0, 6, 0xff), (1, 2, 0xa), (1, 3, 0xb)] {
        let width = g.memories[memory].width;
        assert_eq!(g.memories[memory].init[word], Some(Bits::new(width, value)));
        expected[memory][word] = Bits::new(width, value);
    }
    for (w, line) in lines.iter().enumerate() {
        let [h, b] = [&expected[0][w], &expected[1][w]].map(Bits::to_u64);
        assert_eq!(*line, format!(" h={h:02x} b={b:x}"));
    }
    assert_eq!((&g.memories[0].init[2..4], &g.memories[1].init[..2]), (&[None, None][..], &[None, None][..]));
    assert!((2..4).any(|w| !expected[0][w].is_zero()), "a start of zero hides a missing value");
    let missing = [Source::new(dir.path().join("m.v").display().to_string(), text.replace("init.hex", "none.hex"))];
    let got = elaborate(&parse(&missing).expect("it is Verilog"), &missing, None);
    assert!(matches!(got, Err(Error::Io { .. })), "{got:?}");
}

#[test]
fn yosys_netlists() {
    agree(
        "module \\$weird.name (a, y);
           input [1:0] a; wire [1:0] a; output y; wire y; wire \\t[0] ;
           assign \\t[0] = a[0]; assign y = \\t[0] ^ a[1];
         endmodule
         module m(clk, d, r, q, y);
           input clk; wire clk; input [3:0] d; wire [3:0] d; input r; wire r; output [3:0] q; reg [3:0] q = 4'h6; output y; wire y; wire _00_; wire [3:0] _01_;
           assign _00_ = ~r; assign _01_[0] = d[0] & _00_; assign _01_[3:1] = r ? 3'h2 : d[3:1];
           always @(posedge clk) q[0] <= _01_[0];
           always @(posedge clk) if (r) q[1] <= 1'h0; else q[1] <= _01_[1];
           always @(posedge clk, posedge r) if (r) q[3:2] <= 2'h3; else if (_00_) q[3:2] <= _01_[3:2];
           \\$weird.name  \\u.0 (.a({ q[3], d[2] }), .y(y));
         endmodule",
        60,
    );
}

/// Texts that are nearly Verilog: one or two tokens exchanged for others of the same text. Whatever
/// comes of them, it is a graph or an error.
#[test]
fn damaged_text_never_panics() {
    use rand::{Rng, SeedableRng};
    let text = "module s #( parameter W = 4 , parameter K = - 1 ) ( input [ W - 1 : 0 ] p , input clk , output reg [ 7 : 0 ] o ) ;
        reg [ 3 : 0 ] mem [ 0 : 7 ] ; integer i ; initial begin for ( i = 0 ; i < 8 ; i = i + 1 ) mem [ i ] = i ; o = 3 ; end
        always @ ( posedge clk ) begin if ( p [ 2 ] ) mem [ p ] <= K ; o [ p +: 2 ] <= mem [ p [ 1 : 0 ] ] ** 2 ; o [ 7 : 6 ] <= { 2 { p [ 0 ] } } ; end endmodule
        module m ( input [ 3 : 0 ] a , input signed [ 4 : 9 ] b , input clk , rst , output [ 7 : 0 ] y , output reg [ 3 : 0 ] z , q ) ;
        wire [ 7 : 0 ] w ; localparam L = $clog2 ( 9 ) ; s # ( . W ( 3 ) ) u ( . p ( a ) , . clk ( clk ) , . o ( w ) ) ;
        assign y = b [ 6 ] ? w >>> a : $signed ( b [ a +: 3 ] ) / L ;
        always @ ( * ) begin z = 0 ; casez ( a ) 4'b1?0z : z = b ; 2 , 3 : z [ a ] = 1 ; default : z = w % a ; endcase end
        always @ ( posedge clk or posedge rst ) if ( rst ) q <= L ; else begin q <= q + 1 ; q [ 0 ] <= ^ w ; end endmodule";
    let tokens: Vec<&str> = text.split_whitespace().collect();
    graph(text).expect("the undamaged text is good");
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..1500 {
        let mut damaged = tokens.clone();
        for _ in 0..rng.random_range(1..3) {
            let at = rng.random_range(0..tokens.len());
            damaged[at] = tokens[rng.random_range(0..tokens.len())];
        }
        match graph(&damaged.join(" ")) {
            Ok(graph) => {
                good += 1;
                // Some of them as machine code too: that takes longer.
                if good % 12 == 0 {
                    let mut sim = Design::from_graph(graph)
                        .and_then(|d| d.compile(&Options::default().verify(true)))
                        .expect("it compiles");
                    // Clocks that drive one another may never come to rest: that is an error too.
                    let _ = sim.run(3);
                }
            }
            Err(Error::Internal(e)) => panic!("{e}\n{}", damaged.join(" ")),
            Err(_) => bad += 1,
        }
    }
    assert!(good > 25 && bad > 50, "{good} good, {bad} bad");
}

#[test]
fn functions_that_do_not_work() {
    let f =
        |function: &str, rest: &str| format!("module m(input [3:0] a, output [3:0] y);\n{function}\n{rest} endmodule");
    let refuse = |function: &str, rest: &str, expected: &str| refused(&f(function, rest), expected);
    let plain = "function [3:0] g; input [3:0] x; g = x; endfunction";
    refuse(plain, "assign y = h(a);", "test.v:3:12: h is not a function of this module");
    refuse(plain, "assign y = g(a, a);", "function g has 1 inputs, and 2 arguments are given");
    refuse("function [3:0] g; input [3:0] x; g = g(x); endfunction", "assign y = g(a);", "nested more than 32 deep");
    refuse("function [g(1):0] g; input x; g = x; endfunction", "assign y = g(a);", "depend on itself");
    refuse("function [3:0] g; input x; begin t = x; g = x; end endfunction reg t;", "assign y = g(a);", "assigns t");
    refuse(
        "function [3:0] g; input x; g <= x; endfunction",
        "assign y = g(a);",
        "a function assigns its own variables only",
    );
    refuse("function [3:0] g; input x; m[0] = x; endfunction reg [3:0] m [0:1];", "assign y = g(a);", "memory");
    refuse(&format!("{plain} {plain}"), "assign y = a;", "function g is declared twice");
    refuse(&format!("{plain} wire g;"), "assign y = a;", "g is declared twice");
    refuse("function g; g = 1; endfunction", "", "function g has no input");
    refuse("function g; input x; begin g = x; end g = 1; endfunction", "", "expected `endfunction`");
    refuse(plain, "assign g(a) = 1;", "cannot be assigned to");
    let twice: String = (1..24)
        .map(|k| format!("function [3:0] g{k}; input [3:0] x; g{k} = g{0}(x) ^ g{0}(~x); endfunction ", k - 1))
        .collect();
    let text = format!("function [3:0] g0; input [3:0] x; g0 = x + 1; endfunction {twice}");
    refuse(&text, "assign y = g23(a);", "a call with more than 65536 calls");
    // What is not called is not looked into, and a function may use what it does not assign.
    assert!(graph(&f("function [3:0] g; input x; g = x + a; endfunction", "assign y = g(a[0]);")).is_ok());
}
