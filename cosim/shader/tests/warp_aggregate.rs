//! Atomics that the compiler makes warp-wide by itself (WW-41), from source to the golden model:
//! each edge case by name, and random shaders whose results must be those of some order of the
//! atomics.

use crate::common::{compiled, run};
use quadlock_isa::decode;
use quadlock_shader::{Compiled, Options};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A shader with counters `c`, results `out`, the number in the launch `id` and in the group `li`.
fn shader(size: u32, body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> c: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> s: array<atomic<i32>>;
var<workgroup> w: atomic<u32>;
@compute @workgroup_size({size}) fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) li: u32,
    @builtin(workgroup_id) g: vec3<u32>) {{
    let id = gid.x;
    {body}
}}"
    )
}

fn build(body: &str) -> Compiled {
    compiled("a.wgsl", &shader(8, body), Options::default())
}

/// What the report says of each atomic.
fn notes(c: &Compiled) -> Vec<&str> {
    c.report.atomics.iter().map(|a| a.1.as_str()).collect()
}

fn note(body: &str) -> String {
    let c = build(body);
    assert_eq!(c.report.atomics.len(), 1, "{}", c.report);
    notes(&c)[0].to_string()
}

/// Counters, results and signed counters after `groups` groups.
fn results(c: &Compiled, groups: u32, counters: &[u32], out: usize, signed: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let words: [Vec<u32>; 3] = [counters.to_vec(), vec![0; out], signed.to_vec()];
    let buffers: Vec<(u32, Vec<u32>)> = (0..).zip(words.clone()).collect();
    let r = run(c, [groups, 1, 1], &buffers);
    let of = |b: u32| r.buffers.iter().find(|x| x.0 == b).map_or(words[b as usize].clone(), |x| x.1.clone());
    (of(0), of(1), of(2))
}

fn sorted(mut v: Vec<u32>) -> Vec<u32> {
    v.sort_unstable();
    v
}

#[test]
fn a_counter_gives_every_invocation_a_number_of_its_own() {
    let c = build("out[id] = atomicAdd(&c[0], 1u);");
    assert_eq!(notes(&c), ["warp-wide: add, reduction and scan (4 lanes expected)"]);
    for name in ["WATOM32.ADD", "WRED.ADD", "WSCAN.ADD"] {
        assert_eq!(c.asm.matches(name).count(), 1, "{}", c.asm);
    }
    let (counters, out, _) = results(&c, 5, &[0], 40, &[]);
    assert_eq!((counters, sorted(out)), (vec![40], (0..40).collect()));
}

#[test]
fn the_report_names_place_and_reason() {
    let text = build("out[id] = atomicAdd(&c[0], 1u);\natomicMax(&c[id], 3u);").report.to_string();
    assert!(text.contains("atomic at a.wgsl:8:15: warp-wide: add, reduction and scan"), "{text}");
    assert!(text.contains("atomic at a.wgsl:9:1: per lane: the address differs between lanes"), "{text}");
    assert!(text.contains("warp-aggregate     1        1"), "{text}");
}

#[test]
fn a_partial_warp_is_counted_exactly() {
    let c = compiled("a.wgsl", &shader(6, "out[id] = atomicAdd(&c[0], 1u);"), Options::default());
    let (counters, out, _) = results(&c, 3, &[7], 18, &[]);
    assert_eq!((counters, sorted(out)), (vec![25], (7..25).collect()));
}

#[test]
fn result_unused_needs_no_scan() {
    let c = build("atomicAdd(&c[0], id);");
    assert_eq!(notes(&c), ["warp-wide: add, reduction; no scan, the result is not used (4 lanes expected)"]);
    assert!(!c.asm.contains("WSCAN"), "{}", c.asm);
    assert_eq!(results(&c, 4, &[5], 0, &[]).0, [5 + (0..32).sum::<u32>()]);
}

#[test]
fn one_operand_for_all_lanes_needs_no_reduction() {
    assert!(note("atomicOr(&c[0], 1u << (li >> 2u));").contains("no reduction, one operand for all lanes"));
    assert!(note("atomicMax(&c[0], g.x);").contains("no reduction"));
    assert!(note("atomicXor(&c[0], 1u);").contains("xor, reduction"));
    let c = build("atomicOr(&c[0], 1u << (id >> 2u)); atomicXor(&c[1], 1u + id); atomicMin(&c[2], 100u - g.x);");
    let xor = (0..40).fold(9, |x, i| x ^ (1 + i));
    assert_eq!(results(&c, 5, &[0, 9, 500], 0, &[]).0, [0x3FF, xor, 96]);
}

