//! One shader on both sides, and what came of it.

use crate::ours;
use crate::vulkan::{Buffer, Dispatch, Lavapipe};
use quadlock_shader::front::Lang;

/// A shader with its inputs. Both sides get the same buffers.
#[derive(Clone, Debug)]
pub struct Case {
    /// Source and number: what reproduces it.
    pub name: String,
    /// What lavapipe runs.
    pub module: Vec<u32>,
    /// What we run: the same shader, in each way that we read it.
    pub ours: Vec<Source>,
    /// Entry point.
    pub entry: String,
    /// Work groups along x, y, z.
    pub groups: [u32; 3],
    /// What is bound.
    pub buffers: Vec<Buffer>,
    /// Push constants.
    pub push: Vec<u32>,
    /// For people: the shader as text.
    pub text: String,
}

/// A source for our compiler.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its language.
    pub lang: Lang,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl Source {
    /// A module as a file has it.
    pub fn spirv(words: &[u32]) -> Source {
        Source { lang: Lang::Spirv, bytes: words.iter().flat_map(|w| w.to_le_bytes()).collect() }
    }
}

/// What came of a run on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every word of every buffer is equal.
    Equal,
    /// Some word is not, or we do not end well.
    Different(String),
    /// Our compiler refuses it, in these words.
    Refused(String),
    /// lavapipe does not run it.
    NoReference(String),
}

impl Case {
    /// Runs it on both sides.
    pub fn run(&self, reference: &Lavapipe) -> Outcome {
        let mut programs = vec![];
        for source in &self.ours {
            match ours::compiled(&self.name, &source.bytes, source.lang, &self.entry) {
                Ok(c) => programs.push((source.lang, c)),
                Err(e) => return Outcome::Refused(e),
            }
        }
        let dispatch = Dispatch {
            module: &self.module,
            entry: &self.entry,
            groups: self.groups,
            buffers: &self.buffers,
            push: &self.push,
        };
        let want = match reference.run(&dispatch) {
            Ok(want) => want,
            Err(e) => return Outcome::NoReference(e),
        };
        for (lang, c) in &programs {
            let got = match ours::run(c, self.groups, &self.buffers, &self.push) {
                Ok(got) => got,
                Err(e) => return Outcome::Different(format!("read as {lang:?}: {e}")),
            };
            if let Some(what) = difference(&self.buffers, &got, &want) {
                return Outcome::Different(format!("read as {lang:?}: {what}"));
            }
        }
        Outcome::Equal
    }
}

/// The first word that differs, and how many do.
fn difference(buffers: &[Buffer], got: &[Vec<u32>], want: &[Vec<u32>]) -> Option<String> {
    let mut first = None;
    let mut count = 0;
    for ((b, got), want) in buffers.iter().zip(got).zip(want) {
        for (at, (g, w)) in got.iter().zip(want).enumerate().filter(|(_, (g, w))| g != w) {
            count += 1;
            first.get_or_insert_with(|| {
                format!("word {at} of binding {}.{} is {g:#x}, on lavapipe {w:#x}", b.set, b.binding)
            });
        }
    }
    first.map(|text| if count > 1 { format!("{text}, and {} words more", count - 1) } else { text })
}
