//! This crate against Icarus Verilog and Verilator on random modules (`quadlock_rtlsim::random`),
//! and the cases where a peer is wrong, pinned to what the standard (IEEE 1364-2005) says. Without
//! a peer the rest is still compared with each other and a message says so; with
//! QUADLOCK_REQUIRE_PEERS=1 its absence fails.

use std::panic::{catch_unwind, AssertUnwindSafe};

use quadlock_rtlsim::elaborate::elaborate;
use quadlock_rtlsim::parse::{parse, print, set_spans};
use quadlock_rtlsim::random::{random_module, run_ours, shrink, stimulus, Campaign, Outcome, Peer, Runner};
use quadlock_rtlsim::{Bits, Design, Engine, Options, Source};
use quadlock_testkit::peers::missing;

/// Modules of the big comparison.
const MODULES: u64 = 300;

#[test]
fn random_modules_run_the_same_everywhere() {
    for peer in [Peer::Icarus, Peer::Verilator] {
        if peer.version().is_none() {
            missing(&format!("{peer:?}"));
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let modules = quadlock_testkit::tier::cases(40, MODULES);
    let campaign = Campaign {
        modules,
        seed: 0,
        batch: 100,
        steps: 32,
        dir: dir.path().to_path_buf(),
        runners: Runner::all(),
        shrink: false,
    };
    let mut text = String::new();
    let outcome = campaign.run(&mut |t| text.push_str(t));
    assert_eq!((outcome.modules, outcome.failures), (modules, 0), "{text}");
    eprint!("{text}");
    outcome.verdict().unwrap_or_else(|why| panic!("{why}: {text}"));
}

#[test]
fn a_peer_outvoted_too_often_is_a_failure() {
    let outcome = |failures, outvoted, refused| Outcome { modules: 300, failures, outvoted, refused }.verdict();
    assert_eq!(outcome(0, 6, 30), Ok(()));
    assert!(outcome(1, 0, 0).unwrap_err().contains("1 of 300 modules differ"));
    assert!(outcome(0, 7, 0).unwrap_err().contains("7 of 300"));
    assert!(outcome(0, 0, 31).unwrap_err().contains("refused"));
}

#[test]
fn random_modules_survive_printing_and_follow_from_their_seed() {
    for seed in 0..100 {
        let mut module = random_module(seed);
        assert_eq!(module, random_module(seed));
        let text = print(&module.ast);
        let mut again = parse(&[Source::new("t.v", text.as_str())]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for ast in [&mut module.ast, &mut again] {
            ast.modules.iter_mut().for_each(|m| set_spans(m, Default::default()));
        }
        assert_eq!(again, module.ast, "{text}");
    }
}

/// The comparison must be able to fail: an engine that computes `>>>` as `>>` is found out, and the
/// module is shrunk to little more than that operator.
#[test]
fn a_planted_difference_is_found_and_shrunk() {
    let steps = stimulus(0, 16);
    let plain = Options::default().engine(Engine::Interpreted);
    let mut differs = |list: &[quadlock_rtlsim::random::RandomModule]| -> Vec<bool> {
        let one = |m: &quadlock_rtlsim::random::RandomModule| {
            let text = print(&m.ast).replace(">>>", ">>");
            let mut wrong = m.clone();
            wrong.ast = parse(&[Source::new("t.v", text)]).ok()?;
            Some(run_ours(m, &steps, &plain).ok()? != run_ours(&wrong, &steps, &plain).ok()?)
        };
        list.iter().map(|m| one(m).unwrap_or(false)).collect()
    };
    let module =
        (0..200).map(random_module).find(|m| differs(std::slice::from_ref(m))[0]).expect("200 modules, no >>>");
    let small = shrink(&module, &mut differs);
    let (before, after) = (print(&module.ast), print(&small.ast));
    assert!(after.contains(">>>") && after.len() < 300, "{before}\nshrunk to\n{after}");
    assert!(differs(std::slice::from_ref(&small))[0]);
}

/// A case that a peer gets wrong.
struct Pinned {
    name: &'static str,
    text: &'static str,
    inputs: &'static [(&'static str, u64)],
    /// Output and value by the standard.
    expected: &'static [(&'static str, &'static str)],
}

const PINNED: &[Pinned] = &[
    Pinned {
        name: "Icarus 11 divides operands of more than 64 bits wrongly",
        text: "module t(input [1:0] d, output [64:0] q, output [111:0] r); \
               assign q = (~1'h0) / (d + 65'h1); assign r = {112{1'b1}} / (d + 112'h1); endmodule",
        inputs: &[("d", 0)],
        expected: &[("q", "65'h1ffffffffffffffff"), ("r", "112'hffffffffffffffffffffffffffff")],
    },
    Pinned {
        name: "Icarus 11 does not extend the sign of an expression connected to a wider port",
        text: "module c(input signed [34:0] i, output signed [39:0] o); assign o = i; endmodule \
               module t(input signed [3:0] a, input [1:0] n, output [39:0] q); c u(.i(a >>> n), .o(q)); endmodule",
        inputs: &[("a", 8), ("n", 1)],
        expected: &[("q", "40'hfffffffffc")],
    },
    Pinned {
        name: "Icarus 11 extends the sign of a part select of the whole of a signed vector at a port; a part select is unsigned",
        text: "module c(input signed [20:0] i, output [20:0] o); assign o = i; endmodule \
               module t(input signed [2:0] a, output [20:0] q); c u(.i(a[2 -: 3]), .o(q)); endmodule",
        inputs: &[("a", 5)],
        expected: &[("q", "21'h5")],
    },
    Pinned {
        // Module of seed 4481: IEEE 1364-2005 5.5.1 has part selects unsigned, whole vector or not,
        // and 5.1.12 has every amount unsigned. Icarus 11 shifts by -1 in a process (not in an
        // assign); Verilator 5.006 shifts by 3.
        name: "Icarus 11 takes a part select of the whole of a signed vector as a negative shift amount in a process",
        text: "module t(input signed [1:0] i, output reg [3:0] q, output reg [3:0] r); \
               always @(*) begin q = 4'h1 << i[1:0]; r = 4'h1 << i; end endmodule",
        inputs: &[("i", 3)],
        expected: &[("q", "4'h8"), ("r", "4'h8")],
    },
    Pinned {
        name: "Verilator 5.006 wraps indices of targets that are outside the vector; such writes do nothing",
        text: "module t(input [5:0] k, output reg [5:0] a, output reg [5:0] b, output reg [47:3] c); \
               always @(*) begin a = 0; a[k] = 1; b = 0; b[k +: 3] = 7; c = 0; c[k - 6'd8 -: 1] = 1; end endmodule",
        inputs: &[("k", 8)],
        expected: &[("a", "6'h0"), ("b", "6'h0"), ("c", "45'h0")],
    },
    Pinned {
        name: "Verilator 5.006 finds a signed 0 that is a remainder of a constant 0 not to be >= 0",
        text: "module t(input signed [8:0] i, output q); wire signed [5:0] w = 1'h0 % ((i && 29) | 2'h1); \
               assign q = w >= 0; endmodule",
        inputs: &[("i", 3)],
        expected: &[("q", "1'h1")],
    },
    Pinned {
        name: "Verilator 5.006 compares each label of a case in a sign of its own; one unsigned label makes all unsigned",
        text: "module t(input signed [1:0] i, output reg q); \
               always @(*) case (i) 4'h1: q = 0; 2'sh2: q = 1; default: q = 0; endcase endmodule",
        inputs: &[("i", 2)],
        expected: &[("q", "1'h1")],
    },
    Pinned {
        name: "a signed casez label extends its top z (the comparison found that elaboration did not)",
        text: "module t(input signed i, output reg q, output reg r); always @(*) begin \
               casez (i) 1'sb?: q = 1; 3'sh0: q = 0; default: q = 0; endcase \
               casez ({i}) 1'sb?: r = 1; 3'h7: r = 0; default: r = 0; endcase end endmodule",
        inputs: &[("i", 1)],
        expected: &[("q", "1'h1"), ("r", "1'h1")],
    },
];

#[test]
fn where_a_peer_is_wrong_the_standard_is_kept() {
    for case in PINNED {
        let sources = [Source::new("t.v", case.text)];
        let graph = elaborate(&parse(&sources).unwrap(), &sources, Some("t")).unwrap();
        let design = Design::from_graph(graph).unwrap();
        for engine in [Engine::Interpreted, Engine::Compiled] {
            let mut sim = design.compile(&Options::default().verify(true).engine(engine)).unwrap();
            case.inputs.iter().for_each(|(name, value)| sim.set(name, *value).unwrap());
            sim.eval().unwrap();
            for (name, value) in case.expected {
                let found: Bits = sim.get_bits(&format!("t.{name}")).unwrap();
                assert_eq!(found.to_string(), *value, "{}: {name} in {engine:?}", case.name);
            }
        }
    }
}

#[test]
fn engines_do_not_panic_on_random_modules() {
    let steps = stimulus(1, 8);
    for seed in 1000..1040 {
        let module = random_module(seed);
        for runner in [Runner::Plain, Runner::Interpreted, Runner::Compiled, Runner::CompiledPlain, Runner::Replanned] {
            let dir = std::path::Path::new("");
            let result = catch_unwind(AssertUnwindSafe(|| runner.run(std::slice::from_ref(&module), &steps, dir)));
            match result {
                Ok(list) => assert!(list[0].is_ok(), "seed {seed}, {runner:?}: {:?}", list[0]),
                Err(_) => panic!("seed {seed}, {runner:?} panicked"),
            }
        }
    }
}
