//! Planted faults of the compiler: RTL and model run the same wrong binary in lockstep and agree;
//! the job's expected output finds it. Each fault is a test of its own, named after it.

use std::path::Path;

use quadlock::job::program;
use quadlock::job::{Job, Size};
use quadlock::lockstep::Quiet;
use quadlock::report::{Report, Verdict};
use quadlock::simulate::{self, AnyFault};
use quadlock_shader::fault::CompilerFault;

use super::{found_by, options, programs};

/// `fault => body of the shader, expected output;`. Makes the tests.
macro_rules! faults {
    ($($fault:ident => $body:expr, $expected:expr;)+) => {
        /// The names of the faults.
        fn names() -> Vec<String> {
            [$(stringify!($fault)),+].map(|name| name.replace('_', "-")).into()
        }

        $(
            #[test]
            fn $fault() {
                check(&stringify!($fault).replace('_', "-"), &$body, &$expected);
            }
        )+
    };
}

faults! {
    fold_sub => "o[i] = (0u - i) + 3u;", "[3, 2, 1, 0]";
    cse_load_across_store =>
        "let z = o[0]; let a = o[i]; o[i + z] = i + 7u; let b = o[i]; o[i] = a + b * 2u;",
        "[14, 16, 18, 20]";
    dce_drops_store => "o[i] = i * 3u + 1u;", "[1, 4, 7, 10]";
    mem2reg_wrong_phi =>
        "var x = 1u; var y = 2u; if ((i & 1u) == 1u) { x = 10u; y = 20u; } o[i] = x + y;",
        "[3, 30, 3, 30]";
    gvn_stale_join =>
        "o[i] = i * 3u; if ((i & 1u) == 1u) { o[i] = i + 7u; } o[i] = o[i] * 2u;",
        "[0, 16, 12, 20]";
    dead_stores_copy => "var a: array<u32, 4>; a[i] = i + 5u; o[i] = a[(i * i) & 3u];", "[5, 6, 0, 0]";
    dead_loops_store => "for (var k = 0u; k <= i; k++) { o[i] = k * 2u + 1u; }", "[1, 3, 5, 7]";
    early_across_store =>
        "o[i] = i; if (i > 1u) { o[i] = i + 7u; } o[i] = o[countOneBits((1u << i) - 1u)] * 2u;",
        "[0, 2, 18, 20]";
    strength_overlap => "o[i] = (i << 1u) | (i & 3u);", "[0, 3, 6, 7]";
    wrong_branch_layout =>
        "if (i > 1u) { o[i] = i * 4u; o[i] += i; } else { o[i] = 5u; o[i] += o[i]; }",
        "[10, 10, 10, 15]";
    spill_slot_clash => many_live().0, many_live().1;
    pre_stale_way =>
        "let a = o[i]; if ((i & 1u) == 1u) { o[i] = a + i + 7u; } o[i] = o[i] * 2u + a;",
        "[0, 16, 0, 20]";
    split_range_stale => changed_in_a_loop().0, changed_in_a_loop().1;
    order_alias => read_before_written().0, read_before_written().1;
    group_clobber => rows_apart().0, rows_apart().1;
    fuse_exact => exact_product().0, exact_product().1;
}

/// What `degrees` multiplies is rounded before the sum.
fn exact_product() -> (String, String) {
    let result = |i: u32| {
        let x = i as f32;
        ((x + 0.1) * (180.0 / std::f32::consts::PI) + (x + 0.7)).to_bits()
    };
    let body = "let x = f32(i); o[i] = bitcast<u32>(degrees(x + 0.1) + (x + 0.7));";
    (body.to_owned(), format!("{:?}", [0, 1, 2, 3].map(result)))
}

#[test]
fn every_fault_of_the_compiler_has_a_row() {
    let compute = |f: CompilerFault| {
        let stage = f.is_of_graphics() || f.is_of_position() || f.is_of_linking();
        !stage && !f.is_of_merging() && !f.is_of_splitting() && !f.is_of_both() && !f.is_of_report()
    };
    for (_, name, _) in CompilerFault::ALL.iter().filter(|f| compute(f.0)) {
        assert!(names().iter().any(|n| n == name), "no row for {name}");
    }
}

/// The shader gives what is expected without the fault, and something else with it.
fn check(fault: &str, body: &str, expected: &str) {
    let healthy = shader_report(body, expected, None);
    assert!(healthy.passed(), "{fault}, without the fault:\n{}", healthy.text());
    let planted = format!("compiler:{fault}").parse().unwrap();
    let report = shader_report(body, expected, Some(planted));
    assert_eq!(found_by(&report), "output", "{fault}:\n{}", report.text());
}

/// Fourteen values live through a loop, in which a chain of twenty is made and read back. Four of
/// them change in each turn, and have no register for long.
fn changed_in_a_loop() -> (String, String) {
    let mut body: String = (0..14).map(|k| format!("var v{k} = i * {}u + {k}u; ", k + 3)).collect();
    body += "for (var t = 0u; t < 1u + (i & 1u); t++) { v1 = v2 * 3u + v0; let w0 = v0 + t; ";
    body += &(1..20).map(|k| format!("let w{k} = w{} * 3u + {k}u; ", k - 1)).collect::<String>();
    body += "var q = 0u; ";
    body += &(0..20).rev().map(|k| format!("q = (q * 5u) ^ w{k}; ")).collect::<String>();
    body += "v0 = q; v2 = v3; v3 = v1; } var s = 0u; ";
    body += &(0..14).map(|k| format!("s = (s * 5u) ^ v{k}; ")).collect::<String>();
    body += "o[i] = s;";
    let result = |i: u32| {
        let mut v: Vec<u32> = (0..14).map(|k| i * (k + 3) + k).collect();
        for t in 0..1 + (i & 1) {
            v[1] = v[2].wrapping_mul(3).wrapping_add(v[0]);
            let q = folded(&chain(v[0].wrapping_add(t), 20));
            (v[0], v[2], v[3]) = (q, v[3], v[1]);
        }
        v.iter().fold(0u32, |s, v| s.wrapping_mul(5) ^ v)
    };
    (body, format!("{:?}", [0, 1, 2, 3].map(result)))
}

