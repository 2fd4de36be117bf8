//! Values of overrides and specialisation constants: they arrive whole, what depends on them
//! follows, and what no constant can take is refused with the place of the value or of the
//! declaration.

use super::spirv::{op, Asm, MAIN, TYPE_BOOL, TYPE_FLOAT, TYPE_INT, TYPE_UINT};
use super::*;
use crate::front::constants::{Place, Value};
use crate::front::{parse_with, Given};
use crate::interface::Stage;

const GLSL: Lang = Lang::Glsl(Stage::Compute);

/// A value of the command line, as it is written there.
fn given(text: &str) -> Given {
    let (key, value) = text.split_once('=').unwrap();
    Given { key: key.into(), value: Value::read(value).unwrap(), place: None, optional: false }
}

/// A value of a job, in its line 7 and column 3.
fn of_job(text: &str) -> Given {
    Given { place: Some(Place { file: "job.toml".into(), line: 7, column: 3 }), ..given(text) }
}

fn with(source: &[u8], lang: Lang, constants: &[Given]) -> Result<Lowered, String> {
    let path = if lang == Lang::Wgsl { "a.wgsl" } else { "a.spv" };
    let parsed = parse_with(path, source, lang, (None, None), constants);
    let lowered = parsed.and_then(|p| lower(&p, &Options::default())).map_err(|e| e.to_string())?;
    verify_module(&lowered.module).unwrap();
    Ok(lowered)
}

/// What the first words of the only buffer are in the end.
fn run(source: &[u8], lang: Lang, constants: &[&str], words: usize) -> Vec<u32> {
    let constants: Vec<Given> = constants.iter().map(|c| given(c)).collect();
    let lowered = with(source, lang, &constants).unwrap_or_else(|e| panic!("{e}"));
    Run { lowered, grid: [1; 3], buffers: vec![] }.zeros(words).go().buffer(0).to_vec()
}

const WGSL: &str = "
override a: u32 = 1;
@id(7) override b: i32 = 2;
override c: f32 = 3.0;
override d: bool = false;
override e = a * 10;
override size: u32 = 2;
var<workgroup> w: array<u32, size + 1>;
override late = a + 1;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(size * 2) fn main(@builtin(local_invocation_index) i: u32) {
    w[i % (size + 1)] = 1;
    workgroupBarrier();
    if i == 0 {
        o[0] = a; o[1] = bitcast<u32>(b); o[2] = bitcast<u32>(c); o[3] = select(0u, 1u, d); o[4] = e;
        o[5] = w[size] + late;
    }
    o[6 + i] = 1;
}
";

