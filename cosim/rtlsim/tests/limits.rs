//! Short texts that ask for too much: memory, stack or time. Each is refused with a typed error,
//! and what is just inside the limit works. A limit that is forgotten shows as a test that aborts
//! or does not end.

use quadlock_rtlsim::parse::{parse, print};
use quadlock_rtlsim::{Bits, Design, Engine, Error, Options, Source};

fn parsed(text: &str) -> Result<Design, Error> {
    Design::parse(&[Source::new("t.v", text)], None)
}

#[track_caller]
fn refused(text: &str, message: &str) {
    match parsed(text) {
        Ok(_) => panic!("accepted; wanted: {message}"),
        Err(e) => assert!(e.to_string().contains(message), "got: {e}\nwanted: {message}"),
    }
}

/// Memories of 2^21 words of 1,024 bits (256 MiB), each written and read.
fn memories(count: usize) -> String {
    let each = |i: usize| {
        format!(
            "reg [1023:0] m{i} [0:2097151]; always @(posedge clk) m{i}[a] <= {{32{{a}}}}; assign y[{i}] = ^m{i}[a];\n"
        )
    };
    let body: String = (0..count).map(each).collect();
    format!("module t(input clk, input [31:0] a, output [{}:0] y);\n{body}endmodule", count - 1)
}

#[test]
fn a_state_of_more_than_2_gib_is_refused_before_it_is_laid_out() {
    let design = parsed(&memories(8)).expect("each memory is allowed");
    match design.compile(&Options::default().verify(true)) {
        Err(Error::TooLarge(message)) => assert!(message.contains("memory t.m"), "{message}"),
        Err(e) => panic!("{e}"),
        Ok(_) => panic!("compiled with 8 memories of 256 MiB"),
    }
}

#[test]
fn a_memory_of_more_than_256_mib_is_refused_where_it_is_declared() {
    refused(
        "module t(input [7:0] a, output y);\n  reg [1023:0] m [0:16777215]; assign y = ^m[a];\nendmodule",
        "t.v:2:16: memory m has 16777216 words of 1024 bits; at most 2147483648 bits are supported",
    );
}

#[test]
fn vectors_wider_than_65536_bits_are_refused_where_they_are_declared() {
    let wide = |width: usize| {
        format!("module t(input clk, input [7:0] d,\n output reg [{width}:0] q); initial q = 1; always @(posedge clk) q <= q + d; endmodule")
    };
    refused(&wide(65536), "t.v:2:14: range [65536:0] is wider than 65536 bits");
    assert!(parsed(&wide(65535)).is_ok());
    refused(
        "module t(input [7:0] a, output y); wire [7:0] w [0:4096]; assign y = 0; endmodule",
        "array w has 4097 wires; at most 4096",
    );
    refused(
        "module t(input [65535:0] a, output [65535:0] y); assign y = {16{a}} >> 983040; endmodule",
        "a value of 1048576 bits; at most 65536",
    );
}

#[test]
fn the_height_of_the_tree_is_limited() {
    // a chain whose first operand is a chain, and so on: each is short, nesting is moderate
    let chains = |levels: usize, links: usize| {
        let mut e = "a".to_string();
        for _ in 0..levels {
            e = format!("({e}){}", "+a".repeat(links));
        }
        format!("module t(input a, output y); assign y = {e}; endmodule")
    };
    refused(&chains(150, 1900), "chains inside chains with more than 2400 operators");
    refused(&chains(2, 1201), "chains inside chains");
    refused(&chains(1, 2001), "a chain of more than 2000");
    let conditionals = |levels: usize, links: usize| {
        let mut e = "a".to_string();
        for _ in 0..levels {
            e = format!("{}({e})", "a?a:".repeat(links));
        }
        format!("module t(input a, output y); assign y = {e}; endmodule")
    };
    refused(&conditionals(150, 1900), "chains inside chains");
    let ifs = |levels: usize, links: usize| {
        let mut s = "y = a;".to_string();
        for _ in 0..levels {
            s = format!("begin {} {s} end", "if (a) y = 0; else ".repeat(links));
        }
        format!("module t(input a, output reg y); always @* {s} endmodule")
    };
    refused(&ifs(60, 1900), "chains inside chains");
    // what is allowed can be copied, printed, elaborated and dropped on the stack of a test
    for text in [chains(20, 99), chains(1, 1999), conditionals(20, 99), ifs(15, 99)] {
        let tree = parse(&[Source::new("t.v", text.as_str())]).expect("inside the limit");
        assert!(print(&tree.clone()).len() > text.len() / 2);
        parsed(&text).expect("inside the limit");
    }
    parsed(&ifs(1, 1999)).expect("inside the limit");
    // side by side they do not add up
    let sum = vec!["a"; 1500].join("+");
    parsed(&format!("module t(input a, output y); assign y = {{{sum}, {sum}}} ^ {sum}; endmodule")).expect("flat");
}

