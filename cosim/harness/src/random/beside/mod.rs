//! Random scenes beside another renderer (docs/beside.md): a seed decides a scene, the golden model
//! and lavapipe draw it, and the arbiter of `quadlock_beside` says which samples are not legal.
//!
//! [`make`] chooses, [`places`] puts vertices, [`text`] writes the scene file, [`ours`] draws on
//! the model, [`child`] is the judge's process, [`fan`] counts how often fans cover, [`one`] judges
//! and shrinks. No RTL runs. It can be wrong by scenes that show nothing; `tests/beside.rs` plants
//! wrong rules in the model, and each must be found.

mod child;
mod fan;
mod make;
mod one;
mod ours;
mod places;
mod shrink;
mod text;

pub use child::{Judge, BINARY};
pub use make::make;
pub use one::{try_seed, Failure, Settings, Tried};

#[cfg(test)]
mod tests {
    use quadlock_beside::scene::{Interpolation, Kind};

    use super::*;

    #[test]
    fn a_seed_decides_everything() {
        assert!((0..50).all(|seed| make(seed) == make(seed)));
        assert_ne!(make(1), make(2));
    }

    /// What the generator is to cover is in the first 300 scenes.
    #[test]
    fn everything_is_drawn() {
        let scenes: Vec<_> = (1..=300).map(make).collect();
        let draws: Vec<_> = scenes.iter().flat_map(|s| &s.draws).collect();
        let third = scenes.iter().filter(|s| s.on_grid).count();
        assert_eq!(third, 100);
        assert!(scenes.iter().any(|s| s.samples == 4) && scenes.iter().all(|s| s.samples != 2));
        assert!(scenes.iter().all(|s| s.triangles() <= 40), "{:?}", scenes.iter().map(|s| s.triangles()).max());
        let flat = |i: &Interpolation| *i == Interpolation::Flat;
        let has: [(&str, &dyn Fn() -> bool); 9] = [
            ("strips", &|| draws.iter().any(|d| d.strip && d.indices.is_some())),
            ("flat", &|| draws.iter().any(|d| d.interpolation.iter().any(flat))),
            ("bias", &|| draws.iter().any(|d| d.state.bias[2] != 0.0) && draws.iter().any(|d| d.state.bias[1] != 0.0)),
            ("viewports", &|| draws.iter().any(|d| d.state.viewport[0] < 0.0)),
            ("blends", &|| draws.iter().any(|d| d.state.writes.iter().any(|w| w.blend.is_some()))),
            ("discard", &|| draws.iter().any(|d| d.kind == Kind::Discard)),
            ("small w", &|| {
                draws.iter().any(|d| d.vertices.iter().any(|v| v.position[3] > 0.0 && v.position[3] < 1e-7))
            }),
            ("behind", &|| draws.iter().any(|d| d.vertices.iter().any(|v| v.position[3] < 0.0))),
            ("stencil", &|| draws.iter().any(|d| d.state.stencil.is_some())),
        ];
        for (name, has) in has {
            assert!(has(), "no {name}");
        }
    }
}
