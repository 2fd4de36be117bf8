//! What the tests of linked jobs and of linked scenes share: uses A B A C A of one program, by
//! their uniforms, with variants that run out (LP-14).
//!
//! The test of a kind gives what runs it: settings to output bytes and report. Wrong would be a
//! runner whose outputs do not hang on the uniforms; each kind plants wrong branches against that.

use serde_json::Value;

/// Outputs, and the report, of a run with these settings.
pub type Runner<'a> = &'a dyn Fn(&[&str]) -> (Vec<Vec<u8>>, Value);

/// How often the program is used.
pub const USES: usize = 5;
/// Uniforms of the uses.
pub type Uses = [[f32; 4]; USES];

/// With 1, 2 and 8 variants every use gets what it gets unlinked, and hits and misses are as they
/// must be. The report of the unlinked run, and of each linked one.
pub fn counted(run: Runner) -> (Value, Vec<Value>) {
    let (want, alone) = run(&["--engine", "golden"]);
    assert!(alone["link"].is_null(), "{}", alone["link"]);
    // Hits, misses, variants, and uses without assumptions: with one variant A has it, and B and C
    // share another program.
    let cases = [("1", (3, 2, 1, 2)), ("2", (2, 3, 2, 1)), ("8", (2, 3, 3, 0))];
    let linked = cases.map(|(variants, right)| {
        let set = format!("variants={variants}");
        let (got, report) = run(&["--engine", "golden", "--set", "link=values", "--set", &set]);
        assert!(got == want, "variants={variants}: another output");
        let link = &report["link"];
        let of = |key: &str| link[key].as_u64().unwrap();
        assert_eq!(of("hits") + of("misses"), USES as u64, "{link}");
        assert_eq!((of("hits"), of("misses"), of("variants"), of("over")), right, "variants={variants}");
        report
    });
    (alone, linked.into())
}