#[test]
fn subtraction_is_an_addition_scan() {
    let c = build("out[id] = atomicSub(&c[0], 3u);");
    assert!(notes(&c)[0].starts_with("warp-wide: subtract, reduction and scan"));
    assert!(c.asm.contains("WATOM32.SUB") && c.asm.contains("WSCAN.ADD") && c.asm.contains("WRED.ADD"), "{}", c.asm);
    let (counters, out, _) = results(&c, 4, &[20], 32, &[]);
    assert_eq!(counters, [20u32.wrapping_sub(96)]);
    assert_eq!(sorted(out), sorted((0..32).map(|i| 20u32.wrapping_sub(3 * i)).collect()));
}

#[test]
fn exchange_only_with_uniform_data() {
    assert_eq!(note("out[id] = atomicExchange(&c[0], id);"), "per lane: an exchange of data that differ between lanes");
    let c = build("out[id] = atomicExchange(&c[0], 100u + (id >> 2u));");
    assert!(notes(&c)[0].starts_with("warp-wide: exchange, scan"));
    let (counters, out, _) = results(&c, 4, &[7], 32, &[]);
    // Of each warp's four one got what was there before and three the warp's own datum.
    let mut all = out.clone();
    all.extend(&counters);
    let mut want = vec![7];
    want.extend((0..32).map(|i| 100 + (i >> 2)));
    assert_eq!(sorted(all), sorted(want));
    assert!(out.chunks(4).zip(100..).all(|(w, datum)| w[0] != datum && w[1..].iter().all(|x| *x == datum)), "{out:?}");
}

#[test]
fn a_lock_by_exchange_is_left_alone() {
    let c = build("loop { if (atomicExchange(&c[0], 1u) == 0u) { break; } }");
    assert_eq!(notes(&c), ["per lane: an exchange whose result decides whether a loop goes on (a lock)"]);
}

/// The result reaches the condition through variables, or by deciding which value a variable gets,
/// or by deciding whether the loop's exit is come to.
#[test]
fn so_is_one_whose_result_goes_through_variables() {
    let left = "per lane: an exchange whose result decides whether a loop goes on (a lock)";
    for body in [
        "var done = false; var t = 0u;
         while (!done) {
             let o = atomicExchange(&c[2], 1u);
             if (o == 0u) { out[3] += 1u; atomicStore(&c[2], 0u); }
             var x = 0u;
             if (t > 100u) { x = 1u; out[5] += 1u; } else { x = o; }
             done = x == 0u; t++;
         }",
        "var done = false; var tries = 0u;
         loop {
             if (atomicExchange(&c[0], 1u) != 0u) { tries++; }
             else { out[4] += 1u; atomicStore(&c[0], 0u); done = true; }
             if (done) { break; }
         }
         out[li] = tries;",
        "loop { if (atomicExchange(&c[0], 1u) == 0u) { out[4] += 1u; if (out[5] == 0u) { break; } } }",
    ] {
        assert_eq!(note(body), left, "{body}");
    }
    // This one counts; what it finds is only written down.
    let counted = "for (var k = 0u; k < out[0]; k++) { if (atomicExchange(&c[0], k) == 0u) { out[li + 1u] = k; } }";
    assert!(note(counted).starts_with("warp-wide: exchange"));
}

#[test]
fn compare_and_exchange_is_left_alone() {
    assert_eq!(note("out[id] = atomicCompareExchangeWeak(&c[0], 5u, id).old_value;"), "per lane: compare and exchange");
}

/// The sum depends on the order of the additions, so nobody may choose another one.
#[test]
fn float_sums_are_never_reassociated() {
    let c = build(
        "var old = atomicLoad(&c[0]);
        loop {
            let r = atomicCompareExchangeWeak(&c[0], old, bitcast<u32>(bitcast<f32>(old) + 0.1));
            if (r.exchanged) { break; }
            old = r.old_value;
        }",
    );
    assert!(notes(&c).iter().all(|n| *n == "per lane: compare and exchange"), "{}", c.report);
    assert!(!c.asm.contains("WATOM"));
    let want = (0..16).fold(0.0f32, |x, _| x + 0.1);
    assert_eq!(results(&c, 2, &[0], 0, &[]).0, [want.to_bits()]);
}

