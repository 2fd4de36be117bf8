//! Instructions of vertices and fragments: outputs, words of varyings, values of edges, and the end
//! of warps whose lanes are all helpers. Written from docs/graphics.md, "Programs".

use quadlock_isa::abi::LANES;

use crate::graphics::interpolate::rounded;
use crate::graphics::primitive::Primitive;
use crate::graphics::samples::Samples;
use crate::grid::Tags;
use crate::lanes::lanes_of;
use crate::program::{Decoded, GraphicsForm};
use crate::warp::{LaneState, Warp};

/// The word of a varying that stands for 1 / w and 1 / twice the area.
const RECIPROCALS: u8 = 63;

/// What an instruction gives each lane, active or not: its registers' words. Nothing for lanes
/// without a triangle.
pub(crate) fn graphics_values(
    slot: &Warp,
    primitives: &[Option<Box<Primitive>>],
    form: GraphicsForm,
) -> [[u32; 4]; LANES] {
    let Some(tags) = slot.launch.graphics.as_deref().filter(|t| t.fragments) else { return [[0; 4]; LANES] };
    std::array::from_fn(|lane| {
        let Some(Some(p)) = primitives.get(tags.primitive[lane] as usize) else { return [0; 4] };
        match form {
            GraphicsForm::Edges(place) => {
                let e = p.triangle.edges(position(slot, tags, lane, place)).map(rounded);
                [e[0], e[1], e[2], 0]
            }
            GraphicsForm::Attribute(RECIPROCALS) => {
                let r = p.reciprocals;
                [r[0], r[1], r[2], p.inverse_area]
            }
            GraphicsForm::Attribute(word) => {
                let [a, b, c] = p.vertices.each_ref().map(|v| v[word as usize]);
                [a, b, c, u32::from(a == b && b == c)]
            }
            GraphicsForm::Flat(word) => [p.first[word as usize], 0, 0, 0],
            GraphicsForm::Merge | GraphicsForm::Split | GraphicsForm::Demote | GraphicsForm::Output(_) => [0; 4],
        }
    })
}

/// Where a lane's edges are evaluated, in 1/256 pixel.
fn position(slot: &Warp, tags: &Tags, lane: usize, place: u8) -> (i64, i64) {
    let (x, y) = slot.places(tags);
    let pixel = (i64::from(x[lane]), i64::from(y[lane]));
    let samples = tags.samples.places().len();
    let covered = tags.coverage[lane];
    match place {
        1 if covered != 0 && covered.count_ones() < samples as u32 => {
            tags.samples.at(pixel, covered.trailing_zeros() as usize)
        }
        2 => tags.samples.at(pixel, tags.sample[lane] as usize),
        _ => Samples::One.at(pixel, 0),
    }
}

/// Keeps the output words of the active lanes that are no helpers.
pub(crate) fn output(slot: &mut Warp, i: &Decoded, form: GraphicsForm, mask: u8) {
    let GraphicsForm::Output(word) = form else { return };
    let value = slot.read(i.a);
    let covered = slot.covered;
    if let Some(words) = slot.outputs.get_mut(word as usize) {
        lanes_of(mask & covered).for_each(|lane| words[lane] = value[lane]);
    }
}

/// A fragment warp ends when no lane that runs covers anything.
pub(crate) fn end_helpers(slot: &mut Warp) {
    let fragments = slot.launch.graphics.as_ref().is_some_and(|t| t.fragments);
    let running = (0..LANES).filter(|&l| slot.state[l] != LaneState::Ended).fold(0, |mask, lane| mask | 1 << lane);
    if fragments && running & slot.covered == 0 {
        slot.set_state(running, LaneState::Ended);
    }
}
