//! Normals that a mesh has not: smooth ones if the scene asks for them, else those of the triangles
//! for vertices whose part has none while others have (glTF 2.0, section 3.7.2.1).
//!
//! What a triangle is depends on how a draw puts indices together. It can be wrong by the order of
//! corners in a strip, which alternates: the normals of a plane would then cancel.

use std::collections::HashMap;

use super::shape::Mesh;
use crate::scene::file::spec::Joining;

/// The cross product of two sides: the normal of a triangle, as long as twice its area.
fn area(mesh: &Mesh, [a, b, c]: [usize; 3]) -> [f64; 3] {
    let positions = &mesh.attributes["position"];
    let at = |i: usize| -> [f64; 3] { std::array::from_fn(|k| positions.numbers[i * positions.components + k]) };
    let [a, b, c] = [at(a), at(b), at(c)];
    let [u, v]: [[f64; 3]; 2] = [std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k])];
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

/// Of length 1, or zeros.
fn unit(n: [f64; 3]) -> [f64; 3] {
    let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
    n.map(|x| if length > 0.0 { x / length } else { 0.0 })
}

/// Whether vertices of a mesh have no normals that could be made.
pub(super) fn lacking(mesh: &Mesh) -> bool {
    let solid = mesh.attributes.get("position").is_some_and(|p| p.components >= 3);
    solid && (!mesh.attributes.contains_key("normal") || !mesh.bare.is_empty())
}

/// Gives vertices without normals the mean of their triangles', by area.
pub(super) fn smooth(mesh: &mut Mesh, joining: Joining) {
    if !lacking(mesh) {
        return;
    }
    let corners = mesh.indices.clone().unwrap_or_else(|| (0..mesh.vertices as u32).collect());
    let mut sums = vec![[0.0; 3]; mesh.vertices];
    // Numbers that end a strip in another draw are no vertices: who draws them is told.
    for t in joining.triangles(&corners).into_iter().filter(|t| t.iter().all(|&i| i < mesh.vertices)) {
        let normal = area(mesh, t);
        t.iter().for_each(|&i| (0..3).for_each(|k| sums[i][k] += normal[k]));
    }
    let normals = mesh.attributes.entry("normal".into()).or_default();
    normals.components = 3;
    normals.numbers.resize(3 * mesh.vertices, 0.0);
    for (i, sum) in sums.into_iter().enumerate() {
        if mesh.bare.get(i).is_none_or(|bare| *bare) {
            normals.numbers[3 * i..3 * i + 3].copy_from_slice(&unit(sum));
        }
    }
    mesh.bare.clear();
}

/// Gives vertices without normals those of their triangles. A vertex of several triangles becomes
/// several, one for each normal. The mesh is a list of triangles.
pub(super) fn flat(mesh: &mut Mesh) {
    if mesh.bare.is_empty() || !lacking(mesh) {
        return;
    }
    let bare = std::mem::take(&mut mesh.bare);
    let mut indices = mesh.indices.take().unwrap_or_else(|| (0..mesh.vertices as u32).collect());
    // The vertex of each old one and each normal; the first normal takes the old vertex.
    let mut taken: HashMap<(u32, [u64; 3]), u32> = HashMap::new();
    let mut used = vec![false; mesh.vertices];
    for t in indices.chunks_exact_mut(3) {
        let normal = unit(area(mesh, [t[0] as usize, t[1] as usize, t[2] as usize]));
        for corner in t.iter_mut().filter(|i| bare[**i as usize]) {
            let old = *corner;
            *corner = *taken.entry((old, normal.map(f64::to_bits))).or_insert_with(|| {
                let new = match std::mem::replace(&mut used[old as usize], true) {
                    false => old,
                    true => copied(mesh, old as usize),
                };
                let normals = &mut mesh.attributes.entry("normal".into()).or_default().numbers;
                normals[3 * new as usize..3 * new as usize + 3].copy_from_slice(&normal);
                new
            });
        }
    }
    mesh.indices = Some(indices);
}