#[test]
fn already_guarded_by_a_number_is_left_alone() {
    for guard in ["li == 0u", "li == 5u", "id == 3u", "li == g.x", "li < 1u", "(li == 2u) && (g.x > 1u)", "!(li != 1u)"]
    {
        let text = note(&format!("if ({guard}) {{ atomicAdd(&c[0], id); }}"));
        assert_eq!(text, "per lane: one lane only comes here", "{guard}");
    }
    // Not one lane: no guard at all, the others, a number that several lanes share.
    for guard in ["li != 0u", "g.x == 0u", "(li >> 2u) == 1u"] {
        let text = note(&format!("if ({guard}) {{ atomicAdd(&c[0], id); }}"));
        assert!(text.starts_with("warp-wide"), "{guard}: {text}");
    }
}

#[test]
fn already_guarded_by_elect_is_left_alone() {
    let text = "per lane: one lane only comes here";
    assert_eq!(note("if (subgroupElect()) { atomicAdd(&c[0], id); }"), text);
    assert_eq!(note("if (subgroupElect() && g.x > 1u) { atomicAdd(&c[0], id); }"), text);
    assert_eq!(note("if (li == subgroupMin(li)) { atomicAdd(&c[0], id); }"), text);
    assert!(note("if (!subgroupElect()) { atomicAdd(&c[0], id); }").starts_with("warp-wide"));
    let glsl = "#version 450
        #extension GL_KHR_shader_subgroup_basic : require
        layout(local_size_x = 8) in;
        layout(std430, binding = 0) buffer C { uint c[]; };
        void main() { if (subgroupElect()) atomicAdd(c[0], gl_GlobalInvocationID.x); }";
    assert_eq!(notes(&compiled("a.comp", glsl, Options::default())), [text]);
}

#[test]
fn single_invocation_groups_are_left_alone() {
    let c = compiled("a.wgsl", &shader(1, "atomicAdd(&c[0], 1u);"), Options::default());
    assert_eq!(notes(&c), ["per lane: one invocation in a work group"]);
}

/// A turn costs less there, so fewer lanes or a scan do not pay (WW-26, WW-41).
#[test]
fn ww26_atomics_on_work_group_memory_are_taken_where_it_pays() {
    let c = build("atomicAdd(&w, id); workgroupBarrier(); out[id] = atomicLoad(&w);");
    let text = "warp-wide: add, reduction; no scan, the result is not used (4 lanes expected)";
    assert!(notes(&c).contains(&text), "{}", c.report);
    assert_eq!(c.asm.matches("WATOMS32.ADD").count(), 1, "{}", c.asm);
    let (_, out, _) = results(&c, 3, &[0], 24, &[0]);
    for (group, out) in out.chunks(8).enumerate() {
        assert_eq!(out, [(8 * group as u32..8 * group as u32 + 8).sum::<u32>(); 8]);
    }
    let c = build("let old = atomicMax(&w, id * 0u + 7u); workgroupBarrier(); out[id] = old + atomicLoad(&w) * 100u;");
    assert!(c.asm.contains("WATOMS32.UMAX"), "{}\n{}", c.report, c.asm);
    let (_, out, _) = results(&c, 1, &[0], 8, &[0]);
    assert!(out.iter().all(|&x| x == 700 || x == 707), "{out:?}");
    assert!(out.contains(&700));
    assert_eq!(note("out[id] = atomicAdd(&w, 1u);"), "per lane: too few lanes expected to gain (4)");
    assert_eq!(note("if (out[id] > 77u) { atomicAdd(&w, id); }"), "per lane: too few lanes expected to gain (2)");
}

