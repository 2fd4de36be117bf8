//! Built-in functions against f64, within limits that are the errors of `docs/accuracy.md` with a
//! little room; the worst error of each is printed. And the prelude's stand-ins against the
//! instructions that they replace.

use super::numbers::{apply, exact, random_bits, same, uniform, CORNERS};
use super::*;
use quadlock_isa::{Class, TABLE};

/// Checks against f64: within `ulps` units in the last place of the result, or `absolute`.
fn near(expression: &str, x: &[f32], y: &[f32], ulps: f64, absolute: f64, reference: impl Fn(f64, f64) -> f64) {
    near_by(expression, x, y, |_, _, ulp| (ulps * ulp).max(absolute), reference);
}

/// Checks against f64; `allowed` is the absolute error for x, the expected result and its ulp.
fn near_by(
    expression: &str,
    x: &[f32],
    y: &[f32],
    allowed: impl Fn(f64, f64, f64) -> f64,
    reference: impl Fn(f64, f64) -> f64,
) {
    check(expression, x, y, &apply(expression, x, y), allowed, reference);
}

/// The results `seen` of an expression against f64.
fn check(
    expression: &str,
    x: &[f32],
    y: &[f32],
    seen: &[f32],
    allowed: impl Fn(f64, f64, f64) -> f64,
    reference: impl Fn(f64, f64) -> f64,
) {
    // In ulp, absolute, and as a share of what is allowed.
    let mut worst = [(0.0f64, 0.0f32); 3];
    for ((&x, &y), &seen) in x.iter().zip(y).zip(seen) {
        let expected = reference(f64::from(x), f64::from(y));
        if same(seen, expected as f32) {
            continue;
        }
        let ulp = 2f64.powi((expected.abs().log2().floor() as i32).max(-126) - 23);
        let error = (f64::from(seen) - expected).abs();
        let limit = allowed(f64::from(x), expected, ulp);
        assert!(
            error <= limit,
            "{expression} for x={x:e} y={y:e}: {seen:e}, expected {expected:e}: {} ulp, {error:e}, allowed {limit:e}",
            error / ulp
        );
        for (worst, measure) in worst.iter_mut().zip([error / ulp, error, error / limit]) {
            *worst = if measure > worst.0 { (measure, x) } else { *worst };
        }
    }
    let [ulp, absolute, share] = worst;
    println!(
        "{expression}: worst {:.2} ulp at {:e}, {:.2e} at {:e}, {:.2} of the limit at {:e}",
        ulp.0, ulp.1, absolute.0, absolute.1, share.0, share.1
    );
}

/// The limit of WGSL for exp: 3 + 2|x| ulp. The argument's product with log2(e) is rounded, which
/// costs this much.
fn exponential(x: f64, ulp: f64) -> f64 {
    (3.0 + 2.0 * x.abs()) * ulp
}

#[test]
fn exponentials_and_logarithms_are_accurate() {
    let any = [random_bits(500, 10).as_slice(), &CORNERS].concat();
    let wide = [uniform(30000, -110.0, 100.0, 11).as_slice(), &uniform(10000, -1.0, 1.0, 12), &any].concat();
    near_by("exp(x)", &wide, &wide, |x, _, ulp| 0.6 * exponential(x, ulp), |x, _| x.exp());
    near("exp2(x)", &wide, &wide, 0.75, 0.0, |x, _| x.exp2());
    let around_one = uniform(20000, 0.5, 2.0, 14);
    let positive: Vec<f32> = [random_bits(30000, 13).as_slice(), &around_one, &CORNERS].concat();
    near("log(x)", &positive, &positive, 1.35, 0.0, |x, _| x.ln());
    near("log2(x)", &positive, &positive, 0.65, 0.0, |x, _| x.log2());
    near("log(x)", &around_one, &around_one, 0.0, 6e-8, |x, _| x.ln());
    near("inverseSqrt(x)", &positive, &positive, 0.7, 0.0, |x, _| 1.0 / x.sqrt());
    let base = uniform(20000, 0.01, 20.0, 15);
    near("pow(x, y)", &base, &uniform(20000, -5.0, 5.0, 16), 23.0, 0.0, |x, y| x.powf(y));
    exact("pow(x, y)", &[2.0, 0.0, 5.0, 4.0], &[10.0, 3.0, 0.0, 0.5], |x, y| x.powf(y));
    let powers: Vec<f32> = (-149..128).map(|n| 2f32.powi(n)).collect();
    exact("log2(x) + exp2(log2(x))", &powers, &powers, |x, _| x.log2() + x);
}

