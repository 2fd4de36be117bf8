//! Positions of any size: all words of a triangle's positions times one power of two give the same
//! triangles, because w divides them. The check is of the model against itself; what a triangle of
//! ordinary size is, `graphics/primitive.rs` holds to exact arithmetic.

use proptest::prelude::*;
use quadlock_golden::graphics::primitive::{assemble, Assembled, Vertex};
use quadlock_golden::graphics::records::State;
use quadlock_golden::Memory;

/// A target of 16 by 16 pixels, and one smooth word.
fn state() -> State {
    let half = 8.0f32;
    let guard = 8190.0 / half - 1.0;
    let mut state = State::read(&Memory::new(0x2000), 0x1000).expect("zeros are a record");
    state.viewport = [half, half, half, -half, 0.0, 1.0, guard, guard].map(f32::to_bits);
    state.depth_range = [0, 0xFF_FFFF];
    state.varyings = 1;
    state
}

fn scaled(p: &[[f32; 4]; 3], power: i32) -> Assembled {
    let v = p.map(|p| {
        let mut v: Vertex = [0; 64];
        v[..4].copy_from_slice(&p.map(|x| (x * 2f32.powi(power)).to_bits()));
        v[4] = p[0].to_bits();
        v
    });
    assemble([&v[0], &v[1], &v[2]], &state())
}

/// w is 1/16 or more, so that no power makes it the least; others may be outside of every plane.
fn position() -> impl Strategy<Value = [f32; 4]> {
    let coordinate = || prop_oneof![4 => -2f32..2.0, 1 => -60f32..60.0, 1 => -20000f32..20000.0];
    (coordinate(), coordinate(), -0.5f32..1.5, 0.0625f32..2.0).prop_map(|(x, y, z, w)| [x, y, z, w])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_power_of_two_changes_nothing(p in [position(), position(), position()], power in -72i32..80) {
        let (plain, scaled) = (scaled(&p, 0), scaled(&p, power));
        prop_assert_eq!((plain.culled, plain.clipped), (scaled.culled, scaled.clipped));
        prop_assert_eq!(plain.primitives.len(), scaled.primitives.len());
        for (a, b) in plain.primitives.iter().zip(&scaled.primitives) {
            prop_assert_eq!(&a.triangle, &b.triangle);
            prop_assert_eq!(a.inverse_area, b.inverse_area);
            let divided = |r: u32| (f32::from_bits(r) / 2f32.powi(power)).to_bits();
            prop_assert_eq!(a.reciprocals.map(divided), b.reciprocals);
            for (a, b) in a.vertices.iter().zip(&b.vertices) {
                prop_assert_eq!(a[4], b[4]);
            }
        }
    }
}