#[test]
fn few_lanes_do_not_pay() {
    assert_eq!(note("if (out[id] == 77u) { atomicAdd(&c[0], 1u); }"), "per lane: too few lanes expected to gain (1)");
    assert!(note("if (out[id] != 77u) { atomicAdd(&c[0], 1u); }").ends_with("(4 lanes expected)"));
    let half = "warp-wide: add, reduction; no scan, the result is not used (2 lanes expected)";
    assert_eq!(note("if (out[id] > 77u) { atomicAdd(&c[0], 1u); }"), half);
    let nested = "if (out[id] > 77u) { out[id] = 1u; if (out[id + 8u] > 7u) { atomicAdd(&c[0], 1u); } }";
    assert_eq!(note(nested), "per lane: too few lanes expected to gain (1)");
    // Bounds split one warp of the launch.
    assert!(note("if (id < arrayLength(&out)) { atomicAdd(&c[0], 1u); }").ends_with("(4 lanes expected)"));
    assert!(note("if (id >= out[0]) { return; } atomicAdd(&c[0], 1u);").ends_with("(4 lanes expected)"));
    assert!(note("if (li < 2u) { atomicAdd(&c[0], 1u); }").ends_with("(2 lanes expected)"));
    // The bounds of a picture: neither takes lanes of a warp apart but at the edge; a branch on
    // data behind them still pays.
    let bounds = "if (id < out[0] && g.y < out[1]) { atomicAdd(&c[0], 1u); }";
    assert!(note(bounds).ends_with("(4 lanes expected)"), "{}", note(bounds));
    let outside = "if (id >= out[0] || g.y >= out[1]) { return; } atomicAdd(&c[0], 1u);";
    assert!(note(outside).ends_with("(4 lanes expected)"), "{}", note(outside));
    assert_eq!(note("if (id < out[0] && g.y < out[1]) { if (out[id] > 5u) { atomicAdd(&c[0], 1u); } }"), half);
    assert_eq!(note("if (id < out[0] && out[id] > 5u) { atomicAdd(&c[0], 1u); }"), half);
    assert_eq!(
        note("if (out[id] > 5u && out[id + 1u] > 5u) { atomicAdd(&c[0], 1u); }"),
        "per lane: too few lanes expected to gain (1)"
    );
}

#[test]
fn it_is_switched_off_by_option_and_by_name() {
    let source = shader(8, "out[id] = atomicAdd(&c[0], 1u);");
    let off = Options { warp_wide: false, ..Options::default() };
    let skipped = Options { skip_passes: vec!["warp-aggregate".into()], ..Options::default() };
    for options in [off, skipped] {
        let c = compiled("a.wgsl", &source, options);
        assert_eq!(notes(&c), ["per lane: the automatic form is switched off"]);
        assert!(!c.asm.contains("WATOM") && c.asm.contains("ATOM32.ADD"), "{}", c.asm);
        assert_eq!(sorted(results(&c, 3, &[0], 24, &[]).1), (0..24).collect::<Vec<u32>>());
    }
}

/// Without the instructions a function of the warp is an atomic of one lane, and that is what is
/// said of it.
#[test]
fn functions_of_the_warp_without_instructions_are_done_by_the_lowest_lane() {
    let body = "warpAtomicAdd(&c[0], 1u); atomicAdd(&c[1], 1u); if (subgroupElect()) { atomicAdd(&c[2], 1u); }
        while (warpLock(&c[3]) == 0u) {} warpUnlock(&c[3]);";
    let c = compiled("a.wgsl", &shader(8, body), Options { warp_wide: false, ..Options::default() });
    let (once, off) =
        ("once, by the lowest lane: no warp-wide instructions", "per lane: the automatic form is switched off");
    assert_eq!(notes(&c), [once, off, off, once, once]);
    assert_eq!(results(&c, 3, &[0; 4], 24, &[]).0, [6, 24, 6, 0]);
}