#[test]
fn continued_lines_and_growing_macros() {
    let lines = "\\\n".repeat(300_000);
    parsed(&format!("`define m {lines} a\nmodule t(input a, output y); assign y = {lines}`m; endmodule"))
        .expect("lines");
    for body in ["a", ""] {
        let mut text = format!("`define m0 {body}\n");
        for i in 0..30 {
            text += &format!("`define m{} `m{i} `m{i}\n", i + 1);
        }
        refused(
            &format!("{text}module t(input a, output y); assign y = `m30; endmodule"),
            "macros expand to more than",
        );
    }
}

#[test]
fn bounds_inside_bounds() {
    let bounds = |depth: usize| {
        let e = (0..depth).fold("0".to_string(), |e, _| format!("p[{e}:0]"));
        format!("module t(output [7:0] y); parameter [7:0] p = 0; assign y = {e}; endmodule")
    };
    parsed(&bounds(4)).expect("four levels");
    refused(&bounds(150), "nesting is not supported: bounds and counts inside bounds and counts");
    let counts = (0..40).fold("1".to_string(), |e, _| format!("{{{{{e}{{1'b1}}}},{{1'b0}}}}"));
    refused(&format!("module t(output [7:0] y); assign y = {counts}; endmodule"), "bounds and counts");
}

#[test]
fn long_decimal_numbers() {
    let sim = |digits: &str, bit: u32| {
        let text = format!("module t(output [{bit}:0] y); assign y = {digits}; endmodule");
        let options = Options::default().engine(Engine::Interpreted);
        parsed(&text).and_then(|d| d.compile(&options)).and_then(|mut s| s.get_bits("y"))
    };
    let power = sim("170_141_183_460_469_231_731_687_303_715_884_105_728", 127).expect("2^127");
    assert_eq!(power, Bits::new(128, 1).shl(127));
    let nines = sim(&"9".repeat(38), 126).expect("38 digits");
    assert_eq!(nines, Bits::from_limbs(127, &[0x098a_223f_ffff_ffff, 0x4b3b_4ca8_5a86_c47a]));
    sim(&"7".repeat(262_144), 63).expect("as long as allowed");
    refused(&format!("module t(output y); assign y = {}; endmodule", "7".repeat(262_145)), "this number is too long");
}

#[test]
fn rounds_of_nested_loops_add_up() {
    let loops = |rounds: u32| {
        format!(
            "module t(output reg [7:0] y); integer i, j;
               always @* begin y = 1; for (i = 0; i < {rounds}; i = i + 1) for (j = 0; j < {rounds}; j = j + 1) ; end endmodule"
        )
    };
    parsed(&loops(30)).expect("few");
    refused(&loops(1 << 18), "inner loops included");
}

#[test]
fn wide_products_are_refused_and_narrower_ones_right() {
    refused(
        "module t(input [65535:0] a, b, output [65535:0] y);\n  assign y = a * b;\nendmodule",
        "t.v:2:14: product, quotient or power of 65536 bits is not supported: at most 4096 bits",
    );
    refused("module t(output y); assign y = (20'h7 << 3) / 1048576'h3; endmodule", "product, quotient or power");
    let text = "module t(input [1023:0] a, b, output [1023:0] p, output [2999:0] c, output [4095:0] r);
        assign p = a * b; assign c = {a[6:0], {300{b[8:0]}}, a[99:0], b[72:0], a[119:0]}; assign r = {{32{a[63:0]}}, {2048{b[0]}}};
        endmodule";
    let design = parsed(text).expect("inside the limit");
    let limbs = |k: u64| (1..17).map(|i: u64| i.wrapping_mul(k).rotate_left(i as u32)).collect::<Vec<_>>();
    let run = |engine| {
        let mut sim =
            design.compile(&Options::default().verify(true).engine(engine).optimize(false)).expect("compiles");
        sim.set_bits("a", &Bits::from_limbs(1024, &limbs(0x9e37_79b9_7f4a_7c15))).expect("an input");
        sim.set_bits("b", &Bits::from_limbs(1024, &limbs(0xd1b5_4a32_d192_ed03))).expect("an input");
        ["p", "c", "r"].map(|name| sim.get_bits(name).expect("an output"))
    };
    assert_eq!(run(Engine::Compiled), run(Engine::Interpreted));
}

#[test]
fn addresses_at_the_end_of_the_numbers() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("m.hex"), "@7fffffffffffffff 1 2").expect("written");
    for range in ["0:3", "-4:-1"] {
        let text = format!(
            "module t(input [1:0] a, output y); reg m [{range}]; initial $readmemh(\"m.hex\", m); assign y = m[a]; endmodule"
        );
        let got = Design::parse(&[Source::new(dir.path().join("t.v").display().to_string(), text)], None);
        assert!(
            matches!(&got, Err(Error::Io { message, .. }) if message.contains("outside memory")),
            "{:?}",
            got.err()
        );
    }
}
