//! The parser: shapes of trees where Verilog surprises, errors with place and expectation, refusals
//! by name, and print-parse round trips. A round trip alone would not notice a parser and printer
//! that are wrong in the same way, hence the tests of shapes.

use quadlock_rtlsim::ast::{Ast, ExprKind, Item, Literal, NetKind, Sensitivity, Span, StmtKind};
use quadlock_rtlsim::parse::{parse, print, print_expr, set_spans};
use quadlock_rtlsim::{Design, Error, Options, Source};

fn ast(text: &str) -> Ast {
    parse(&[Source::new("t.v", text)]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn message(text: &str) -> String {
    match parse(&[Source::new("t.v", text)]) {
        Ok(_) => panic!("parsed: {text}"),
        Err(e) => e.to_string(),
    }
}

fn without_spans(mut ast: Ast) -> Ast {
    ast.modules.iter_mut().for_each(|m| set_spans(m, Span::default()));
    ast
}

/// The expression of `assign y = ...`, printed with every operator's operands in parentheses.
fn shape(expression: &str) -> String {
    let tree = ast(&format!("module m; assign y = {expression}; endmodule"));
    match &tree.modules[0].items[0] {
        Item::Assign { value, .. } => print_expr(value),
        other => panic!("{other:?}"),
    }
}

fn literal(text: &str) -> Literal {
    let tree = ast(&format!("module m; assign y = {text}; endmodule"));
    match &tree.modules[0].items[0] {
        Item::Assign { value, .. } => match &value.kind {
            ExprKind::Literal(l) => l.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn precedence_and_associativity() {
    for (text, expected) in [
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a ** b ** c", "(a ** b) ** c"),
        ("-a ** b", "(-a) ** b"),
        ("a ? b : c ? d : e", "a ? b : c ? d : e"),
        ("a ? b ? c : d : e", "a ? (b ? c : d) : e"),
        ("a << b + c", "a << (b + c)"),
        ("a < b << c", "a < (b << c)"),
        ("a == b < c", "a == (b < c)"),
        ("a & b == c", "a & (b == c)"),
        ("a ^ b & c", "a ^ (b & c)"),
        ("a | b ^ c", "a | (b ^ c)"),
        ("a ~^ b | c ^~ d", "(a ~^ b) | (c ~^ d)"),
        ("a && b | c", "a && (b | c)"),
        ("a || b && c", "a || (b && c)"),
        ("a || b ? c : d", "(a || b) ? c : d"),
        ("a & & b", "a & (&b)"),
        ("a && &b", "a && (&b)"),
        ("~|a ^ ~&b", "(~|a) ^ (~&b)"),
        ("!~a", "!(~a)"),
        ("a - -b", "a - (-b)"),
        ("a <<< b >>> c", "(a <<< b) >>> c"),
        ("a % b / c", "(a % b) / c"),
        ("(a <= b) != (c >= d)", "(a <= b) != (c >= d)"),
        ("a === b !== c", "(a === b) !== c"),
        ("{a, {3{b, c[1]}}, d[7:0], e[i +: 4], f[i-:2]}", "{a, {3{b, c[1]}}, d[7:0], e[i +: 4], f[i -: 2]}"),
        ("$signed(a) >>> $unsigned({b})", "$signed(a) >>> $unsigned({b})"),
        ("mem[a][3:0]", "mem[a][3:0]"),
        ("\\a+b [2] + \\if ", "\\a+b [2] + \\if "),
        ("(* keep *) a /* c */ + // d\n b", "a + b"),
    ] {
        assert_eq!(shape(expected), shape(text), "{text}");
        assert_eq!(shape(text), expected, "{text}");
    }
}

#[test]
fn literals() {
    for (text, value, width, signed) in [
        ("13", "32'hd", None, true),
        ("8'hFf", "8'hff", Some(8), false),
        ("8 'h f_f", "8'hff", Some(8), false),
        ("4'hff", "4'hf", Some(4), false),
        ("12'sd5", "12'h5", Some(12), true),
        ("'o17", "32'hf", None, false),
        ("'sb1", "32'h1", None, true),
        ("1'b0", "1'h0", Some(1), false),
        ("130'h2_0000_0000_0000_0000_0000_0000_0000_0001", "130'h200000000000000000000000000000001", Some(130), false),
        ("100'd1267650600228229401496703205375", "100'hfffffffffffffffffffffffff", Some(100), false),
        ("'h1_0000_0000", "33'h100000000", None, false),
        ("6'bx1?0", "6'h4", Some(6), false),
    ] {
        let l = literal(text);
        assert_eq!((l.value.to_string().as_str(), l.width, l.signed), (value, width, signed), "{text}");
    }
    let l = literal("6'bx1?0");
    assert_eq!((l.x.to_u64(), l.z.to_u64()), (0b11_1000, 0b10), "the leftmost digit fills");
    let l = literal("9'hz");
    assert_eq!((l.x.to_u64(), l.z.to_u64()), (0, 0x1ff));
    let l = literal("9'o0x");
    assert_eq!((l.x.to_u64(), l.z.to_u64()), (7, 0));
    assert_eq!(literal("5'dx").x.to_u64(), 31);
}

#[test]
fn macros_and_conditionals() {
    let tree = ast("`timescale 1ns/1ps\n`default_nettype none\n`define W 8 // bits\n`define TOP (`W-1)\n`ifdef W\nmodule m; wire [`TOP:0] a = `W'd3;\
        \n`else\nnonsense ' \" \n`endif\n`ifndef W\n`ifdef X\n`else\n % \n`endif\n`elsif W\nwire b;\n`else\n % \n`endif\nendmodule\n`undef W\n`ifdef W\n%\n`endif\n");
    let Item::Net(a) = &tree.modules[0].items[0] else { panic!() };
    assert_eq!(print_expr(&a.range.as_ref().unwrap().0), "8 - 1");
    assert_eq!(print_expr(a.init.as_ref().unwrap()), "8'h3");
    assert_eq!(tree.modules[0].items.len(), 2);
}

#[test]
fn headers_and_declarations() {
    let ansi = ast("module m #(parameter W = 8, parameter signed [3:0] S = -1, localparam L = W) (input clk, input wire signed [W-1:0] a, b,\
        output reg [3:0] q = 4'd2, output y); endmodule");
    let plain =
        ast("module m(clk, a, b, q, y); parameter W = 8; parameter signed [3:0] S = -1; localparam L = W; input clk;\
        input wire signed [W-1:0] a, b; output reg [3:0] q = 4'd2; output y; endmodule");
    assert_eq!(without_spans(ansi), without_spans(plain));
    let tree = ast("module m(); reg [7:0] mem [0:255], r = 1; integer i; wire signed x, z = r[0]; endmodule");
    let nets: Vec<_> = tree.modules[0].items.iter().map(|i| if let Item::Net(n) = i { n } else { panic!() }).collect();
    assert_eq!(nets.iter().map(|n| n.name.as_str()).collect::<Vec<_>>(), ["mem", "r", "i", "x", "z"]);
    assert!(nets[0].array.is_some() && nets[1].array.is_none() && nets[1].init.is_some());
    assert!(nets[2].kind == Some(NetKind::Integer) && nets[2].signed && nets[3].signed);
}

#[test]
fn sensitivities() {
    let tree = ast("module m; always @* ; always @(*) ; always @( * ) ; always @(a or b, c) ; always @a ;\
        always @(posedge a, negedge b[0]) ; endmodule");
    let lists: Vec<_> = tree.modules[0]
        .items
        .iter()
        .map(|i| if let Item::Always { sensitivity, .. } = i { sensitivity } else { panic!() })
        .collect();
    assert!(lists[..3].iter().all(|s| **s == Sensitivity::Combinational));
    let named =
        |s: &Sensitivity| if let Sensitivity::Levels(l) = s { l.iter().map(print_expr).collect() } else { vec![] };
    assert_eq!((named(lists[3]), named(lists[4])), (vec!["a".into(), "b".into(), "c".into()], vec!["a".to_string()]));
    let Sensitivity::Edges(edges) = lists[5] else { panic!() };
    assert_eq!(edges.iter().map(|e| e.rising).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn an_else_belongs_to_the_nearest_if() {
    let tree = ast("module m; always @* if (a) if (b) x = 1; else x = 2; endmodule");
    let Item::Always { body, .. } = &tree.modules[0].items[0] else { panic!() };
    let StmtKind::If { then, otherwise: None, .. } = &body.kind else { panic!("{body:?}") };
    assert!(matches!(&then.kind, StmtKind::If { otherwise: Some(_), .. }));
}

const EVERYTHING: &str = r#"
(* top, src = "a*)b" *) module \top+1 (clk, \a[0] , q, y);
  parameter [7:0] P = 8'hx1, Q = 3; localparam signed T = -5; parameter integer N = 4;
  input clk; input signed [7:0] \a[0] ; output [7:0] q; reg [7:0] q; output [129:0] y;
  reg [7:0] mem [0:255]; wire [1:0] w = {q[0], ~q[1]}, v; integer i; reg s = 1'b1;
  assign y = {P, {2{w}}}, v[0] = q[P +: 2] > 8'sd3;
  always @(posedge clk or negedge s) begin : named
    reg [3:0] t; integer k;
    t = \a[0] [3:0];
    for (i = 0; i < 8; i = i + 1) mem[i][3:0] <= t + i;
    if (!s) q <= 0; else if (t == 1) q <= mem[t]; else begin q <= "A"; {s, q[7]} = 2'b01; end
    casez (t) 4'b1??0, 4'b0?z1: q <= 1; 4'd2: ; default q <= 2; endcase
    casex (q) 8'bx: $display("x\n\"%d\" \\", q, $time); endcase
    case ({t, q}) endcase
  end
  initial begin $readmemh("mem.hex", mem); mem[3] = 8'd1; $finish; end
  sub #(.A(1), .B(P)) u1 (.clk(clk), .o(), .i(q[7 -: 4])), u2 ();
  sub #(3) u3 (clk, , 8'sb1);
endmodule
module sub(clk, o, i); parameter A = 1, B = 2; input clk, i; output o; endmodule
"#;

#[test]
fn printing_and_parsing_again_gives_the_same_tree() {
    let first = without_spans(ast(EVERYTHING));
    let text = print(&first);
    assert_eq!(without_spans(ast(&text)), first, "{text}");
}

#[test]
fn errors_say_where_and_what() {
    for (text, expected) in [
        ("module m;\n  assign y = a +;\nendmodule", "t.v:2:17: expected an expression, found `;`"),
        ("module m;\n  assign y = a b;\nendmodule", "t.v:2:16: expected `;` after the assignment, found `b`"),
        ("module m(a;\nendmodule", "t.v:1:11: expected `)` after the ports, found `;`"),
        ("module m;\n\tassign µ = 1;", "t.v:2:9: the character 'µ' has no meaning here"),
        ("module m; wire reg;", "t.v:1:16: expected a name of a net, found the keyword `reg`"),
        ("module m; assign y = 3'd9a;", "t.v:1:22: 'a' is no decimal digit"),
        ("module m; assign y = 8'b12;", "t.v:1:22: '2' is no digit of base 'b"),
        ("module m; assign y = 0'b1;", "t.v:1:22: a literal's size must be at least 1"),
        ("module m; assign y = `W;", "t.v:1:22: the macro `W is not defined"),
        ("`ifdef A\n", "t.v:1:1: this conditional has no `endif"),
        ("`endif", "t.v:1:1: `endif without `ifdef"),
        ("`define A `A\n`A", "t.v:2:1: the macro `A expands without end"),
        ("module m; /* ", "t.v:1:11: this comment has no end"),
        ("module m; initial $display(\"abc\n\");", "t.v:1:28: this string has no end on its line"),
        ("module m; s u(a, .b(c)); endmodule", "t.v:1:15: connections by name and by position are mixed"),
        ("module m; endmodule module m; endmodule", "t.v:1:28: module m is defined twice"),
        (
            "module m; always @* case (a) default: ; default: ; endcase endmodule",
            "t.v:1:41: this case has a default already",
        ),
        ("module m; always @* begin a = 1;", "t.v:1:32: expected a statement, found the end of the text"),
        ("module m; foo = 1; endmodule", "t.v:1:15: expected an instance's name, found `=`"),
        ("wire a;", "t.v:1:1: expected `module`, found the keyword `wire`"),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
}

#[test]
fn what_is_outside_the_subset_is_refused_by_name() {
    for (text, construct) in [
        ("generate endgenerate", "generate construct"),
        ("genvar i;", "genvar"),
        ("task t; endtask", "task"),
        ("always_ff @(posedge c) q <= d;", "SystemVerilog always_ff, always_comb, always_latch"),
        ("logic [3:0] a;", "SystemVerilog data type"),
        ("initial #5 a = 1;", "delay"),
        ("always #5 a = ~a;", "delay"),
        ("assign #1 a = b;", "delay"),
        ("always @(posedge c) q <= #1 d;", "delay in an assignment"),
        ("inout a;", "inout port"),
        ("tri a;", "net type other than wire"),
        ("supply0 gnd;", "net type other than wire"),
        ("real r;", "real variable"),
        ("defparam u.P = 1;", "defparam"),
        ("assign y = u.a;", "hierarchical name"),
        ("assign y = 1.5;", "real number"),
        ("assign y = '1;", "SystemVerilog literal"),
        ("assign y = $random;", "system function $random"),
        ("assign (strong0, weak1) y = a;", "drive strength"),
        ("specify endspecify", "specify block"),
        ("initial fork join", "fork"),
        ("initial wait (a);", "wait"),
        ("initial while (1) ;", "loop other than for"),
        ("initial repeat (3) ;", "loop other than for"),
        ("initial forever ;", "loop other than for"),
        ("always @(posedge a or b) ;", "event control with edges and levels"),
        ("always begin end", "always without event control"),
        ("initial begin @(posedge a) b = 1; end", "event control in a process"),
        ("initial a += 1;", "SystemVerilog assignment operator"),
        ("initial for (integer i = 0; i < 1; i = i + 1) ;", "declaration in a for loop"),
        ("initial begin integer i; end", "declaration in a block without name or after a statement"),
        ("initial force a = 1;", "procedural continuous assignment"),
        ("initial go;", "task call"),
        ("and g(a, b, c);", "gate instance"),
        ("sub u [3:0] (a);", "array of instances"),
        ("sub u (.*);", "SystemVerilog connection .*"),
        ("reg [7:0] m [0:3][0:3];", "array of several dimensions"),
        ("`define F(x) x", "macro with arguments"),
        ("\\$_DLATCH_P_ u (.E(e));", "yosys cell $_DLATCH_P_"),
    ] {
        let text = format!("module m;\n  {text}\nendmodule");
        match parse(&[Source::new("t.v", text.as_str())]) {
            Err(Error::Unsupported { place, construct: c, help }) => {
                assert_eq!(c, construct, "{text}");
                assert_eq!(place.line, 2, "{text}");
                assert!(!help.is_empty());
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn system_verilog_words_are_plain_names_in_verilog() {
    ast("module m(input logic, output int); assign int = logic; endmodule module bit(input byte); endmodule");
}

#[test]
fn deep_or_long_text_is_an_error_or_parses_but_never_a_crash() {
    assert!(message(&format!("module m; assign y = {}a;", "(".repeat(100_000))).contains("nested more than"));
    assert!(message(&format!("module m; assign y = {}a;", "~".repeat(100_000))).contains("nested more than"));
    assert!(message(&format!("module m; assign y = {}a;", "{".repeat(100_000))).contains("nested more than"));
    assert!(message(&format!("module m; initial {}", "begin ".repeat(100_000))).contains("nested more than"));
    assert!(message(&format!("module m; assign y = a{};", " + a".repeat(100_000))).contains("a chain of more than"));
    let chain = format!("module m; assign y = {} 0; endmodule", "a ? b : ".repeat(1500));
    assert_eq!(without_spans(ast(&print(&ast(&chain)))), without_spans(ast(&chain)));
    let chain = format!("module m; always @* {} ; endmodule", "if (a) ; else ".repeat(1500));
    ast(&chain);
}

#[test]
fn cells_of_yosys_are_known() {
    let tree = ast("module m(input c, r, e, d, output q, x); \\$_SDFFE_PN0P_ a (.C(c), .R(r), .E(e), .D(d), .Q(q)); \\$_MUX_ b (.A(c), .B(r), .S(e), .Y(x));\
        \\$_DFF_N_ f1 (); \\$_DFFE_PN_ f2 (); \\$_DFF_PN1_ f3 (); \\$_DFFE_PP0N_ f4 (); \\$_SDFFCE_NP1P_ f5 (); \\$_ALDFFE_PNN_ f6 (); endmodule");
    assert_eq!(tree.modules.len(), 9);
    let text = print(&tree);
    for expected in [
        "always @(posedge C) begin\n    if (!R) Q <= 1'h0;\n    else if (E) Q <= D;\n  end",
        "always @(negedge C) Q <= D;",
        "always @(posedge C) if (!E) Q <= D;",
        "always @(posedge C or negedge R) begin\n    if (!R) Q <= 1'h1;\n    else Q <= D;\n  end",
        "always @(posedge C or posedge R) begin\n    if (R) Q <= 1'h0;\n    else if (!E) Q <= D;\n  end",
        "always @(negedge C) if (E) begin\n    if (R) Q <= 1'h1;\n    else Q <= D;\n  end",
        "always @(posedge C or negedge L) if (!L) Q <= AD;\n  else if (!E) Q <= D;",
        "assign Y = S ? B : A;",
    ] {
        assert!(text.contains(expected), "{expected}\nin\n{text}");
    }
}

#[test]
fn several_sources_share_macros_and_places_name_their_file() {
    let sources = [Source::new("a.v", "`define W 3\n"), Source::new("b.v", "module m; wire [`W:0] a;\n ) endmodule")];
    assert!(parse(&sources).unwrap_err().to_string().starts_with("b.v:2:2: expected"));
}

/// The file of a folder that a text includes, beside it or in an include folder; places in it have
/// its name.
#[test]
fn include_brings_in_files_beside_the_source_and_in_folders() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    write("rtl/defs.vh", "`ifndef DEFS\n`define DEFS\n`define INV 1'b1\n`include \"more/width.vh\"\n`endif\n");
    write("include/more/width.vh", "`define W 4\n`default_nettype none\n");
    write("rtl/body.vh", "always @(posedge clk) begin : b integer i; i = a; q <= i; end\n");
    let top = write(
        "rtl/top.v",
        "`include \"defs.vh\"\n`include \"defs.vh\" // twice is no harm\nmodule top(input clk, a, output y, output reg q, p);\n\
         `include \"body.vh\"\n  wire [`W-1:0] w = {`W{a}};\n  assign y = w[3] ^ `INV;\nendmodule\n",
    );
    let folders = [dir.path().join("include")];
    let design = Design::parse_files_with(&[&top], &folders, None).unwrap();
    let mut sim = design.compile(&Options::default().verify(true)).unwrap();
    assert_eq!(sim.get("y").unwrap(), 1);
    sim.set("a", 1).unwrap();
    sim.step().unwrap();
    assert_eq!((sim.get("y").unwrap(), sim.get("q").unwrap()), (0, 1));
    let error = Design::parse_files(&[&top], None).unwrap_err().to_string();
    assert!(error.contains("defs.vh:4:1: the file \"more/width.vh\" is not found"), "{error}");
    assert!(error.contains("include path (-I)"), "{error}");
    // A mistake in an included file is told with that file's name; `default_nettype none holds
    // behind the file that says so.
    write("rtl/body.vh", "\n\n  wire q1 = 1 +;\n");
    let error = Design::parse_files_with(&[&top], &folders, None).unwrap_err().to_string();
    assert!(error.contains("body.vh:3:16: expected an expression"), "{error}");
    write("rtl/body.vh", "assign unheard = a;\n");
    let error = Design::parse_files_with(&[&top], &folders, None).unwrap_err().to_string();
    assert!(error.contains("body.vh:1:8: unheard is not declared"), "{error}");
}

#[test]
fn include_that_never_ends_or_says_nothing_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    write("a.vh", "wire a;\n`include \"b.vh\"\n");
    write("b.vh", "`include \"a.vh\"\n");
    let top = write("t.v", "module t;\n`include \"a.vh\"\nendmodule\n");
    let error = Design::parse_files(&[&top], None).unwrap_err().to_string();
    assert!(error.contains("circular `include") && error.contains("a.vh > ") && error.contains("`ifndef"), "{error}");
    // Guarded, the same files end.
    write("b.vh", "`ifndef B\n`define B\n`include \"a.vh\"\n`endif\n");
    write("a.vh", "`include \"b.vh\"\n");
    Design::parse_files(&[&top], None).unwrap();
    for (text, expected) in [
        ("`include x", "t.v:1:1: expected a file name in quotes after `include"),
        ("`include \"\"", "t.v:1:1: expected a file name in quotes after `include"),
        ("`include \"t.v\" module", "t.v:1:1: nothing else may stand on the line of an `include"),
    ] {
        assert!(message(text).starts_with(expected), "{text}: {}", message(text));
    }
}