/// Lanes that leave the loop by `return` go past the barrier at which those wait that leave it by
/// `break`; behind it they meet again in code that the two groups come to with other words in
/// memory.
#[test]
fn a_loop_with_one_exit_before_a_barrier_and_one_behind_it_is_not_in_step() {
    let source = "@group(0) @binding(0) var<storage, read_write> c: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
fn f(li: u32, n: u32) {
    var i = 0u;
    loop {
        if (i >= n) { return; }
        if (li == i) { break; }
        i++;
    }
    workgroupBarrier();
}
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) li: u32) {
    f(li, out[15]);
    let x = atomicLoad(&c[0]);
    if (x == 0u) { atomicStore(&c[0], 1u); workgroupBarrier(); }
    out[li] = atomicAdd(&c[1u + x], 1u);
}";
    let mut out = vec![0; 16];
    out[15] = 2;
    let c = compiled("b.wgsl", source, Options::default());
    let place = "lanes of different turns of a loop may meet, so the address may differ between lanes";
    assert_eq!(notes(&c), [format!("per lane: {place}")]);
    let r = run(&c, [1; 3], &[(0, vec![0; 4]), (1, out)]);
    assert_eq!((r.buffer(0), &r.buffer(1)[..4]), (&[1, 2, 2, 0][..], &[0, 1, 0, 1][..]));
}

/// The number of turns differs, so the address behind the loop does, though it is one in each turn.
#[test]
fn the_counter_of_a_loop_with_divergent_exit_is_no_address() {
    let body = "var k = 0u;
        loop { if (out[id] <= k) { break; } atomicAdd(&c[k & 7u], 1u); k++; }
        atomicAdd(&c[8u + (k & 7u)], 1u);";
    let c = build(body);
    assert!(notes(&c)[0].starts_with("warp-wide: add") && notes(&c)[0].ends_with("(2 lanes expected)"), "{}", c.report);
    assert_eq!(notes(&c)[1], "per lane: the address differs between lanes");
    let turns: Vec<u32> = (0..16).map(|i| i * 5 % 7).collect();
    let r = run(&c, [2, 1, 1], &[(0, vec![0; 16]), (1, turns.clone()), (2, vec![])]);
    let mut want = vec![0; 16];
    for t in turns {
        (0..t).for_each(|k| want[k as usize] += 1);
        want[8 + t as usize] += 1;
    }
    assert_eq!(r.buffer(0), want);
}

#[test]
fn a_histogram_with_one_bin_for_each_warp_and_one_with_a_bin_for_each_lane() {
    let c = build("atomicAdd(&c[id >> 2u], 1u); atomicAdd(&c[16u + (out[id] & 7u)], 1u);");
    assert_eq!(
        notes(&c),
        [
            "warp-wide: add, reduction; no scan, the result is not used (4 lanes expected)",
            "per lane: the address differs between lanes"
        ]
    );
    let data: Vec<u32> = (0..40).map(|i| i * i + 3).collect();
    let r = run(&c, [5, 1, 1], &[(0, vec![0; 24]), (1, data.clone()), (2, vec![])]);
    let mut want = vec![0; 24];
    want[..10].fill(4);
    data.iter().for_each(|d| want[16 + (*d & 7) as usize] += 1);
    assert_eq!(r.buffer(0), want);
}

/// Signed and unsigned extremes and wrapping sums.
#[test]
fn integers_are_exact() {
    let c = build(
        "let x = id * 0x9E3779B9u + 77u;
        atomicAdd(&c[0], x); atomicMax(&c[1], x); atomicMin(&c[2], x); atomicAnd(&c[3], x | 0xF0u);
        atomicMax(&s[0], bitcast<i32>(x)); atomicMin(&s[1], bitcast<i32>(x));",
    );
    assert!(notes(&c).iter().all(|n| n.starts_with("warp-wide")), "{}", c.report);
    let x: Vec<u32> = (0..24u32).map(|i| i.wrapping_mul(0x9E37_79B9).wrapping_add(77)).collect();
    let (u, _, s) = results(&c, 3, &[1 << 31, 0, u32::MAX, u32::MAX], 0, &[0, 0]);
    let sum = x.iter().fold(1 << 31, |a: u32, b| a.wrapping_add(*b));
    let max = *x.iter().max().unwrap();
    let min = *x.iter().min().unwrap();
    assert_eq!(u, [sum, max, min, x.iter().fold(u32::MAX, |a, b| a & (b | 0xF0))]);
    let signed = |f: fn(i32, i32) -> i32| x.iter().map(|x| *x as i32).fold(0, f) as u32;
    assert_eq!(s, [signed(i32::max), signed(i32::min)]);
}

const LOG: usize = 24;