/// Adds a vertex like another one; its number.
fn copied(mesh: &mut Mesh, old: usize) -> u32 {
    for array in mesh.attributes.values_mut() {
        let n = array.components;
        array.numbers.extend_from_within(old * n..(old + 1) * n);
    }
    mesh.vertices += 1;
    mesh.vertices as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::super::shape::Array;
    use super::*;
    use crate::scene::file::spec::Topology;

    /// Positions, and indices.
    fn mesh(positions: &[[f64; 3]], indices: Option<&[u32]>) -> Mesh {
        let array = Array { components: 3, numbers: positions.concat() };
        let attributes = [("position".to_owned(), array)].into();
        Mesh { attributes, vertices: positions.len(), indices: indices.map(<[u32]>::to_vec), ..Mesh::default() }
    }

    fn normals(mesh: &Mesh) -> Vec<[f64; 3]> {
        mesh.attributes["normal"].numbers.chunks(3).map(|n| [n[0], n[1], n[2]]).collect()
    }

    const STRIP: Joining = Joining { topology: Topology::Strip, restart: None };
    const LIST: Joining = Joining::LIST;
    const UP: [f64; 3] = [0.0, 0.0, 1.0];

    /// Two rows of a plane that is seen from above.
    fn plane(columns: u32) -> Vec<[f64; 3]> {
        (0..columns).flat_map(|x| [[f64::from(x), 1.0, 0.0], [f64::from(x), 0.0, 0.0]]).collect()
    }

    #[test]
    fn all_triangles_of_a_strip_in_a_plane_have_its_normal() {
        for (columns, indices) in [(2, None), (5, None), (3, Some([0u32, 1, 2, 3, 4, 5]))] {
            let mut m = mesh(&plane(columns), indices.as_ref().map(|i| &i[..]));
            smooth(&mut m, STRIP);
            assert_eq!(normals(&m), vec![UP; 2 * columns as usize], "{columns}");
        }
    }

    /// A bend of a right angle between the second and the third column.
    #[test]
    fn a_strip_bends_where_its_triangles_do() {
        let mut positions = plane(2);
        positions.extend([[1.0, 1.0, -1.0], [1.0, 0.0, -1.0]]);
        let mut m = mesh(&positions, None);
        smooth(&mut m, STRIP);
        // Vertex 2 has two triangles of the first square and one of the second; vertex 3 has one
        // and two.
        let of = |up: f64, right: f64| {
            let length = (up * up + right * right).sqrt();
            [right / length, 0.0, up / length]
        };
        assert_eq!(normals(&m), [UP, UP, of(2.0, 1.0), of(1.0, 2.0), [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    }

    #[test]
    fn a_restart_begins_the_order_of_corners_again() {
        for end in [0xFFFF, u32::MAX] {
            let indices = [0, 1, 2, end, end, 2, 3, 4, 5, end, 5];
            let restart = Joining { restart: Some(end), ..STRIP };
            assert_eq!(restart.triangles(&indices), [[0, 1, 2], [2, 3, 4], [3, 5, 4]]);
            let mut m = mesh(&plane(3), Some(&indices));
            smooth(&mut m, restart);
            assert_eq!(normals(&m), vec![UP; 6]);
        }
        // Without it the number is a vertex like others, and a list has none.
        assert_eq!(STRIP.triangles(&[7, 0xFFFF, 8]), [[7, 0xFFFF, 8]]);
        let list = Joining { restart: Some(9), ..LIST };
        assert_eq!(list.triangles(&[0, 9, 1, 2]), [[0, 9, 1]]);
    }

    #[test]
    fn only_vertices_without_normals_get_some() {
        let mut m = mesh(&plane(2), Some(&[0, 1, 2, 3, 2, 1]));
        m.attributes.insert("normal".into(), Array { components: 3, numbers: [[5.0, 0.0, 0.0]; 4].concat() });
        let own = m.clone();
        smooth(&mut m, LIST);
        assert_eq!(m, own);
        m.bare = vec![false, true, true, true];
        smooth(&mut m, LIST);
        assert_eq!(normals(&m), [[5.0, 0.0, 0.0], UP, UP, UP]);
    }

    /// Two faces of a cube share an edge: its ends become two vertices each.
    #[test]
    fn flat_normals_divide_vertices_by_direction_alone() {
        let corner =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
        let mut m = mesh(&corner, Some(&[0, 1, 2, 0, 2, 3, 0, 3, 5, 0, 5, 4]));
        m.attributes.insert("normal".into(), Array { components: 3, numbers: [[5.0, 0.0, 0.0]; 6].concat() });
        m.bare = vec![true; 6];
        flat(&mut m);
        let normal = normals(&m);
        let indices = m.indices.clone().unwrap();
        assert_eq!((m.vertices, &indices[..6]), (8, &[0, 1, 2, 0, 2, 3][..]));
        for (k, &i) in indices.iter().enumerate() {
            let want = if k < 6 { UP } else { [1.0, 0.0, 0.0] };
            assert_eq!(normal[i as usize].map(|x| x + 0.0), want, "{k}");
        }
        let position = |i: u32| &m.attributes["position"].numbers[3 * i as usize..][..3];
        assert_eq!(position(indices[6]), [0.0, 0.0, 0.0]);
        assert_eq!(position(indices[7]), [0.0, 1.0, 0.0]);
    }
}
