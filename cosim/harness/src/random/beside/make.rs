//! What a scene beside another renderer has: a seed decides it all.
//!
//! A third of the scenes stand on the grid. One in ten has programs that compute. Not drawn: two
//! samples, which lavapipe does not have, and alpha to coverage, which it has wrong.

use quadlock_beside::scene::{
    Compare, Draw, Equation, Factor, Format, Indices, Interpolation, Kind, Operation, Place, Scene, State, Stencil,
    StencilFace, StencilOp, Vertex, Write,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::places::{of, shape, Space};

const COMPARES: [Compare; 8] = [
    Compare::Never,
    Compare::Less,
    Compare::Equal,
    Compare::LessEqual,
    Compare::Greater,
    Compare::NotEqual,
    Compare::GreaterEqual,
    Compare::Always,
];
const STENCILS: [StencilOp; 8] = [
    StencilOp::Keep,
    StencilOp::Zero,
    StencilOp::Replace,
    StencilOp::Invert,
    StencilOp::IncrementClamp,
    StencilOp::DecrementClamp,
    StencilOp::IncrementWrap,
    StencilOp::DecrementWrap,
];
const FACTORS: [Factor; 13] = [
    Factor::Zero,
    Factor::One,
    Factor::Src,
    Factor::OneMinusSrc,
    Factor::SrcAlpha,
    Factor::OneMinusSrcAlpha,
    Factor::Dst,
    Factor::OneMinusDst,
    Factor::DstAlpha,
    Factor::OneMinusDstAlpha,
    Factor::SrcAlphaSaturated,
    Factor::Constant,
    Factor::OneMinusConstant,
];
const OPERATIONS: [Operation; 5] =
    [Operation::Add, Operation::Subtract, Operation::ReverseSubtract, Operation::Min, Operation::Max];
const FORMATS: [Format; 6] =
    [Format::Unorm8, Format::Unorm8, Format::Srgb8, Format::Float16, Format::Float16, Format::Float32];

/// The scene of a seed.
pub fn make(seed: u64) -> Scene {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xBE51_DE00);
    let r = &mut rng;
    // A stream of their own: with or without restarts the rest of a scene is the same.
    let mut restarts = ChaCha8Rng::seed_from_u64(seed ^ 0x5E57_A127);
    let on_grid = seed.is_multiple_of(3);
    let size = |r: &mut ChaCha8Rng| if on_grid { of(r, &[16, 32]) } else { r.random_range(8..=32) };
    let count = of(r, &[0, 1, 1, 1, 2, 3]);
    let mut scene = Scene {
        width: size(r),
        height: size(r),
        samples: of(r, &[1, 1, 4]),
        formats: (0..count).map(|_| of(r, &FORMATS)).collect(),
        clear: of(r, &[[0.0; 4], [1.0; 4], [0.2, 0.4, 0.6, 1.0]]),
        clear_depth: of(r, &[1, 1, 1, 0]),
        clear_stencil: of(r, &[0, 1, 255, 0x5A]),
        draws: vec![],
        on_grid,
    };
    let computes = seed % 10 == 7;
    for _ in 0..1 + of(r, &[0, 0, 0, 1, 1, 2]) {
        let draw = draw(r, &mut restarts, &scene, computes);
        scene.draws.push(draw);
    }
    scene
}

fn interpolation(r: &mut ChaCha8Rng, samples: u32) -> Interpolation {
    let places: &[Place] = match samples {
        1 => &[Place::Centre],
        _ => &[Place::Centre, Place::Centre, Place::Centre, Place::Centroid, Place::Sample],
    };
    match r.random_range(0..10) {
        0..=4 => Interpolation::Perspective(of(r, places)),
        5..=7 => Interpolation::Linear(of(r, places)),
        _ => Interpolation::Flat,
    }
}

/// Tests change what is covered of a pixel, and with it where the centroid may be. Triangles alone
/// have no tests, so the centre is taken where a draw has some.
fn without_centroid(i: Interpolation, kind: Kind, state: &State) -> Interpolation {
    let tests = state.depth.is_some() || state.stencil.is_some() || state.mask != 15 || kind == Kind::Mask;
    match i {
        Interpolation::Perspective(Place::Centroid) if tests => Interpolation::Perspective(Place::Centre),
        Interpolation::Linear(Place::Centroid) if tests => Interpolation::Linear(Place::Centre),
        i => i,
    }
}

fn vertex(r: &mut ChaCha8Rng, position: [f32; 4]) -> Vertex {
    let colour = match r.random_range(0..4) {
        0 => std::array::from_fn(|_| of(r, &[0.0, 1.0, 0.5, 0.25])),
        1 => std::array::from_fn(|_| r.random_range(-0.5..1.5)),
        _ => std::array::from_fn(|_| r.random_range(0.0..1.0)),
    };
    let pair = [r.random_range(-4.0..4.0), r.random_range(0.0..1.0)];
    Vertex { position, colour, pair, number: r.random_range(0..16) }
}

