//! Numbers of bindings: plain ones, lists, and matrices that a camera needs, as words.
//!
//! Matrices are four columns of four, computed in f64 and rounded once. Clip space is WebGPU's: y
//! up, z from 0 to 1. Wrong would be a row taken for a column; the tests multiply by hand.

use toml::Value;

/// Four columns of four.
type Matrix = [[f64; 4]; 4];

/// The words of a list. `aspect` is width by height of the target.
///
/// # Errors
/// What is wrong, in words.
pub fn words(values: &[Value], aspect: f64) -> Result<Vec<u32>, String> {
    let mut out = vec![];
    values.iter().try_for_each(|v| push(v, aspect, &mut out))?;
    Ok(out)
}

fn push(value: &Value, aspect: f64, out: &mut Vec<u32>) -> Result<(), String> {
    match value {
        Value::Float(f) => out.push((*f as f32).to_bits()),
        Value::Integer(n) => out.push((*n as f32).to_bits()),
        // A bool of GLSL in a buffer is a word.
        Value::Boolean(b) => out.push(u32::from(*b)),
        Value::Array(all) => all.iter().try_for_each(|v| push(v, aspect, out))?,
        Value::Table(table) => match one(table)? {
            ("u32", v) => out.extend(integers(v, 0, i64::from(u32::MAX))?.into_iter().map(|n| n as u32)),
            ("i32", v) => {
                out.extend(integers(v, i64::from(i32::MIN), i64::from(i32::MAX))?.into_iter().map(|n| n as u32));
            }
            ("normal", v) => {
                // The inverse's transpose of the upper left part, as three columns of vec4.
                let n = normal(matrix(v, aspect)?)?;
                out.extend(n.iter().flatten().map(|x| (*x as f32).to_bits()));
            }
            _ => out.extend(matrix(value, aspect)?.iter().flatten().map(|x| (*x as f32).to_bits())),
        },
        other => return Err(format!("`{other}` is no number, list or matrix")),
    }
    Ok(())
}

/// The one key of a table and its value.
fn one(table: &toml::Table) -> Result<(&str, &Value), String> {
    let mut all = table.iter();
    match (all.next(), all.next()) {
        (Some((key, value)), None) => Ok((key.as_str(), value)),
        _ => Err(
            "a matrix is a table of one key: perspective, look-at, rotate, translate, scale, product, normal, u32, i32"
                .into(),
        ),
    }
}

fn integers(value: &Value, least: i64, most: i64) -> Result<Vec<i64>, String> {
    match value {
        Value::Array(all) => Ok(all.iter().map(|v| integers(v, least, most)).collect::<Result<Vec<_>, _>>()?.concat()),
        Value::Integer(n) if (least..=most).contains(n) => Ok(vec![*n]),
        other => Err(format!("`{other}` is no whole number from {least} to {most}")),
    }
}

/// N numbers.
fn numbers<const N: usize>(value: &Value, what: &str) -> Result<[f64; N], String> {
    let wrong = || format!("{what} takes a list of {N} numbers");
    let all = value.as_array().filter(|a| a.len() == N).ok_or_else(wrong)?;
    let mut out = [0.0; N];
    for (x, v) in out.iter_mut().zip(all) {
        *x = v.as_float().or(v.as_integer().map(|n| n as f64)).ok_or_else(wrong)?;
    }
    Ok(out)
}

fn matrix(value: &Value, aspect: f64) -> Result<Matrix, String> {
    let table = value.as_table().ok_or("a matrix is a table of one key")?;
    let (key, v) = one(table)?;
    Ok(match key {
        "perspective" => {
            let [degrees, near, far] = numbers(v, "perspective (degrees of the height, near, far)")?;
            if !(near > 0.0 && far > near && degrees > 0.0 && degrees < 180.0) {
                return Err("perspective takes degrees between 0 and 180 and 0 < near < far".into());
            }
            let f = 1.0 / (degrees.to_radians() / 2.0).tan();
            let depth = far / (near - far);
            [[f / aspect, 0.0, 0.0, 0.0], [0.0, f, 0.0, 0.0], [0.0, 0.0, depth, -1.0], [0.0, 0.0, near * depth, 0.0]]
        }
        "orthographic" => {
            let [left, right, bottom, top, near, far] =
                numbers(v, "orthographic (left, right, bottom, top, near, far)")?;
            let scale = |a: f64, b: f64| 2.0 / (b - a);
            [
                [scale(left, right), 0.0, 0.0, 0.0],
                [0.0, scale(bottom, top), 0.0, 0.0],
                [0.0, 0.0, 1.0 / (near - far), 0.0],
                [(left + right) / (left - right), (bottom + top) / (bottom - top), near / (near - far), 1.0],
            ]
        }
        "look-at" => {
            let [ex, ey, ez, tx, ty, tz, ux, uy, uz] = numbers(v, "look-at (eye, target, up)")?;
            look_at([ex, ey, ez], [tx, ty, tz], [ux, uy, uz])
        }
        "rotate" => {
            let [x, y, z, degrees] = numbers(v, "rotate (axis, degrees)")?;
            rotate(unit([x, y, z]), degrees.to_radians())
        }
        "translate" => {
            let [x, y, z] = numbers(v, "translate")?;
            let mut m = identity();
            m[3] = [x, y, z, 1.0];
            m
        }
        "scale" => {
            let [x, y, z] = numbers(v, "scale")?;
            [[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0], [0.0, 0.0, 0.0, 1.0]]
        }
        "product" => {
            let all = v.as_array().ok_or("product takes a list of matrices")?;
            all.iter().try_fold(identity(), |m, v| Ok::<_, String>(product(&m, &matrix(v, aspect)?)))?
        }
        other => return Err(format!("there is no matrix `{other}`")),
    })
}

