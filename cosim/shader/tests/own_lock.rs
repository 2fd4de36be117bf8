//! The compiler's warning of a lock that a warp has itself (WW-28): where it can be seen it is
//! said, with file, line and column, and correct programs get none.

use quadlock_shader::{compile, CompileRequest, Compiled};

const HEAD: &str = "
@group(0) @binding(0) var<storage, read_write> lock: array<atomic<u32>, 4>;
@group(0) @binding(1) var<storage, read_write> total: array<u32>;
fn take(i: u32) { while (warpLock(&lock[i]) == 0u) {} }
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) g: vec3<u32>) {
";

fn compiled(body: &str, warp_wide: bool) -> Compiled {
    let text = format!("{HEAD}{body}\n}}");
    let mut request = CompileRequest::new("a.wgsl", text.as_bytes());
    request.options.warp_wide = warp_wide;
    compile(&request).unwrap_or_else(|e| panic!("{e}"))
}

/// On a machine with the lock form and on one without.
fn warnings(body: &str) -> Vec<String> {
    let compiled = [true, false].map(|warp_wide| compiled(body, warp_wide));
    assert_eq!(compiled[0].report.warnings, compiled[1].report.warnings);
    assert_eq!(compiled[0].binary.interface.warnings, compiled[0].report.warnings);
    compiled[0].report.warnings.clone()
}

const WAIT: &str = "while (warpLock(&lock[0]) == 0u) {}";
const GIVE: &str = "warpUnlock(&lock[0]);";
const WORK: &str = "total[0] = total[0] + subgroupAdd(1u);";

#[test]
fn ww_28_a_lock_taken_in_both_arms_and_kept_to_the_join_is_warned_of() {
    let found = warnings(&format!("if lane < 2u {{\n{WAIT}\n}} else {{\n{WAIT}\n}}\n{WORK}\n{GIVE}"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("a.wgsl:10:8: lanes of one warp that a branch took apart"), "{found:?}");
    assert!(found[0].contains("a.wgsl:8:8"), "{found:?}");
    // By a function, with a lock of an array, and with three groups.
    let found =
        warnings(&format!("if lane < 2u {{ take(g.x); }} else {{ take(g.x); }} {WORK} warpUnlock(&lock[g.x]);"));
    assert_eq!(found.len(), 1, "{found:?}");
    let found = warnings(&format!(
        "switch lane {{ case 0u: {{ {WAIT} }} case 1u: {{ {WAIT} }} default: {{ {WAIT} }} }} {GIVE}"
    ));
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn ww_28_a_lock_kept_to_the_end_of_some_lanes_is_warned_of() {
    let found = warnings(&format!("if lane < 2u {{\n{WAIT} {WORK} return; }}\n{WAIT} {WORK} {GIVE}"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("a.wgsl:9:8: ") && found[0].contains("a.wgsl:8:8 and keep"), "{found:?}");
}

#[test]
fn ww_28_a_lock_that_is_taken_again_is_warned_of() {
    for body in [
        format!("{WAIT}\n{WAIT}\n{WORK} {GIVE} {GIVE}"),
        format!("if lane < 2u {{\n{WAIT} }}\nif lane >= 2u {{ {WAIT} }} {WORK} {GIVE}"),
        format!("for (var i = 0u; i <= lane; i++) {{\n{WAIT} }} {WORK} {GIVE}"),
    ] {
        let found = warnings(&body);
        assert_eq!(found.len(), 1, "{body}\n{found:?}");
        assert!(found[0].contains("a.wgsl:8:8") || found[0].contains("a.wgsl:7:8"), "{body}\n{found:?}");
        assert!(found[0].contains("with the lock still taken"), "{found:?}");
    }
}

#[test]
fn ww_28_correct_programs_get_no_warning() {
    for body in [
        // Lock, work, unlock; by some lanes; in each arm; one behind the other.
        format!("{WAIT} {WORK} {GIVE}"),
        format!("if lane < 2u {{ {WAIT} {WORK} {GIVE} }}"),
        format!("if lane < 2u {{ {WAIT} {WORK} {GIVE} }} else {{ {WAIT} {WORK} {GIVE} }}"),
        format!("{WAIT} {WORK} {GIVE} {WAIT} {WORK} {GIVE}"),
        format!("for (var i = 0u; i <= lane; i++) {{ {WAIT} {WORK} {GIVE} }}"),
        // All lanes of a warp go the same way.
        format!("if g.x < 2u {{ {WAIT} }} else {{ {WAIT} }} {WORK} {GIVE}"),
        format!("if g.x < 2u {{ {WAIT} }} if g.x >= 2u {{ {WAIT} }} {WORK} {GIVE}"),
        // Who does not get it goes on.
        format!("if lane < 2u {{ if warpLock(&lock[0]) == 1u {{ {WORK} {GIVE} }} }} else if warpLock(&lock[0]) == 1u {{ {WORK} {GIVE} }}"),
        format!("var done = false; while (!done) {{ if warpLock(&lock[0]) == 1u {{ {WORK} {GIVE} done = true; }} }}"),
        // Taken by some and given back by the same, again and again.
        format!("for (var i = 0u; i < 4u; i++) {{ if lane == 0u {{ {WAIT} }} total[i] = i; if lane == 0u {{ {GIVE} }} }}"),
        // Two locks; two that hand work to each other.
        format!("if lane < 2u {{ {WAIT} }} else {{ while (warpLock(&lock[1]) == 0u) {{}} }} {WORK} {GIVE} warpUnlock(&lock[1]);"),
        format!("for (var i = 0u; i < 6u; i++) {{ {WAIT} {WORK} warpUnlock(&lock[1]); }}"),
        // A signal from warp to warp, waited for twice.
        format!("if g.x == 0u {{ {WAIT} {WORK} {WAIT} {WORK} }} else {{ {GIVE} {GIVE} }}"),
        // A mailbox: what a lane that ends has taken, another warp gives back.
        format!("if g.x == 0u {{ if lane < 2u {{ {WAIT} {WORK} return; }} {WAIT} {WORK} }} else {{ {GIVE} {GIVE} }}"),
        format!("if lane < 2u {{ {WAIT} {WORK} {GIVE} return; }} {WAIT} {WORK} {GIVE}"),
        // Some lanes are gone.
        format!("if lane > total[1] {{ return; }} {WAIT} {WORK} {GIVE}"),
    ] {
        let found = warnings(&body);
        assert!(found.is_empty(), "{body}\n{found:?}");
    }
}

#[test]
fn the_report_has_the_warnings() {
    let report = compiled(&format!("{WAIT} {WAIT} {GIVE}"), true).report.to_string();
    assert!(report.contains("warning: a.wgsl:7:"), "{report}");
}
