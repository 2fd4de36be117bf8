//! Litmus tests: jobs that say which outcomes the machine may show (`[litmus]`,
//! docs/memory-model.md). An outcome is a row of words of one buffer; one run has as many as the
//! buffer has rows. A row that is not among the allowed ones is a wrong output. It can be wrong by
//! taking other words than the program's for an outcome: the columns must divide the buffer.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use super::data::to_words;
use super::prepare::Prepared;
use super::spec::litmus::End;
use super::Job;
use crate::base::error::Input;
use crate::machine::memory::Image;
use crate::report::Outcome;

impl Job {
    /// Checks `[litmus]` by itself.
    pub(super) fn check_litmus(&self) -> Input<()> {
        let Some(spec) = &self.spec.litmus else { return Ok(()) };
        let (litmus, at) = (spec.get_ref(), spec.span());
        let wrong = |at: Range<usize>, what: &str, help: &str| Err(self.error(at, what, help));
        let outcomes = litmus.buffer.is_some() && !litmus.columns.is_empty() && !litmus.allowed.is_empty();
        let none = litmus.buffer.is_none() && litmus.columns.is_empty() && litmus.allowed.is_empty();
        match litmus.end {
            End::Pass if !outcomes => {
                return wrong(
                    at,
                    "a litmus test has outcomes",
                    "add `buffer`, `columns` and `allowed`, or end = \"hang\"",
                );
            }
            End::Hang if !none => {
                return wrong(at, "a run that hangs has no outcomes", "leave out `buffer`, `columns` and `allowed`")
            }
            _ => {}
        }
        for row in litmus.allowed.iter().chain(&litmus.rare) {
            if row.get_ref().len() != litmus.columns.len() {
                return wrong(row.span(), "an outcome has one word for each column", "correct it, or `columns`");
            }
        }
        match litmus.rare.iter().find(|row| !litmus.allows(row.get_ref())) {
            Some(row) => wrong(row.span(), "a rare outcome is an allowed one", "add it to `allowed`"),
            None => Ok(()),
        }
    }
}

impl Prepared {
    /// The outcomes of a litmus test, in ascending order; none of another job.
    ///
    /// # Errors
    /// The job names no buffer of the program, or its columns do not divide it.
    pub fn outcomes(&self, job: &Job, image: &Image) -> Input<Vec<Outcome>> {
        let Some(litmus) = job.spec.litmus.as_ref().map(Spanned::get_ref) else { return Ok(Vec::new()) };
        let Some(name) = &litmus.buffer else { return Ok(Vec::new()) };
        let Some(buffer) = self.buffers.iter().find(|b| b.name == *name.get_ref()) else {
            return Err(job.error(
                name.span(),
                "the program has no buffer of this name",
                "name the buffer of the outcomes",
            ));
        };
        let words = to_words(buffer.contents(image));
        let rows = words.chunks_exact(litmus.columns.len());
        if !rows.remainder().is_empty() {
            let what = format!("{} words are no whole number of outcomes", words.len());
            return Err(job.error(name.span(), what, "correct the buffer's size or `columns`"));
        }
        let mut counts: BTreeMap<&[u32], usize> = BTreeMap::new();
        rows.for_each(|row| *counts.entry(row).or_default() += 1);
        Ok(counts.into_iter().map(|(values, count)| Outcome { values: values.to_vec(), count }).collect())
    }

    /// The outcomes that the job does not allow, one line each.
    pub fn forbidden(&self, job: &Job, outcomes: &[Outcome]) -> Vec<String> {
        let Some(litmus) = job.spec.litmus.as_ref().map(Spanned::get_ref) else { return Vec::new() };
        let wrong = outcomes.iter().filter(|o| !litmus.allows(&o.values));
        let columns = litmus.columns.join(", ");
        wrong.map(|o| format!("outcome ({columns}) = {:?}, seen {} times, is not allowed", o.values, o.count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::job::Size;

    fn parse(litmus: &str) -> Input<Job> {
        let text = format!("name = \"x\"\nshader = \"a.wgsl\"\ngrid = [1, 1, 1]\n[litmus]\nabout = \"a\"\n{litmus}\n");
        Job::parse(Path::new("job.toml"), text, Size::Whole)
    }

    #[test]
    fn outcomes_are_checked_when_the_job_is_read() {
        let rows = "buffer = \"b\"\ncolumns = [\"r\"]\nallowed = [[0], [1]]\n";
        let job = parse(&format!("{rows}rare = [[1]]")).unwrap();
        let litmus = job.spec.litmus.unwrap().into_inner();
        assert_eq!(litmus.demanded().collect::<Vec<_>>(), [&vec![0]]);
        assert!(litmus.allows(&[1]) && !litmus.allows(&[2]));
        assert!(parse("end = \"hang\"").is_ok());
        for wrong in [
            "",
            "end = \"hangs\"",
            &format!("{rows}end = \"hang\""),
            &format!("{rows}rare = [[2]]"),
            &rows.replace("[1]", "[1, 2]"),
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
