//! Closed fans cover each sample inside once. Independent boxes would hide a crack between two
//! triangles, so fans are drawn again with additive blending, on the model alone, and counted.
//!
//! It can be wrong by counting as inside what is not: such a sample must be inside each edge of the
//! rim for all places of its corners.

use std::collections::BTreeSet;
use std::path::Path;

use quadlock_beside::polygon::{Covered, Polygon};
use quadlock_beside::scene::{Draw, Equation, Factor, Format, Kind, Operation, Scene, Write};
use quadlock_golden::Fault;

use super::ours;
use crate::base::error::Input;

/// The vertex in the middle, if the triangles are a closed fan.
fn middle(triangles: &[[u32; 3]]) -> Option<u32> {
    let first = triangles.first().filter(|_| triangles.len() >= 3)?;
    first.iter().copied().find(|m| {
        let rim = |t: &[u32; 3]| {
            let k = t.iter().position(|v| v == m)?;
            Some([t[(k + 1) % 3], t[(k + 2) % 3]])
        };
        let Some(edges) = triangles.iter().map(rim).collect::<Option<Vec<_>>>() else { return false };
        let joined = edges.iter().zip(edges.iter().cycle().skip(1)).all(|(a, b)| a[1] == b[0]);
        let starts: BTreeSet<u32> = edges.iter().map(|e| e[0]).collect();
        joined && starts.len() == edges.len()
    })
}

/// The draw alone, adding 1 wherever it covers.
fn counting(scene: &Scene, draw: &Draw) -> Scene {
    let add = Equation { src: Factor::One, dst: Factor::One, operation: Operation::Add };
    let mut draw = draw.clone();
    draw.vertices.iter_mut().for_each(|v| v.colour = [1.0; 4]);
    draw.kind = Kind::Plain;
    let state = &mut draw.state;
    (state.cull, state.depth, state.stencil, state.mask) = (None, None, None, 15);
    state.writes = vec![Write { mask: 15, blend: Some([add; 2]) }];
    Scene { formats: vec![Format::Float16], clear: [0.0; 4], draws: vec![draw], ..scene.clone() }
}

/// Samples that are inside for certain; none if a triangle's face is not certain, or not that of
/// the others.
fn inside(scene: &Scene, draw: &Draw, m: u32) -> Vec<usize> {
    let of = |t: &[u32; 3]| {
        let polygon = Polygon::new(t.map(|v| draw.vertices[v as usize].position), &draw.state);
        (polygon, t.iter().position(|&v| v == m).unwrap_or(0))
    };
    let all: Vec<(Polygon, usize)> = draw.triangles().iter().map(of).collect();
    let face = all[0].0.clockwise();
    if face.is_none() || all.iter().any(|(p, _)| p.clipped || p.clockwise() != face) {
        return vec![];
    }
    let [left, top, width, height] = draw.state.scissor;
    let counts = |n: usize| {
        let (x, y, _) = scene.sample(n);
        (left..left + width).contains(&x)
            && (top..top + height).contains(&y)
            && all[0].0.is_in_viewport(scene.place(n)) == Covered::Yes
            && all.iter().all(|(p, k)| p.side((k + 1) % 3, scene.place(n), false) == Covered::Yes)
    };
    (0..scene.count()).filter(|&n| counts(n)).collect()
}

/// What of a scene's fans is not covered once, in words; none: all is.
pub(super) fn wrong(scene: &Scene, folder: &Path, fault: Option<Fault>) -> Input<Option<String>> {
    for (k, draw) in scene.draws.iter().enumerate() {
        let Some(m) = middle(&draw.triangles()).filter(|_| !draw.strip) else { continue };
        let inner = inside(scene, draw, m);
        if inner.is_empty() {
            continue;
        }
        let picture = ours::picture(&counting(scene, draw), folder, fault)?;
        let count = |n: usize| f32::from_bits(picture.targets[0][n][0]);
        if let Some(&n) = inner.iter().find(|&&n| count(n) != 1.0) {
            let (x, y, s) = scene.sample(n);
            let times = count(n);
            return Ok(Some(format!(
                "draw {k} covers pixel ({x}, {y}), sample {s} {times} times, and is a closed fan"
            )));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::middle;

    #[test]
    fn fans_are_known() {
        assert_eq!(middle(&[[0, 1, 2], [2, 3, 0], [3, 1, 0]]), Some(0));
        assert_eq!(middle(&[[0, 1, 2], [0, 2, 3], [0, 3, 4]]), None);
        assert_eq!(middle(&[[0, 1, 2], [0, 2, 1]]), None);
    }
}