fn identity() -> Matrix {
    std::array::from_fn(|c| std::array::from_fn(|r| f64::from(u8::from(c == r))))
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|c| std::array::from_fn(|r| (0..4).map(|k| a[k][r] * b[c][k]).sum()))
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The camera looks along -z.
fn look_at(eye: [f64; 3], target: [f64; 3], up: [f64; 3]) -> Matrix {
    let back = unit([eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]]);
    let right = unit(cross(up, back));
    let up = cross(back, right);
    [
        [right[0], up[0], back[0], 0.0],
        [right[1], up[1], back[1], 0.0],
        [right[2], up[2], back[2], 0.0],
        [-dot(right, eye), -dot(up, eye), -dot(back, eye), 1.0],
    ]
}

fn rotate([x, y, z]: [f64; 3], angle: f64) -> Matrix {
    let (s, c) = angle.sin_cos();
    let t = 1.0 - c;
    [
        [t * x * x + c, t * x * y + s * z, t * x * z - s * y, 0.0],
        [t * x * y - s * z, t * y * y + c, t * y * z + s * x, 0.0],
        [t * x * z + s * y, t * y * z - s * x, t * z * z + c, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
}

fn normal(m: Matrix) -> Result<[[f64; 4]; 3], String> {
    let column = |k: usize| [m[k][0], m[k][1], m[k][2]];
    let (a, b, c) = (column(0), column(1), column(2));
    let determinant = dot(a, cross(b, c));
    if determinant == 0.0 || !determinant.is_finite() {
        return Err("normal: the matrix has no inverse".into());
    }
    let of = |v: [f64; 3]| [v[0] / determinant, v[1] / determinant, v[2] / determinant, 0.0];
    Ok([of(cross(b, c)), of(cross(c, a)), of(cross(a, b))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Vec<f32> {
        let table: toml::Table = toml::from_str(&format!("v = {text}")).unwrap();
        let values = table["v"].as_array().unwrap().clone();
        words(&values, 2.0).unwrap_or_else(|e| panic!("{e}")).into_iter().map(f32::from_bits).collect()
    }

    fn apply(m: &[f32], v: [f32; 4]) -> [f32; 4] {
        std::array::from_fn(|r| (0..4).map(|c| m[4 * c + r] * v[c]).sum())
    }

    #[test]
    fn a_camera_sees_its_target_in_the_middle() {
        let m = parse("[{ product = [{ perspective = [90, 1, 3] }, { look-at = [0, 0, 5, 0, 0, 3, 0, 1, 0] }] }]");
        assert_eq!(apply(&m, [0.0, 0.0, 4.0, 1.0]), [0.0, 0.0, 0.0, 1.0]);
        let p = apply(&m, [0.0, 2.0, 3.0, 1.0]);
        assert_eq!((p[1] / p[3], p[3]), (1.0, 2.0));
        assert!((apply(&m, [2.0, 0.0, 3.0, 1.0])[0] - 1.0).abs() < 1e-6);
        let far = apply(&m, [0.0, 0.0, 2.0, 1.0]);
        assert!((far[2] / far[3] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn turns_lists_and_integers() {
        let m = parse("[{ rotate = [0, 0, 1, 90] }]");
        let p = apply(&m, [1.0, 0.0, 0.0, 1.0]);
        assert!((p[0]).abs() < 1e-6 && (p[1] - 1.0).abs() < 1e-6);
        assert_eq!(
            parse("[1, [2.5, 3], { normal = { scale = [2, 4, 8] } }]")[..8],
            [1.0, 2.5, 3.0, 0.5, 0.0, 0.0, 0.0, 0.0]
        );
        let table: toml::Table = toml::from_str("v = [{ u32 = [7, 4294967295] }, { i32 = -1 }]").unwrap();
        assert_eq!(words(table["v"].as_array().unwrap(), 1.0), Ok(vec![7, u32::MAX, u32::MAX]));
        for wrong in ["['a']", "[{ rotate = [1, 2] }]", "[{ perspective = [90, 0, 1] }]", "[{ u32 = -1 }]", "[{}]"] {
            let table: toml::Table = toml::from_str(&format!("v = {wrong}")).unwrap();
            assert!(words(table["v"].as_array().unwrap(), 1.0).is_err(), "{wrong}");
        }
    }
}
