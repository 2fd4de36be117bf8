//! What the lanes of a quad or of a pixel's samples are launched with, from the quads that the
//! model logged. Wrong would be a lane at another place than the machine gives it: then launches
//! differ.

use quadlock_golden::frame_log::LoggedQuad;
use quadlock_golden::Tags;
use quadlock_isa::abi::LANES;

use crate::machine::lanes::mask_of;
use crate::machine::ports::GraphicsLaunched;

/// The tags of a quad whose lanes have changed places: lane l stands at position l ^ flip (MS-5).
pub(super) fn at_lanes(tags: &Tags, flip: u8) -> Tags {
    let lanes = |of: [u32; LANES]| std::array::from_fn(|lane| of[lane ^ usize::from(flip & 3)]);
    Tags {
        x: lanes(tags.x),
        y: lanes(tags.y),
        sample: lanes(tags.sample),
        coverage: lanes(tags.coverage),
        facing: lanes(tags.facing),
        depth: lanes(tags.depth),
        flip,
        ..tags.clone()
    }
}

/// Pixels of which a sample is covered.
pub(super) fn covered_pixels(samples: &[LoggedQuad]) -> u8 {
    samples.iter().fold(0, |union, quad| union | lanes_of(&quad.tags))
}

/// Coverage of each sample of a pixel, in its own bit.
pub(super) fn own_samples(samples: &[LoggedQuad], pixel: u8) -> [u32; LANES] {
    std::array::from_fn(|s| {
        let quad = samples.iter().find(|quad| quad.tags.sample[0] as usize == s);
        quad.map_or(0, |quad| quad.tags.coverage[usize::from(pixel)])
    })
}

/// The tags of a member whose lanes are the samples of a pixel. What a sample has that no pixel of
/// the quad covers is not logged, and no lane runs for it: its depth is the machine's.
pub(super) fn of_pixel(samples: &[LoggedQuad], pixel: u8, event: &GraphicsLaunched) -> Tags {
    let (tags, lane) = (&samples[0].tags, usize::from(pixel));
    let depth = |s: usize| {
        let quad = samples.iter().find(|quad| quad.tags.sample[0] as usize == s);
        quad.map_or(event.depth[s] & 0xFF_FFFF, |quad| quad.tags.depth[lane])
    };
    Tags {
        x: [tags.x[lane]; LANES],
        y: [tags.y[lane]; LANES],
        sample: [0, 1, 2, 3],
        coverage: own_samples(samples, pixel),
        facing: [tags.facing[lane]; LANES],
        depth: std::array::from_fn(depth),
        pixel: Some(pixel),
        ..tags.clone()
    }
}

/// Lanes that cover something.
pub(super) fn lanes_of(tags: &Tags) -> u8 {
    mask_of((0..LANES).filter(|&l| tags.coverage[l] != 0))
}