/// A random shader: every atomic's counter, operand and result go to the invocation's log.
fn random_body(rng: &mut ChaCha8Rng) -> String {
    fn statements(rng: &mut ChaCha8Rng, depth: u32, text: &mut String) {
        for _ in 0..rng.random_range(1..4) {
            let condition = [
                "li < 5u",
                "(id & 1u) == 0u",
                "g.x == 1u",
                "n > 2u",
                "(id & 3u) == 2u",
                "(out[id] & 1u) == 0u",
                "li != 3u",
            ][rng.random_range(0..7)];
            match rng.random_range(0..10) {
                0..2 if depth > 0 => {
                    *text += &format!("if ({condition}) {{\n");
                    statements(rng, depth - 1, text);
                    *text += "} else {\n";
                    statements(rng, depth - 1, text);
                    *text += "}\n";
                }
                2..4 if depth > 0 => {
                    let bound = ["2u", "(id & 3u)", "(1u + (g.x & 1u))"][rng.random_range(0..3)];
                    let k = format!("k{depth}");
                    let (open, close) = [
                        (format!("for (var {k} = 0u; {k} < {bound}; {k}++) {{"), "}".to_string()),
                        (
                            format!("{{ var {k} = 0u; loop {{"),
                            format!("continuing {{ {k}++; break if {k} >= {bound}; }} }} }}"),
                        ),
                        (format!("{{ var {k} = 0u; loop {{"), format!("{k}++; if ({k} >= {bound}) {{ break; }} }} }}")),
                    ][rng.random_range(0..3)]
                    .clone();
                    *text += &format!("{open}\n");
                    statements(rng, depth - 1, text);
                    if rng.random_bool(0.5) {
                        // Nothing may jump over the only test of a loop.
                        let leave = if close.starts_with('k') {
                            "break"
                        } else {
                            ["break", "continue"][rng.random_range(0..2)]
                        };
                        *text += &format!("if ({condition}) {{ {leave}; }}\n");
                        statements(rng, depth - 1, text);
                    }
                    *text += &format!("{close}\n");
                }
                _ => {
                    let (function, operand) = [
                        ("Add", "1u"),
                        ("Add", "1u + (id & 7u)"),
                        ("Sub", "2u + (id & 3u)"),
                        ("Or", "1u << (id & 31u)"),
                        ("And", "~(1u << (id & 31u))"),
                        ("Max", "(id * 5u) & 63u"),
                        ("Min", "200u - ((id * 7u) & 63u)"),
                        ("Max", "g.x + 3u"),
                    ][rng.random_range(0..8)];
                    let counter =
                        ["Add", "Sub", "Or", "And", "Max", "Min"].iter().position(|f| *f == function).unwrap();
                    let index = match rng.random_range(0..4) {
                        0 => format!("{counter}u + 6u * (id & 1u)"),
                        1 => format!("{counter}u + 6u * (li >> 2u)"),
                        _ => format!("{counter}u"),
                    };
                    *text += &format!(
                        "if (n < {LOG}u) {{ let j = {index}; let v = {operand}; let r = atomic{function}(&c[j], v); let at = 64u + (id * {LOG}u + n) * 3u; out[at] = j + 1u; out[at + 1u] = v; out[at + 2u] = r; n += 1u; }}\n"
                    );
                }
            }
        }
    }
    let mut text = "var n = 0u;\n".to_string();
    statements(rng, 2, &mut text);
    text
}

/// Whether what was observed of one counter, (operand, result) each, is some order of the
/// operations from `start` to `end`. Each of these operations moves its word one way only (the sums
/// do not wrap here), so the order of the words seen is the order in time; at one word all
/// operations but one must leave it.
fn legal(kind: usize, start: u32, end: u32, seen: &[(u32, u32)]) -> Result<(), String> {
    let apply = |old: u32, v: u32| match kind {
        0 => old + v,
        1 => old - v,
        2 => old | v,
        3 => old & v,
        4 => old.max(v),
        _ => old.min(v),
    };
    let mut left = seen.to_vec();
    let mut word = start;
    while !left.is_empty() {
        let (here, later): (Vec<(u32, u32)>, Vec<_>) = left.iter().partition(|x| x.1 == word);
        let moves: Vec<u32> = here.iter().map(|x| apply(word, x.0)).filter(|n| *n != word).collect();
        match moves[..] {
            _ if here.is_empty() => return Err(format!("nobody found {word:#x}, {left:?} remain")),
            [] if later.is_empty() => break,
            [next] => word = next,
            _ => return Err(format!("{} operations changed {word:#x}", moves.len())),
        }
        left = later;
    }
    (word == end).then_some(()).ok_or(format!("ends as {end:#x}, not {word:#x}"))
}

