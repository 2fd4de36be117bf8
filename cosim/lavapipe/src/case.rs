//! One shader on both sides, and what came of it.

use crate::interp;
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
    /// Who says which side is right.
    pub judge: Judge,
    /// What is bound.
    pub buffers: Vec<Buffer>,
    /// Push constants.
    pub push: Vec<u32>,
    /// For people: the shader as text.
    pub text: String,
}

/// A third opinion.
#[derive(Clone, Debug)]
pub enum Judge {
    /// Nobody: any difference counts against us.
    Nobody,
    /// The interpreter reads the module.
    Interpreter,
    /// The words of each buffer, known to the generator.
    Known(Vec<Vec<u32>>),
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

/// What came of a run on all sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every word of every buffer is equal.
    Equal,
    /// We and the third opinion agree, lavapipe does not.
    LavapipeAlone(String),
    /// We differ from the third opinion; or, without one, from lavapipe; or we do not end well.
    Different(String),
    /// Our compiler refuses it, in these words.
    Refused(String),
    /// lavapipe does not run it.
    NoReference(String),
}

impl Outcome {
    /// All sides ran it and we are right, as far as this crate can tell.
    pub fn passed(&self) -> bool {
        matches!(self, Outcome::Equal | Outcome::LavapipeAlone(_))
    }
}

impl Case {
    /// Runs it on all sides.
    pub fn run(&self, reference: &Lavapipe) -> Outcome {
        let mut results = vec![];
        for source in &self.ours {
            let c = match ours::compiled(&self.name, &source.bytes, source.lang, Some(&self.entry)) {
                Ok(c) => c,
                Err(e) => return Outcome::Refused(e),
            };
            match ours::run(&c, self.groups, &self.buffers, &self.push) {
                Ok(got) => results.push((source.lang, got)),
                Err(e) => return Outcome::Different(format!("read as {:?}: {e}", source.lang)),
            }
        }
        let third = match &self.judge {
            Judge::Nobody => None,
            Judge::Known(words) => Some(words.clone()),
            Judge::Interpreter => match interp::run(&self.module, &self.buffers) {
                Ok(words) => Some(words),
                Err(e) => return Outcome::Different(e),
            },
        };
        let dispatch = Dispatch {
            module: &self.module,
            entry: &self.entry,
            groups: self.groups,
            buffers: &self.buffers,
            push: &self.push,
        };
        self.verdict(&results, third.as_deref(), reference.run(&dispatch))
    }

    /// What results say: ours by language, the third if there is one, lavapipe's.
    fn verdict(
        &self,
        ours: &[(Lang, Vec<Vec<u32>>)],
        third: Option<&[Vec<u32>]>,
        lavapipe: Result<Vec<Vec<u32>>, String>,
    ) -> Outcome {
        for (lang, got) in ours {
            let other = third.and_then(|want| difference(&self.buffers, got, want, "by the third opinion"));
            if let Some(what) = other {
                return Outcome::Different(format!("read as {lang:?}: {what}"));
            }
        }
        let lavapipe = match lavapipe {
            Ok(words) => words,
            Err(e) => return Outcome::NoReference(e),
        };
        for (lang, got) in ours {
            match (difference(&self.buffers, got, &lavapipe, "on lavapipe"), third) {
                (None, _) => {}
                (Some(what), Some(_)) => return Outcome::LavapipeAlone(what),
                (Some(what), None) => return Outcome::Different(format!("read as {lang:?}: {what}")),
            }
        }
        Outcome::Equal
    }
}

/// The first word that differs, and how many do.
fn difference(buffers: &[Buffer], got: &[Vec<u32>], want: &[Vec<u32>], whose: &str) -> Option<String> {
    let mut first = None;
    let mut count = 0;
    for ((b, got), want) in buffers.iter().zip(got).zip(want) {
        for (at, (g, w)) in got.iter().zip(want).enumerate().filter(|(_, (g, w))| g != w) {
            count += 1;
            first.get_or_insert_with(|| {
                format!("word {at} of binding {}.{} is {g:#x}, {whose} {w:#x}", b.set, b.binding)
            });
        }
    }
    first.map(|text| if count > 1 { format!("{text}, and {} words more", count - 1) } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integers;

    #[test]
    fn the_interpreter_says_who_is_wrong() {
        let case = integers::case(0).unwrap();
        let right: Vec<Vec<u32>> = case.buffers.iter().map(|b| b.words.clone()).collect();
        let mut wrong = right.clone();
        wrong[1][3] ^= 1;
        let ours = |r: &Vec<Vec<u32>>| [(Lang::Spirv, r.clone())];
        let third = Some(&right[..]);
        let alone = |o| matches!(o, Outcome::LavapipeAlone(_));
        let different = |o| matches!(o, Outcome::Different(_));
        assert!(case.verdict(&ours(&right), third, Ok(right.clone())) == Outcome::Equal);
        assert!(alone(case.verdict(&ours(&right), third, Ok(wrong.clone()))));
        assert!(different(case.verdict(&ours(&wrong), third, Ok(right.clone()))));
        assert!(different(case.verdict(&ours(&wrong), third, Ok(wrong.clone()))));
        assert!(different(case.verdict(&ours(&wrong), None, Ok(right.clone()))));
        assert!(!case.verdict(&ours(&right), third, Err("lost".into())).passed());
    }
}
