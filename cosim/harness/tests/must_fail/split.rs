//! Planted faults of the compiler in programs with a split point (MS-42, MS-43): the checker of
//! finished code finds each by the rule that the row names. Each fault is a test of its own, named
//! after it; without the fault the program keeps all rules.

use quadlock_shader::back::merge_check;
use quadlock_shader::back::split_check::{check, points, Rule};
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::Options;

use super::merge::fragment_of;

/// `fault => rule, body of a fragment program;`. Makes the tests.
macro_rules! faults {
    ($($fault:ident => $rule:expr, $body:expr;)+) => {
        #[test]
        fn every_fault_of_splitting_has_a_row() {
            let rows = [$(stringify!($fault)),+].map(|name| name.replace('_', "-"));
            for (_, name, _) in CompilerFault::ALL.iter().filter(|f| f.0.is_of_splitting()) {
                assert!(rows.iter().any(|row| row == name), "no row for {name}");
            }
        }

        $(
            #[test]
            fn $fault() {
                found(&stringify!($fault).replace('_', "-"), $rule, $body);
            }
        )+
    };
}

faults! {
    split_too_late => Rule::Sample, "";
    split_private_live => Rule::Gone, "";
    split_public_write => Rule::PublicWrite, "";
    split_in_loop => Rule::Loop, "for (var i = 0u; i < u32(v.x); i++) { c.x += sin(c.x) + v.y; }";
}

/// The rule is kept without the fault and broken with it.
fn found(name: &str, rule: Rule, body: &str) {
    let fault = CompilerFault::by_name(name).expect("a fault");
    let (code, cutoff) = compiled(body, None);
    assert!(!points(&code).is_empty(), "{name}: no split point");
    assert_eq!(check(&code, cutoff, 0), [], "{name}, without the fault");
    let (code, cutoff) = compiled(body, Some(fault));
    let wrong = check(&code, cutoff, 0);
    assert!(wrong.iter().any(|w| w.rule == rule), "{name}: {wrong:?}");
}

/// Instruction words and cutoff.
fn compiled(body: &str, fault: Option<CompilerFault>) -> (Vec<u64>, u32) {
    let text = format!(
        "struct V {{ @builtin(position) p: vec4f, @location(0) v: vec2f }}
@vertex fn v(@location(0) p: vec2f) -> V {{ return V(vec4f(p, 0.5, 1.0), p * 9.0); }}
@fragment fn f(@location(0) v: vec2f, @builtin(sample_index) s: u32) -> @location(0) vec4f {{
    var c = vec4f();
    c.y = sin(v.x) * cos(v.y) + sqrt(abs(v.x));
    {body}
    c.z = exp2(c.y) * v.y + log2(abs(v.x) + 1.0);
    let t = f32(s) * 0.25 + c.x;
    return c * t + vec4f(sqrt(t), t * t, v * t);
}}"
    );
    let both = fault.is_some_and(CompilerFault::is_of_both);
    let options = Options { split: true, merge: both, merge_split: both, fault, ..Options::default() };
    fragment_of(&text, 4, options)
}

/// MS-42: a merge point behind the split point.
#[test]
fn both_order() {
    let body = "c.x = dpdx(v.x * v.y); c.y = sqrt(abs(c.y)) * sqrt(abs(v.y)) / (c.y * c.y + 1.5);
    c.y = sqrt(abs(c.y + v.x)) / (c.y + 1.5) * sin(c.y + v.y);";
    let (code, cutoff) = compiled(body, Some(CompilerFault::BothOrder));
    let public = ((1u64 << cutoff) - 1) as u32;
    let wrong = merge_check::check_before_split(&code, public);
    assert!(wrong.iter().any(|w| w.rule == merge_check::Rule::Order), "{wrong:?}");
}