/// As [`many_live`], with a word that is read before it is written, and used in the end: of so many
/// values it should be made last.
fn read_before_written() -> (String, String) {
    let mut body = "let x = o[i]; let v0 = i + 1u; ".to_owned();
    body += &(1..40).map(|k| format!("let v{k} = v{} * 3u + {k}u; ", k - 1)).collect::<String>();
    body += "var s = 0u; ";
    body += &(0..40).rev().map(|k| format!("s = (s * 5u) ^ v{k}; ")).collect::<String>();
    body += "o[i] = i + 5u; o[3u - i] = s + x;";
    (body, format!("{:?}", [3, 2, 1, 0].map(|i| folded(&chain(i + 1, 40)))))
}

/// Ten rows of four words. Of each three words stay, another three than of the row before, and are
/// read back out of order: rows fit in number and not side by side.
fn rows_apart() -> (String, String) {
    let mut body = "o[0][i] = i * 3u + 1u; var s = i; ".to_owned();
    let (mut memory, mut s) = ([1, 4, 7, 10u32], [0, 1, 2, 3u32]);
    let mut left = vec![];
    let mix = |s: &mut [u32; 4], word: u32| s.iter_mut().for_each(|s| *s = s.wrapping_mul(5) ^ word);
    for row in 0..10 {
        body += &format!("let a{row} = o[0]; ");
        for component in (0..4).map(|n| (n + row) % 4) {
            let name = format!("a{row}.{}", ["x", "y", "z", "w"][component]);
            left.push((name, memory[component]));
        }
        let (name, word) = left.remove(left.len() - 4);
        mix(&mut s, word);
        body += &format!("s = (s * 5u) ^ {name}; o[0][i] = s + {row}u; ");
        memory = s.map(|s| s.wrapping_add(row as u32));
    }
    for (name, word) in (0..left.len()).map(|k| &left[k * 7 % left.len()]) {
        body += &format!("s = (s * 5u) ^ {name}; ");
        mix(&mut s, *word);
    }
    (body + "o[0][i] = s;", format!("{s:?}"))
}

/// A value, and so many less one that follow from it.
fn chain(first: u32, count: u32) -> Vec<u32> {
    let next = |v: &u32, k: u32| v.wrapping_mul(3).wrapping_add(k);
    let mut values = vec![first];
    (1..count).for_each(|k| values.push(next(&values[k as usize - 1], k)));
    values
}

/// All of a chain in one word, from its last value to its first.
fn folded(values: &[u32]) -> u32 {
    values.iter().rev().fold(0, |s, v| s.wrapping_mul(5) ^ v)
}

/// A chain of 40 values, read back from the last to the first: all are live in the middle, more
/// than there are registers. Two bits of the result, different in every lane, are its place: a
/// wrong value stays inside the buffer.
fn many_live() -> (String, String) {
    let mut body = "let v0 = i + 1u; ".to_owned();
    for k in 1..40 {
        body += &format!("let v{k} = v{} * 3u + {k}u; ", k - 1);
    }
    body += "var s = 0u; ";
    for k in (0..40).rev() {
        body += &format!("s = (s * 5u) ^ v{k}; ");
    }
    body += "o[(s >> 25u) & 3u] = s;";
    let result = |i: u32| folded(&chain(i + 1, 40));
    let mut expected = [0; 4];
    for s in [0, 1, 2, 3].map(result) {
        expected[(s >> 25) as usize & 3] = s;
    }
    (body, format!("{expected:?}"))
}

fn shader_report(body: &str, expected: &str, fault: Option<AnyFault>) -> Report {
    // A body that reads rows has a buffer of them.
    let element = if body.contains("o[0][") { "vec4<u32>" } else { "u32" };
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<{element}>;\n@compute @workgroup_size(4)\n\
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ let i = id.x; {body} }}\n"
    );
    let job = format!(
        "name = \"x\"\nshader = \"x.wgsl\"\ngrid = [1, 1, 1]\n[[buffer]]\nbinding = 0\nfrom = {{ zero = 16 }}\n\
         expect = {{ from = {{ inline = {expected} }} }}\n"
    );
    let job = Job::parse(Path::new("x.toml"), job, Size::Whole).unwrap();
    let fault = match fault {
        Some(AnyFault::Compiler(f)) => Some(f),
        _ => None,
    };
    let compiler = program::CompilerOptions { fault, ..Default::default() };
    let options = options(None, programs::SMALL);
    let binary = program::compile(Path::new("x.wgsl"), text.as_bytes(), None, &compiler).unwrap().binary;
    let prepared = job.prepare(&binary, &options.config).unwrap();
    let mut done = simulate::rtl(&prepared.launch, &options, &mut Quiet).unwrap();
    for wrong in prepared.compare(&done.image) {
        done.report.problem(Verdict::WrongOutput, wrong);
    }
    done.report
}