#[test]
fn overrides_take_values_by_name_and_by_id() {
    let f = f32::to_bits;
    let o = run(WGSL.as_bytes(), Lang::Wgsl, &[], 16);
    assert_eq!(o, [1, 2, f(3.0), 0, 10, 3, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
    let all = ["a=5", "7=-2147483648", "c=0.1", "d=true", "e=5", "size=4"];
    let o = run(WGSL.as_bytes(), Lang::Wgsl, &all, 16);
    assert_eq!(o, [5, 1 << 31, f(0.1), 1, 5, 7, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
    // By the name of one that has an id; what is computed from another; a whole number as a float.
    let o = run(WGSL.as_bytes(), Lang::Wgsl, &["b=16777217", "a=3", "c=16777217"], 16);
    assert_eq!(o[..5], [3, 16_777_217, f(16_777_216.0), 0, 30]);
    let o = run(WGSL.as_bytes(), Lang::Wgsl, &["a=4294967295", "e=0", "late=0"], 16);
    assert_eq!(o[..6], [u32::MAX, 2, f(3.0), 0, 0, 1]);
}

#[test]
fn sizes_follow_overrides() {
    let lowered = with(WGSL.as_bytes(), Lang::Wgsl, &[given("size=6")]).unwrap();
    assert_eq!((lowered.interface.group_size, lowered.interface.shared_bytes), ([12, 1, 1], 32));
    assert_eq!(lowered.interface.values.iter().map(|(k, v)| format!("{k} {v}")).collect::<Vec<_>>(), ["size 6"]);
}

#[test]
fn the_command_line_goes_before_the_job() {
    for constants in [[given("b=5"), of_job("7=6")], [of_job("b=6"), given("7=5")]] {
        let lowered = with(WGSL.as_bytes(), Lang::Wgsl, &constants).unwrap();
        let run = Run { lowered, grid: [1; 3], buffers: vec![] }.zeros(16).go();
        assert_eq!(run.buffer(0)[1], 5);
    }
    for twice in [[given("b=5"), given("7=6")], [of_job("b=6"), of_job("7=5")], [given("a=1"), given("a=1")]] {
        let e = with(WGSL.as_bytes(), Lang::Wgsl, &twice).unwrap_err();
        assert!(e.contains("is given twice"), "{e}");
    }
}

/// Each value that a WGSL override or a SPIR-V constant cannot have, and what is said.
#[test]
fn values_that_no_constant_can_have_are_refused() {
    for (text, says) in [
        ("a=-1", "`a` (u32): it is from 0 to 4294967295"),
        ("a=4294967296", "`a` (u32): it is from 0 to 4294967295"),
        ("a=1.0", "`a` (u32): it is a whole number"),
        ("a=true", "`a` (u32): it is a number"),
        ("7=2147483648", "`b` (id 7, i32): it is from -2147483648 to 2147483647"),
        ("c=1e39", "`c` (f32): it is a finite number"),
        ("c=false", "`c` (f32): it is a number"),
        ("d=1", "`d` (bool): it is true or false"),
    ] {
        let line = match text.as_bytes()[0] {
            b'a' => 2,
            b'7' => 3,
            b'c' => 4,
            _ => 5,
        };
        for source in [WGSL.as_bytes(), &spec_constants()] {
            let lang = if source == WGSL.as_bytes() { Lang::Wgsl } else { Lang::Spirv };
            // SPIR-V numbers them all.
            let says = match lang {
                Lang::Wgsl => says.to_string(),
                _ => says.replace("a` (", "a` (id 1, ").replace("c` (", "c` (id 2, ").replace("d` (", "d` (id 3, "),
            };
            let e = with(source, lang, &[given(text)]).unwrap_err();
            assert!(e.contains(&says) && e.contains(&format!("--constant {text}")), "{e}");
            assert!(lang != Lang::Wgsl || e.starts_with(&format!("a.wgsl:{line}:")), "{e}");
            let e = with(source, lang, &[of_job(text)]).unwrap_err();
            assert!(e.starts_with("job.toml:7:3: ") && e.contains(&says), "{e}");
            assert!(lang != Lang::Wgsl || e.contains(&format!("declared at a.wgsl:{line}:")), "{e}");
        }
    }
}

#[test]
fn a_name_that_is_not_there_is_told_those_that_are() {
    let e = with(WGSL.as_bytes(), Lang::Wgsl, &[given("sise=3")]).unwrap_err();
    assert!(e.starts_with("a.wgsl: --constant sise=3: the program has no constant called `sise`"), "{e}");
    assert!(e.contains("`a` (u32), `b` (id 7, i32), `c` (f32)") && e.contains("`size` (u32)"), "{e}");
    let e = with(WGSL.as_bytes(), Lang::Wgsl, &[of_job("8=3")]).unwrap_err();
    assert!(e.starts_with("job.toml:7:3: the program has no constant with the id `8`"), "{e}");
    let none = "@compute @workgroup_size(4) fn main() {}";
    let e = with(none.as_bytes(), Lang::Wgsl, &[given("a=1")]).unwrap_err();
    assert!(e.contains("no overrides and no specialisation constants"), "{e}");
}

#[test]
fn an_override_without_a_default_needs_a_value() {
    let source = "\n  override n: u32;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() { o[0] = n; }";
    assert_eq!(run(source.as_bytes(), Lang::Wgsl, &["n=9"], 1), [9]);
    let e = with(source.as_bytes(), Lang::Wgsl, &[]).unwrap_err();
    assert!(e.starts_with("a.wgsl:2:3: the override `n` has no default and is given no value"), "{e}");
    assert!(e.contains("give it in [constants] of the job or with --constant n=VALUE"), "{e}");
    // One that the entry point does not use needs none, and may have one.
    let unused = source.replace("= n", "= 1");
    assert_eq!(run(unused.as_bytes(), Lang::Wgsl, &[], 1), [1]);
    assert_eq!(run(unused.as_bytes(), Lang::Wgsl, &["n=9"], 1), [1]);
}

#[test]
fn a_size_of_nothing_is_refused() {
    let e = with(WGSL.as_bytes(), Lang::Wgsl, &[given("size=0")]).unwrap_err();
    assert!(e.starts_with("a.wgsl:11:39: a dimension of the work group is less than 1"), "{e}");
    let source = "override n: i32 = 1; var<workgroup> w: array<u32, n>;
        @compute @workgroup_size(1) fn main() { w[0] = 1; }";
    let e = with(source.as_bytes(), Lang::Wgsl, &[given("n=0")]).unwrap_err();
    assert!(e.starts_with("a.wgsl") && !e.contains("failed inside"), "{e}");
    let e = with(source.as_bytes(), Lang::Wgsl, &[given("n=-1")]).unwrap_err();
    assert!(e.starts_with("a.wgsl") && !e.contains("failed inside"), "{e}");
    for (key, says) in [("5=0", "an array of 0 elements"), ("6=0", "a work group of size [4, 0, 1]")] {
        let e = with(&spec_constants(), Lang::Spirv, &[given(key)]).unwrap_err();
        assert!(e.contains(says) && !e.contains("mistake of the compiler"), "{e}");
    }
}

const U64: &[u32] = &[21, 64, 0];

/// The constants `a` to `d` as in WGSL above; a word of 64 bits; the length of an array; the second
/// dimension of the work group; and operations on them.
fn spec_constants() -> Vec<u8> {
    let mut x = Asm::new(&[11]);
    let a = x.spec(50, TYPE_UINT, &[1], 1, "a");
    let b = x.spec(50, TYPE_INT, &[2], 7, "b");
    let c = x.spec(50, TYPE_FLOAT, &[3f32.to_bits()], 2, "c");
    let d = x.spec(49, TYPE_BOOL, &[], 3, "d");
    let wide = x.spec(50, U64, &[5, 0], 4, "wide");
    let length = x.spec(50, TYPE_UINT, &[2], 5, "");
    let height = x.spec(50, TYPE_UINT, &[1], 6, "height");
    // OpSpecConstantOp: a * 10, d ? a : 10, wide + wide.
    let ten = x.uint(10);
    let product = x.typed(52, TYPE_UINT, &[132, a, ten]);
    let chosen = x.typed(52, TYPE_UINT, &[169, d, a, ten]);
    let twice = x.typed(52, U64, &[128, wide, wide]);
    // OpSpecConstantComposite, and a component of it.
    let pair = x.vector(TYPE_UINT, 2);
    let pair = x.typed(51, &pair, &[a, product]);
    let second = x.typed(52, TYPE_UINT, &[81, pair, 1]);
    let (four, one) = (x.uint(4), x.uint(1));
    x.modes = op(331, &[MAIN, 38, four, height, one]);
    // A variable of the work group with the length.
    let uint = x.global(TYPE_UINT);
    let array = x.global(&[28, uint, length]);
    let (pointer, element) = (x.global(&[32, 4, array]), x.global(&[32, 4, uint]));
    let variable = x.id();
    x.globals.extend(op(59, &[pointer, variable, 4]));
    let i = x.input(29);
    let zero = x.uint(0);
    let place = x.id();
    x.body.extend(op(65, &[element, place, variable, zero]));
    x.body.extend(op(62, &[place, i]));
    let first = x.value(170, TYPE_BOOL, &[i, zero]);
    let merge = x.only_if(first);
    let (b, c, d) = (x.bits(b), x.bits(c), x.bool_word(d));
    let low = x.value(113, TYPE_UINT, &[twice]);
    let half = x.value(194, U64, &[twice, ten]);
    let high = x.value(113, TYPE_UINT, &[half]);
    for value in [a, b, c, d, product, chosen, low, high, second] {
        x.store(zero, value);
    }
    x.end(merge);
    x.finish()
}

/// Every fourth word: what [`spec_constants`] stores.
fn stored(constants: &[&str]) -> Vec<u32> {
    run(&spec_constants(), Lang::Spirv, constants, 36).into_iter().step_by(4).collect()
}

#[test]
fn specialisation_constants_take_values_by_name_and_by_id() {
    let f = f32::to_bits;
    assert_eq!(stored(&[]), [1, 2, f(3.0), 0, 10, 10, 10, 0, 10]);
    let by_name = ["a=4000000000", "b=-5", "c=0.1", "d=true", "wide=9223372036854775809", "height=2"];
    let product = 4_000_000_000u32.wrapping_mul(10);
    let expected = [4_000_000_000, -5i32 as u32, f(0.1), 1, product, 4_000_000_000, 2, 0, product];
    assert_eq!(stored(&by_name), expected);
    assert_eq!(stored(&["1=4000000000", "7=-5", "2=0.1", "3=true", "4=9223372036854775809", "6=2"]), expected);
    // Bit 40 arrives in bit 31 of the word that begins at bit 10.
    assert_eq!(stored(&["wide=1099511627776"])[6..8], [0, 1 << 31]);
}

#[test]
fn sizes_follow_specialisation_constants() {
    let lowered = with(&spec_constants(), Lang::Spirv, &[given("5=9"), given("height=3")]).unwrap();
    assert_eq!((lowered.interface.group_size, lowered.interface.shared_bytes), ([4, 3, 1], 48));
    let told: Vec<String> = lowered.interface.values.iter().map(|(k, v)| format!("{k} {v}")).collect();
    assert_eq!(told, ["5 9", "height 3"]);
}

#[test]
fn glsl_has_its_constants_by_name_and_by_id() {
    let source = "#version 450
        layout(local_size_x_id = 9) in;
        layout(constant_id = 0) const uint n = 3;
        layout(constant_id = 1) const bool twice = false;
        layout(constant_id = 2) const float f = 0.5;
        const uint both = twice ? n * 2 : n;
        layout(binding = 0) buffer B { uint o[]; };
        shared uint s[n + 1];
        void main() {
            s[gl_LocalInvocationIndex % (n + 1)] = 7;
            barrier();
            uint t[n];
            for (uint i = 0; i < n; i++) t[i] = i;
            o[gl_LocalInvocationIndex] = gl_WorkGroupSize.x;
            if (gl_LocalInvocationIndex == 0) {
                o[8] = both; o[9] = floatBitsToUint(f); o[10] = uint(s.length()); o[11] = t[n - 1];
            }
        }";
    let o = run(source.as_bytes(), GLSL, &[], 12);
    assert_eq!(o, [1, 0, 0, 0, 0, 0, 0, 0, 3, 0.5f32.to_bits(), 4, 2]);
    let o = run(source.as_bytes(), GLSL, &["n=5", "1=true", "f=2", "9=8"], 12);
    assert_eq!(o, [8, 8, 8, 8, 8, 8, 8, 8, 10, 2f32.to_bits(), 6, 4]);
    let e = with(source.as_bytes(), GLSL, &[given("m=5")]).unwrap_err();
    assert!(e.contains("`n` (id 0, u32), id 9 (u32), `twice` (id 1, bool), `f` (id 2, f32)"), "{e}");
}

/// Two declarations with one name are told apart by their ids; two with one id are one constant.
#[test]
fn one_name_of_two_constants_is_not_enough() {
    let module = |ids: [u32; 2]| {
        let mut x = Asm::new(&[]);
        let zero = x.uint(0);
        let [n, m] = ids.map(|id| x.spec(50, TYPE_UINT, &[1], id, "n"));
        x.store(zero, n);
        x.store(zero, m);
        x.finish()
    };
    let e = with(&module([3, 4]), Lang::Spirv, &[given("n=5")]).unwrap_err();
    assert!(e.contains("several constants are called `n`") && e.contains("give it by id: `n` (id 3"), "{e}");
    assert_eq!(run(&module([3, 4]), Lang::Spirv, &["4=5"], 8)[..5], [1, 0, 0, 0, 5]);
    assert_eq!(run(&module([3, 3]), Lang::Spirv, &["n=5"], 8)[..5], [5, 0, 0, 0, 5]);
}