#[test]
fn the_checker_of_orders_refuses_wrong_results() {
    assert_eq!(legal(0, 0, 3, &[(1, 1), (1, 0), (1, 2)]), Ok(()));
    assert!(legal(0, 0, 3, &[(1, 0), (1, 0), (1, 2)]).is_err(), "one number given twice");
    assert!(legal(0, 0, 4, &[(1, 0), (1, 1), (1, 2)]).is_err(), "a wrong end");
    assert!(legal(4, 0, 9, &[(9, 0), (5, 0), (5, 9)]).is_err(), "two lanes raised the same word");
    assert_eq!(legal(4, 0, 9, &[(5, 0), (9, 5), (3, 9)]), Ok(()));
}

/// The analysis counts on it that lanes go back to the start of a loop from one place, together:
/// `continue` gathers them there even if it has nothing to do.
#[test]
fn a_loop_has_one_jump_back() {
    let body = "loop {
            let k = atomicAdd(&c[id], 3u);
            if (k == li) { continue; }
            out[id] = out[id] + k;
            if (out[id] > 100u) { break; }
            if ((k & 8u) == 0u) { continue; }
            out[id] = out[id] * 3u;
        }";
    let mut sources = vec![shader(8, body)];
    for seed in 0..40 {
        sources.push(shader(8, &random_body(&mut ChaCha8Rng::seed_from_u64(seed))));
    }
    let mut loops = 0;
    for source in sources {
        let c = compiled("a.wgsl", &source, Options::default());
        let mut back: Vec<u32> = vec![];
        for (pc, &word) in c.binary.code.iter().enumerate() {
            let i = decode(word).unwrap();
            if i.op.is_branch() && i.imm as usize <= pc {
                assert!(!back.contains(&i.imm), "two jumps back to {}\n{source}\n{}", i.imm, c.asm);
                back.push(i.imm);
            }
        }
        loops += back.len();
    }
    assert!(loops > 10, "{loops} loops prove nothing");
}

fn check_random(seeds: std::ops::Range<u64>, options: &Options) -> (usize, usize) {
    let (mut wide, mut all) = (0, 0);
    for seed in seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let body = random_body(&mut rng);
        let size = [4, 6, 8][rng.random_range(0..3)];
        let c = compiled("random.wgsl", &shader(size, &body), options.clone());
        wide += notes(&c).iter().filter(|n| n.starts_with("warp-wide")).count();
        all += notes(&c).len();
        let start = [0, 1 << 20, 0, u32::MAX, 0, 255, 0, 1 << 20, 0, u32::MAX, 0, 255];
        let (counters, out, _) = results(&c, 3, &start, 64 + LOG * 3 * 3 * size as usize, &[]);
        for (j, (&first, &end)) in start.iter().zip(&counters).enumerate() {
            let entries = out[64..].chunks(3).filter(|e| e[0] == j as u32 + 1);
            let seen: Vec<(u32, u32)> = entries.map(|e| (e[1], e[2])).collect();
            if let Err(e) = legal(j % 6, first, end, &seen) {
                panic!("seed {seed}, counter {j}: {e}\n{body}\n{}\n{}", c.report, c.asm);
            }
        }
    }
    (wide, all)
}

#[test]
fn random_shaders_see_results_of_some_order() {
    let (wide, all) = check_random(0..60, &Options::default());
    assert!(wide * 4 > all, "only {wide} of {all} atomics are warp-wide: the test proves little");
}

#[test]
fn random_shaders_with_few_registers_and_without_passes() {
    check_random(60..75, &Options { max_registers: 8, ..Options::default() });
    let skip = ["const-fold", "copy-prop", "cse", "range", "unroll", "strength", "licm", "schedule", "rotate"];
    check_random(75..85, &Options { skip_passes: skip.map(String::from).to_vec(), ..Options::default() });
    check_random(85..95, &Options { warp_wide: false, ..Options::default() });
}
