//! The end: every warp of the model has ended, nothing is in flight, and the machine's whole memory
//! equals the model's.

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Finding, Name, What};

#[derive(Clone)]
pub struct EndStateChecker;

/// Differing words shown.
const SHOWN: usize = 8;

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
        let model = cx.golden.memory().bytes().get(base..).unwrap_or_default();
        if model == cx.image.bytes {
            return Ok(());
        }
        let mut c = Compare::default();
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |w, &b| w << 8 | u32::from(b));
        let pairs = model.chunks(4).zip(cx.image.bytes.chunks(4)).enumerate();
        for (i, (e, s)) in pairs.filter(|(_, (e, s))| e != s).take(SHOWN) {
            c.hex(Name::Word((base + 4 * i) as u32), word(e), word(s));
        }
        c.finish(What::EndMemory)
    }
}