fn draw(r: &mut ChaCha8Rng, restarts: &mut ChaCha8Rng, scene: &Scene, computes: bool) -> Draw {
    let state = state(r, scene);
    let space = Space::new(r, [scene.width, scene.height], state.viewport, scene.on_grid);
    let mut shape = shape(r, &space);
    let is_indexed = r.random_bool(0.6) || shape.order.iter().enumerate().any(|(k, &v)| k as u32 != v);
    let bytes = of(r, &[2, 4]);
    let restart = shape.strip && is_indexed && restarts.random_bool(0.7);
    if restart {
        // Wherever it may stand: at an end, behind one vertex of a strip, twice in a row.
        for _ in 0..of(restarts, &[1, 1, 2, 3]) {
            let at = restarts.random_range(0..=shape.order.len());
            shape.order.insert(at, if bytes == 2 { 0xFFFF } else { u32::MAX });
        }
    }
    let first: u32 = of(r, &[0, 0, 0, 1, 4]);
    let base: u32 = if is_indexed { of(r, &[0, 0, 2]) } else { 0 };
    // What is not drawn stands before the others.
    let before = if is_indexed { base } else { first };
    let spare = [0.0, 0.0, 0.5, 1.0];
    let positions = std::iter::repeat_n(spare, before as usize).chain(shape.positions);
    let vertices = positions.collect::<Vec<_>>().into_iter().map(|p| vertex(r, p)).collect();
    let values = std::iter::repeat_n(0, first as usize).chain(shape.order).collect();
    let kind = match r.random_range(0..20) {
        _ if computes => Kind::Computing(r.random_range(0..4)),
        0..=2 => Kind::Discard,
        3 | 4 => Kind::Depth,
        5 | 6 => Kind::Mask,
        _ => Kind::Plain,
    };
    Draw {
        vertices,
        indices: is_indexed.then_some(Indices { bytes, values }),
        strip: shape.strip,
        restart,
        first,
        base_vertex: base as i32,
        interpolation: [0; 2].map(|_| without_centroid(interpolation(r, scene.samples), kind, &state)),
        kind,
        state,
    }
}

fn face(r: &mut ChaCha8Rng) -> StencilFace {
    let compare = if r.random_bool(0.6) { Compare::Always } else { of(r, &COMPARES) };
    let [fail, depth_fail, pass] = [0; 3].map(|_| of(r, &STENCILS));
    StencilFace { compare, fail, depth_fail, pass }
}

fn blend(r: &mut ChaCha8Rng, format: Format) -> Option<[Equation; 2]> {
    // WebGPU blends no r32float.
    if format == Format::Float32 || r.random_bool(0.15) {
        return None;
    }
    let equation = |src, dst, operation| Equation { src, dst, operation };
    Some(match r.random_range(0..4) {
        0 => [equation(Factor::SrcAlpha, Factor::OneMinusSrcAlpha, Operation::Add); 2],
        1 => [equation(Factor::One, Factor::One, Operation::Add); 2],
        _ => [0; 2].map(|_| {
            let (src, dst) = (of(r, &FACTORS), of(r, &FACTORS));
            equation(src, dst, of(r, &OPERATIONS))
        }),
    })
}

/// A viewport: of whole numbers on the grid and with several samples, else of quarters too.
fn viewport(r: &mut ChaCha8Rng, scene: &Scene) -> [f32; 4] {
    let all = [scene.width, scene.height].map(|s| s as f32);
    if r.random_bool(0.7) {
        return [0.0, 0.0, all[0], all[1]];
    }
    let [x, y] = all.map(|s| r.random_range(-0.5..0.6f32) * s);
    if scene.on_grid {
        let size = [0; 2].map(|_| of(r, &[8.0, 16.0, 32.0, 64.0]));
        return [x.round(), y.round(), size[0], size[1]];
    }
    let part = if scene.samples == 1 && r.random() { 4.0 } else { 1.0 };
    let [w, h] = all.map(|s| (r.random_range(0.2..2.0f32) * s).ceil());
    [(x * part).round() / part, (y * part).round() / part, w, h]
}

fn state(r: &mut ChaCha8Rng, scene: &Scene) -> State {
    let depth = r.random_bool(0.6).then(|| if r.random() { Compare::Less } else { of(r, &COMPARES) });
    let bias = match r.random_range(0..3) {
        0 => {
            let constant = of(r, &[0.0, 1.0, -1.0, 1000.0, 4e6, -4e6, 3e5]);
            [constant, of(r, &[0.0, 0.0, 1.0, -2.5, 40.0]), of(r, &[0.0, 0.0, 0.0, 0.01, -0.01])]
        }
        _ => [0.0; 3],
    };
    let blended = r.random_bool(0.5);
    let masked = r.random_bool(0.25);
    let writes = scene.formats.iter().map(|&f| Write {
        mask: if masked { of(r, &[1, 6, 7, 8, 0, 15]) } else { 15 },
        blend: if blended { blend(r, f) } else { None },
    });
    let writes = writes.collect();
    // The constant of a draw has one form for bytes.
    let both = [Format::Unorm8, Format::Srgb8].iter().all(|f| scene.formats.contains(f));
    let constant = if both { [0.0; 4] } else { [0; 4].map(|_| of(r, &[0.0, 0.25, 0.5, 1.0])) };
    let scissor = if r.random_bool(0.3) {
        let (x, y) = (r.random_range(0..scene.width / 2), r.random_range(0..scene.height / 2));
        [x, y, r.random_range(1..=scene.width - x), r.random_range(1..=scene.height - y)]
    } else {
        [0, 0, scene.width, scene.height]
    };
    State {
        cull: r.random_bool(0.25).then(|| r.random()),
        front_clockwise: r.random_bool(0.4),
        depth,
        depth_write: r.random_bool(0.75),
        bias,
        stencil: r.random_bool(0.3).then(|| Stencil {
            front: face(r),
            back: face(r),
            read: of(r, &[255, 255, 15, 0x81]),
            write: of(r, &[255, 255, 15, 0x81]),
            reference: of(r, &[0, 1, 2, 127, 255]),
        }),
        writes,
        constant,
        viewport: viewport(r, scene),
        range: of(r, &[[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.25, 0.75], [1.0, 0.0]]),
        scissor,
        mask: if scene.samples > 1 && r.random_bool(0.2) { of(r, &[1, 5, 10, 14]) } else { 15 },
    }
}