#[test]
fn trigonometry_is_accurate() {
    let angles =
        [uniform(30000, -7.0, 7.0, 20).as_slice(), &uniform(20000, -10000.0, 10000.0, 21), &CORNERS[..9]].concat();
    let any = [random_bits(20000, 23).as_slice(), &uniform(20000, -4.0, 4.0, 24), &CORNERS].concat();
    near("sin(x)", &angles, &angles, 0.0, 4e-8, |x, _| x.sin());
    near("cos(x)", &angles, &angles, 0.0, 4e-8, |x, _| x.cos());
    near("sin(x)", &any, &any, 0.0, 4e-8, |x, _| x.sin());
    let small = uniform(20000, -0.5, 0.5, 27);
    near("sin(x)", &small, &small, 0.75, 0.0, |x, _| x.sin());
    // The error of the phase counts times the slope.
    let slope = |_: f64, tan: f64, ulp: f64| 1.9 * ulp + 7e-9 * (1.0 + tan * tan);
    near_by("tan(x)", &angles, &angles, slope, |x, _| x.tan());
    near("tan(x)", &small, &small, 1.55, 0.0, |x, _| x.tan());
    exact("sin(x)", &[f32::INFINITY, f32::NAN], &[0.0; 2], |_, _| f32::NAN);
    let unit = [uniform(30000, -1.0, 1.0, 22).as_slice(), &[1.0, -1.0, 0.0, -0.0, 1e-30, 2.0, f32::NAN]].concat();
    near("asin(x)", &unit, &unit, 2.3, 0.0, |x, _| x.asin());
    near("acos(x)", &unit, &unit, 1.3, 0.0, |x, _| x.acos());
    near("atan(x)", &any, &any, 2.1, 0.0, |x, _| x.atan());
    let (mut y, mut x) = (random_bits(20000, 25), random_bits(20000, 26));
    for a in CORNERS {
        for b in CORNERS {
            y.push(a);
            x.push(b);
        }
    }
    near("atan2(x, y)", &y, &x, 1.7, 0.0, |y, x| y.atan2(x));
}

#[test]
fn hyperbolic_functions_are_accurate() {
    let x = [uniform(30000, -5.0, 5.0, 30).as_slice(), &uniform(5000, -95.0, 95.0, 31), &CORNERS].concat();
    near_by("sinh(x)", &x, &x, |x, _, ulp| 0.65 * exponential(x, ulp), |x, _| x.sinh());
    near_by("cosh(x)", &x, &x, |x, _, ulp| 0.65 * exponential(x, ulp), |x, _| x.cosh());
    near("tanh(x)", &x, &x, 1.5, 0.0, |x, _| x.tanh());
    near("asinh(x)", &x, &x, 2.7, 0.0, |x, _| x.asinh());
    let above: Vec<f32> = uniform(30000, 1.0, 8.0, 32).into_iter().chain([1.0, 2000.0, 1e30]).collect();
    near("acosh(x)", &above, &above, 2.35, 0.0, |x, _| x.acosh());
    let unit = uniform(30000, -1.0, 1.0, 33);
    near("atanh(x)", &unit, &unit, 1.7, 0.0, |x, _| x.atanh());
}

