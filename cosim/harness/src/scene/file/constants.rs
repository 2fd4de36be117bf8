//! Values of overrides and specialisation constants of a scene's programs: `[constants]`, and
//! `--constant`, which goes before it. Each goes to all programs that have such a constant, and to
//! one at least: a value that goes nowhere is an error.

use quadlock_shader::front::constants::{Given, Place};
use quadlock_shader::graphics::Pipeline;

use super::Scene;
use crate::base::error::{Input, InputError};
use crate::job::constants::{of_command_line, WHERE};

impl Scene {
    /// Takes the values of `--constant NAME=VALUE`.
    ///
    /// # Errors
    /// One that is not of this form.
    pub fn give(&mut self, options: &[String]) -> Input<()> {
        self.given = of_command_line(options)?;
        self.given.iter_mut().for_each(|g| g.optional = true);
        Ok(())
    }

    /// All values, those of the file with their places.
    pub(in crate::scene) fn constants(&self) -> Vec<Given> {
        let file = self.path.display().to_string();
        let of_file = self.spec.constants.0.iter().map(|(key, value, span)| {
            let place = match self.changes.option(span) {
                Some(set) => Place { file: format!("--set {set}"), line: 0, column: 0 },
                None => {
                    let before = &self.text[..span.start.min(self.text.len())];
                    let line = before.matches('\n').count() as u32 + 1;
                    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) as u32 + 1;
                    Place { file: file.clone(), line, column }
                }
            };
            Given { key: key.clone(), value: *value, place: Some(place), optional: true }
        });
        self.given.iter().cloned().chain(of_file).collect()
    }

    /// Every value was taken by some program.
    pub(in crate::scene) fn all_taken<'a>(&self, pipelines: impl Iterator<Item = &'a Pipeline>) -> Input<()> {
        let mut taken: Vec<&String> = vec![];
        for p in pipelines {
            taken.extend([&p.vertex].into_iter().chain(&p.fragment).flat_map(|c| &c.taken));
        }
        for (key, _, span) in &self.spec.constants.0 {
            if !taken.contains(&key) {
                return Err(self.error(span.clone(), format!("no program has a constant `{key}`"), WHERE));
            }
        }
        match self.given.iter().find(|g| !taken.contains(&&g.key)) {
            None => Ok(()),
            Some(g) => Err(Box::new(InputError::new(format!("--constant {}: no program has it", g.key)).help(WHERE))),
        }
    }
}
