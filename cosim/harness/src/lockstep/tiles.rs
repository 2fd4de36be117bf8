//! Tiles of a frame at the memory port: each line of a target that a sample was committed to is
//! written before the end of its pass, a reload reads no line whose newest samples were not
//! written, and tile buffers touch nothing but targets. At the end every word of the targets is the
//! model's.
//!
//! A line counts as written if the tile buffers write it after the commit. The commit is seen where
//! blending begins, so a write in the few cycles of blending is taken for one behind it; what is
//! lost by that is found at the end, in memory.

use std::collections::{BTreeMap, HashSet};

use super::finding::{Concern, Finding, Key, Name, Value, What};
use super::submitted::{PassAt, Submitted};
use crate::machine::launch::FrameLaunch;
use crate::machine::memory::{Accepted, Image, WriteRecord};
use crate::machine::ports::{CommitEvent, TILES};

/// Which of the words of targets a word is.
enum Of {
    Colour(u32),
    Depth,
    Stencil,
}

/// See the module documentation.
#[derive(Clone, Debug, Default)]
pub struct TileFollow {
    /// The pass of the newest commit.
    pass: usize,
    /// Lines with samples that are not in memory yet, by byte address.
    dirty: BTreeMap<u32, Key>,
}

/// A finding of a checker.
pub type Found<T = ()> = Result<T, (Concern, Box<Finding>)>;

/// A finding with its place.
pub fn found<T>(concern: Concern, what: What, key: Key) -> Found<T> {
    Err((concern, Box::new(Finding { key, ..Finding::new(what) })))
}

impl TileFollow {
    /// A sample of a quad of that triangle commits.
    ///
    /// # Errors
    /// Lines of the pass before are not written.
    pub fn commit(&mut self, list: &Submitted, event: &CommitEvent, key: Key) -> Found {
        let Some(draw) = key.triangle.and_then(|t| list.draw_of(t)).map(|d| &list.draws[d]) else { return Ok(()) };
        if draw.pass != self.pass {
            self.finish()?;
            self.pass = draw.pass;
        }
        let Some(pass) = list.passes.get(draw.pass) else { return Ok(()) };
        let t = u32::from(event.target);
        let Some(target) = pass.targets.get(t as usize).filter(|target| target.stored) else { return Ok(()) };
        if event.coverage == 0 || draw.written >> (4 * t) & 15 == 0 {
            return Ok(());
        }
        let at = (event.x.into(), event.y.into());
        for word in 0..target.words {
            let plane = word * pass.samples + u32::from(event.sample);
            self.dirty.insert(pass.line(target.address, plane, at), key);
        }
        Ok(())
    }

    /// The tile buffers read or write a line, or somebody else does.
    ///
    /// # Errors
    /// It is none of a target, or it is read and its newest samples are not in memory.
    pub fn accepted(&self, list: &Submitted, a: &Accepted) -> Found {
        if a.source != Some(TILES) {
            return Ok(());
        }
        if let Some(&key) = self.dirty.get(&a.line).filter(|_| !a.write) {
            return found(Concern::Tile, What::TileStale { line: a.line }, key);
        }
        let inside = |p: &PassAt| p.colours().chain(p.depths()).any(|place| place.contains(&a.line));
        if a.write && !list.passes.is_empty() && !list.passes.iter().any(inside) {
            return found(Concern::Tile, What::TileElsewhere { line: a.line }, Key::default());
        }
        Ok(())
    }

    /// A write at the memory port.
    pub fn written(&mut self, write: &WriteRecord) {
        if write.source == Some(TILES) {
            self.dirty.remove(&write.addr);
        }
    }

    /// The end of a pass.
    ///
    /// # Errors
    /// A line with samples was not written.
    pub fn finish(&self) -> Found {
        match self.dirty.iter().next() {
            Some((&line, &key)) => found(Concern::Tile, What::TileUnwritten { line }, key),
            None => Ok(()),
        }
    }
}

/// Words of targets in the machine's memory beside the model's, without what nobody stored, and
/// without quads whose colours depend on the order of fragments.
///
/// # Errors
/// The first that differs, with its place.
pub fn compare(list: &Submitted, frame: &FrameLaunch, image: &Image, unordered: &HashSet<(u32, u32)>) -> Found {
    let word = |bytes: Option<&[u8]>| bytes.and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let seen = |at: u32| word(image.slice(at, 4));
    let model = |at: u32| word(frame.after.get(at as usize..at as usize + 4));
    for pass in &list.passes {
        let mut planes = vec![];
        for (t, target) in (0..).zip(&pass.targets).filter(|(_, t)| t.stored) {
            planes
                .extend((0..target.words * pass.samples).map(|k| (target.address, k, Of::Colour(t), k % pass.samples)));
            planes
                .extend(target.resolved.iter().flat_map(|&r| (0..target.words).map(move |k| (r, k, Of::Colour(t), 0))));
        }
        if let Some(depth) = pass.depth {
            planes.extend((0..pass.samples).flat_map(|s| [(depth, s, Of::Depth, s), (depth, s, Of::Stencil, s)]));
        }
        for (address, plane, of, sample) in planes {
            for k in 0..pass.width * pass.height {
                let (x, y) = (k % pass.width, k / pass.width);
                if unordered.contains(&(x / 2, y / 2)) {
                    continue;
                }
                let at = pass.line(address, plane, (x / 2, y / 2)) + 4 * ((x & 1) | (y & 1) << 1);
                if frame.scratch.iter().any(|s| s.contains(&at)) {
                    continue;
                }
                let (Some(model), Some(seen)) = (model(at), seen(at)) else { continue };
                let (concern, name, part) = match of {
                    Of::Colour(_) => (Concern::Colour, "word of the target", u32::MAX),
                    Of::Depth => (Concern::Depth, "depth", 0xFF_FFFF),
                    Of::Stencil => (Concern::Stencil, "stencil", 0xFF00_0000),
                };
                if model & part != seen & part {
                    let target = if let Of::Colour(t) = of { Some(t) } else { None };
                    let key = Key { x: Some(x), y: Some(y), sample: Some(sample), target, ..Key::default() };
                    let mut finding = Finding { key, ..Finding::new(What::TargetWord) };
                    finding.differ(Name::Of(name), Value::Hex(model & part), Value::Hex(seen & part));
                    return Err((concern, Box::new(finding)));
                }
            }
        }
    }
    Ok(())
}
