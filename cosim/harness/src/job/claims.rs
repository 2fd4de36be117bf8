//! `[claims]` of a job file: what is claimed of the job, for `quadlock regress` to check. Runs of
//! the job, each with its settings and its verdict, and figures of their reports against numbers or
//! against each other.
//!
//! A claim that names a run, a figure or a setting that does not exist is bad input, with its
//! place. Wrong would be a claim that cannot fail: a figure that a run's engine does not have fails
//! instead of holding.

use std::ops::Range;

use toml::Spanned;

use super::spec::claims::{ClaimsSpec, FigureSpec};
use super::Job;
use crate::base::error::{Input, InputError};
use crate::report::is_figure;

/// Whose claims they are: a job's, or a scene's.
pub(crate) struct Claimant<'a> {
    /// There is a small size.
    pub small: bool,
    /// The report has a number of that name.
    pub is_figure: &'a dyn Fn(&str) -> bool,
    /// An error at a place of the file.
    pub error: &'a dyn Fn(Range<usize>, String, String) -> Box<InputError>,
    /// Where the table stands.
    pub table: Range<usize>,
}

impl Job {
    /// What can be known of the claims before a run.
    pub(super) fn check_claims(&self) -> Input<()> {
        let Some(claims) = &self.spec.claims else { return Ok(()) };
        let error = |span: Range<usize>, what: String, help: String| self.error(span, what, help);
        let (small, table) = (self.spec.small.is_some(), self.table("claims"));
        Claimant { small, is_figure: &is_figure, error: &error, table }.check(claims)
    }
}

impl Claimant<'_> {
    fn error(&self, span: Range<usize>, what: impl Into<String>, help: impl Into<String>) -> Box<InputError> {
        (self.error)(span, what.into(), help.into())
    }

    /// What can be known of the claims before a run.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub(crate) fn check(&self, claims: &ClaimsSpec) -> Input<()> {
        if claims.run.is_empty() {
            let help = "add a run = [{ name = \"whole\" }]";
            return Err(self.error(self.table.clone(), "claims without a run", help));
        }
        let mut names: Vec<&str> = Vec::new();
        for run in &claims.run {
            let (span, run) = (run.span(), run.get_ref());
            let usable = |c: char| c.is_ascii_alphanumeric() || c == '-';
            if run.name.is_empty() || !run.name.chars().all(usable) {
                return Err(self.error(
                    span,
                    format!("`{}` is no name of a run", run.name),
                    "use letters, digits and -",
                ));
            }
            if names.contains(&run.name.as_str()) {
                return Err(self.error(span, format!("two runs are called `{}`", run.name), "give each its own name"));
            }
            if run.small && !self.small {
                return Err(self.error(span, "there is no small size", "leave out `small`, or add a [small] part"));
            }
            names.push(&run.name);
        }
        claims.figure.iter().try_for_each(|figure| self.check_figure(figure, &names))
    }

    fn check_figure(&self, figure: &Spanned<FigureSpec>, runs: &[&str]) -> Input<()> {
        let (span, figure) = (figure.span(), figure.get_ref());
        let known = |name: &str, span: Range<usize>| match runs.contains(&name) {
            true => Ok(()),
            false => {
                let what = format!("there is no run `{name}` among the claims");
                Err(self.error(span, what, format!("runs: {}", runs.join(", "))))
            }
        };
        figure.of.names().iter().try_for_each(|name| known(name, span.clone()))?;
        if let Some(against) = &figure.against {
            known(against.get_ref(), against.span())?;
        }
        if figure.of.names().is_empty() {
            return Err(self.error(span, "a claim of no run", "name a run in `of`"));
        }
        if !(self.is_figure)(figure.figure.get_ref()) {
            let what = format!("the report has no figure `{}`", figure.figure.get_ref());
            return Err(self.error(figure.figure.span(), what, "figures are the numbers of docs/report.md"));
        }
        match figure.demand() {
            Some(_) => Ok(()),
            None => {
                let what = "a claim has exactly one of `at-least`, `at-most` and `equal`, and it is not below 0";
                Err(self.error(span, what, "for example at-least = 4.0"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::spec::claims::Demand;
    use crate::job::Size;
    use std::path::Path;

    const JOB: &str = "name = \"x\"\nshader = \"a.wgsl\"\ngrid = [1, 1, 1]\n[claims]\nrun = [{ name = \"a\" }, { name = \"b\", set = [\"units=1\"] }]\n\
                       figure = [{ figure = \"cycles\", of = \"b\", against = \"a\", at-least = 1.5 }]\n";

    fn parse(text: &str) -> Input<Job> {
        Job::parse(Path::new("j.toml"), text.to_owned(), Size::Whole)
    }

    #[test]
    fn claims_are_read() {
        let job = parse(JOB).unwrap();
        let claims = job.spec.claims.unwrap();
        assert_eq!(claims.run[1].get_ref().sets(), ["units=1"]);
        assert_eq!(claims.figure[0].get_ref().demand(), Some(Demand::AtLeast(1.5)));
    }

    /// Every mistake has file, line and column.
    #[test]
    fn mistakes_have_their_place() {
        for (from, to, at, says) in [
            ("against = \"a\"", "against = \"c\"", "\"c\"", "no run `c`"),
            ("of = \"b\"", "of = \"d\"", "{ figure", "no run `d`"),
            ("\"cycles\"", "\"circles\"", "\"circles\"", "no figure `circles`"),
            ("\"cycles\"", "\"issue_slots\"", "\"issue_slots\"", "no figure `issue_slots`"),
            ("at-least = 1.5", "at-least = 1.5, equal = 2.0", "{ figure", "exactly one"),
            (", at-least = 1.5", "", "{ figure", "exactly one"),
            ("name = \"b\"", "name = \"a\"", "{ name = \"a\", set", "two runs"),
            ("name = \"b\"", "name = \"../b\"", "{ name = \"../b\"", "no name"),
            ("name = \"b\"", "name = \"b\", small = true", "{ name = \"b\"", "no small size"),
            ("name = \"b\"", "name = \"b\", verdict = \"fine\"", "\"fine\"", "fine"),
            ("name = \"b\"", "name = \"b\", engine = \"car\"", "\"car\"", "car"),
            ("name = \"b\"", "name = \"b\", sets = []", "sets", "sets"),
        ] {
            assert!(JOB.contains(from), "{from}");
            let text = JOB.replacen(from, to, 1);
            let before = &text[..text.find(at).unwrap()];
            let (line, column) = (before.matches('\n').count() + 1, before.len() - before.rfind('\n').unwrap());
            let e = parse(&text).unwrap_err();
            let place = format!("j.toml:{line}:{column}: ");
            assert!(e.to_string().starts_with(&place) && e.message().contains(says), "{to}: not {place}: {e}");
        }
    }
}