#[test]
fn vectors_and_remainders_are_accurate() {
    let x = uniform(20000, -100.0, 100.0, 50);
    let y = uniform(20000, 0.01, 50.0, 51);
    let length = |x: f64, y: f64| (x * x + y * y + 4.0).sqrt();
    near("length(vec3(x, y, 2.0))", &x, &y, 1.3, 0.0, length);
    near("normalize(vec3(x, y, 2.0)).y", &x, &y, 1.9, 0.0, move |x, y| y / length(x, y));
    near("distance(vec2(x, y), vec2(1.0, 1.0))", &x, &y, 1.3, 0.0, |x, y| {
        ((x - 1.0).powi(2) + (y - 1.0).powi(2)).sqrt()
    });
    exact("x % y", &x, &y, |x, y| (-y).mul_add((x / y).trunc(), x));
    exact("smoothstep(0.0, y, x)", &x, &y, |x, y| {
        let t = (x / y).clamp(0.0, 1.0);
        (t * t) * t.mul_add(-2.0, 3.0)
    });
}

/// An expression and what it should be.
type Reference = (&'static str, fn(f64) -> f64);

/// The stand-ins of the prelude, which are used when `float-unit` is left out: what is exact gives
/// the instructions' bits, the rest keeps the limits that `docs/accuracy.md` states for it.
#[test]
fn the_library_replaces_the_float_unit() {
    let source = |expression: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read> a: array<f32>;
             @group(0) @binding(1) var<storage, read_write> c: array<f32>;
             @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                 let i = id.x; if i >= arrayLength(&a) {{ return; }}
                 let x = a[i]; let y = a[(i * 7u + 3u) % arrayLength(&a)]; c[i] = {expression};
             }}"
        )
    };
    let run = |expression: &str, x: &[f32], float_unit: bool| {
        let options = Options { float_unit, ..Options::default() };
        let run =
            Run { lowered: compile_with(&source(expression), Lang::Wgsl, &options), grid: [1; 3], buffers: vec![] };
        let text = run.lowered.module.to_string();
        let used = TABLE
            .iter()
            .filter(|r| r.class == Class::Function)
            .any(|r| text.contains(&format!(" {} ", r.name.to_lowercase())));
        assert!(float_unit || !used, "{expression} uses the function unit");
        run.grid(x.len().div_ceil(64) as u32, 1, 1).floats(x).zeros(x.len()).go().float_buffer(1)
    };
    let any = [random_bits(500, 60).as_slice(), &uniform(500, -3.0, 3.0, 61), &CORNERS].concat();
    for expression in [
        "x / y",
        "sqrt(x)",
        "floor(x) + ceil(x) + trunc(x) + round(x) + fract(x)",
        "quantizeToF16(x)",
        "bitcast<f32>(pack2x16float(vec2(x, y)))",
        "unpack2x16snorm(bitcast<u32>(x)).y + unpack4x8unorm(bitcast<u32>(x)).z",
        "f32(pack4x8snorm(vec4(1.0, -1.0, 0.25, x)))",
    ] {
        for ((&x, a), b) in any.iter().zip(run(expression, &any, true)).zip(run(expression, &any, false)) {
            assert!(same(a, b), "{expression} for x={x:e}: {a:e} with the unit, {b:e} without");
        }
    }
    let any = [random_bits(5000, 62).as_slice(), &uniform(3000, -150.0, 130.0, 63), &any].concat();
    let references: [Reference; 3] =
        [("inverseSqrt(x)", |x| 1.0 / x.sqrt()), ("exp2(x)", f64::exp2), ("log2(x)", f64::log2)];
    for (expression, reference) in references {
        check(expression, &any, &any, &run(expression, &any, false), |_, _, ulp| ulp, |x, _| reference(x));
    }
    let angles =
        [uniform(5000, -7.0, 7.0, 64).as_slice(), &uniform(5000, -10000.0, 10000.0, 65), &CORNERS[..9]].concat();
    let references: [Reference; 2] = [("sin(x)", f64::sin), ("cos(x)", f64::cos)];
    for (expression, reference) in references {
        check(expression, &angles, &angles, &run(expression, &angles, false), |_, _, _| 1e-7, |x, _| reference(x));
        for (&x, seen) in any.iter().zip(run(expression, &any, false)) {
            let allowed = if x.is_finite() { x.abs() < 8388608.0 || seen.abs() <= 1.0 } else { seen.is_nan() };
            assert!(allowed, "{expression} for x={x:e}: {seen:e} without the unit");
        }
    }
}
