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
        // The compiler's own tests have programs for these: with many groups of loads or values,
        // and with memory that value numbering does not see through first.
        let own = [
            CompilerFault::GroupClobber,
            CompilerFault::OrderAlias,
            CompilerFault::PreStaleWay,
            CompilerFault::SplitRangeStale,
        ];
        !own.contains(&f)
            && !stage
            && !f.is_of_merging()
            && !f.is_of_splitting()
            && !f.is_of_both()
            && !f.is_of_report()
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
    let result = |i: u32| {
        let mut values = vec![i + 1];
        for k in 1..40u32 {
            values.push(values[k as usize - 1].wrapping_mul(3).wrapping_add(k));
        }
        values.iter().rev().fold(0u32, |s, v| s.wrapping_mul(5) ^ v)
    };
    let mut expected = [0; 4];
    for s in [0, 1, 2, 3].map(result) {
        expected[(s >> 25) as usize & 3] = s;
    }
    (body, format!("{expected:?}"))
}

fn shader_report(body: &str, expected: &str, fault: Option<AnyFault>) -> Report {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(4)\n\
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
