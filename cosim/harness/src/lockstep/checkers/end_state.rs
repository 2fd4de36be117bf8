//! The end: every warp of the model has ended, nothing is in flight, and the machine's whole memory equals the model's.

use super::{Check, Checker, Compare, Context, Finding};

#[derive(Clone)]
pub struct EndStateChecker;

/// Differing words shown.
const SHOWN: usize = 8;

impl Checker for EndStateChecker {
    fn name(&self) -> &'static str {
        "end-state"
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn end(&mut self, cx: &Context) -> Check {
        if !cx.golden.is_idle() {
            let what = format!("the machine is idle, but the model has not ended:\n{}", cx.golden.where_it_is());
            return Err(Box::new(Finding::new(what)));
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
            c.hex(format_args!("word {:#010x}", base + 4 * i), word(e), word(s));
        }
        c.finish("memory differs at the end")
    }
}
