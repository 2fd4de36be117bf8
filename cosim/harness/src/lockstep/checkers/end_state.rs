//! The end: every warp of the model has ended, nothing is in flight, and the machine's whole memory
//! equals the model's.
//!
//! Of a frame the model's targets are those that it drew before, in order; all else is what
//! programs stored, as the model did it in the machine's order. Stacks are whose the
//! machine says, and a target that is not stored holds what the machine left there.

use std::ops::Range;

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Finding, Name, What};

#[derive(Clone)]
pub struct EndStateChecker;

/// Differing words shown.
const SHOWN: usize = 8;

/// Those ranges of `from` into `to`, whose first byte is number `base` there.
fn copy(to: &mut [u8], base: usize, from: &[u8], ranges: &[Range<u32>]) {
    for r in ranges {
        let (start, end) = (r.start as usize, r.end as usize);
        if let (Some(to), Some(from)) = (to.get_mut(start - base..end - base), from.get(start..end)) {
            to.copy_from_slice(from);
        }
    }
}

/// Ranges counted from `base` on.
fn below(ranges: &[Range<u32>], base: usize) -> Vec<Range<u32>> {
    ranges.iter().map(|r| r.start - base as u32..r.end - base as u32).collect()
}

impl Checker for EndStateChecker {
    fn concern(&self) -> Concern {
        Concern::EndState
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn end(&mut self, cx: &Context) -> Check {
        if !cx.golden.is_idle() {
            return Finding::err(What::ModelRuns { standing: cx.golden.where_it_is() });
        }
        let base = cx.image.base as usize;
        let frame = cx.launch.frame.as_ref();
        let mut model = cx.golden.memory().bytes().get(base..).unwrap_or_default().to_vec();
        // The model drew the frame before; beside the machine it only runs the programs.
        if let Some(f) = frame.filter(|f| f.log.is_some()) {
            match cx.unordered {
                false => copy(&mut model, base, &f.after, &f.drawn),
                true => copy(&mut model, 0, cx.image.bytes.get(..).unwrap_or_default(), &below(&f.drawn, base)),
            }
            copy(&mut model, 0, cx.image.bytes.get(..).unwrap_or_default(), &below(&f.scratch, base));
        }
        if model == cx.image.bytes {
            return Ok(());
        }
        let undefined = |i: usize| frame.is_some_and(|f| f.undefined.binary_search(&((base + 4 * i) as u32)).is_ok());
        let mut c = Compare::default();
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |w, &b| w << 8 | u32::from(b));
        let pairs = model.chunks(4).zip(cx.image.bytes.chunks(4)).enumerate();
        let mut differ = pairs.filter(|(i, (e, s))| e != s && !undefined(*i)).take(SHOWN).peekable();
        if differ.peek().is_none() {
            return Ok(());
        }
        for (i, (e, s)) in differ {
            c.hex(Name::Word((base + 4 * i) as u32), word(e), word(s));
        }
        c.finish(What::EndMemory)
    }
}
