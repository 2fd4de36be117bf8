//! Values of a program's overrides or specialisation constants: those of `[constants]`, each with
//! its place in the job file, and those of `--constant NAME=VALUE`, which go before them.

use quadlock_shader::front::constants::{Given, Place, Value};

use super::Job;
use crate::base::error::{bad, Input};

/// The help of `--constant`.
pub const HELP: &str = "Value of an override or specialisation constant of the shader, by name or id: a number, true or false. It overrides the job's value. May be repeated";

/// Where programs have constants, for errors.
pub const WHERE: &str = "programs have overrides (WGSL), constant_id (GLSL) or SpecId (SPIR-V)";

/// The values of `--constant`, in order.
///
/// # Errors
/// One that is not NAME=VALUE, or whose value is neither a number nor true or false.
pub fn of_command_line(options: &[String]) -> Input<Vec<Given>> {
    let one = |text: &String| {
        let help = "for example --constant SIZE=16, --constant 3=0.5, --constant fast=true";
        let Some((key, value)) = text.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return bad(format!("--constant {text}: not NAME=VALUE"), help);
        };
        match Value::read(value) {
            Some(value) => Ok(Given { key: key.to_owned(), value, place: None, optional: false }),
            None => bad(format!("--constant {text}: neither a number nor true or false"), help),
        }
    };
    options.iter().map(one).collect()
}

impl Job {
    /// The values of `[constants]`.
    pub fn constants(&self) -> Vec<Given> {
        let file = self.path.display().to_string();
        let given = self.spec.constants.0.iter().map(|(key, value, span)| {
            let before = &self.text[..span.start.min(self.text.len())];
            let line = before.matches('\n').count() as u32 + 1;
            let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) as u32 + 1;
            let place = Some(Place { file: file.clone(), line, column });
            Given { key: key.clone(), value: *value, place, optional: false }
        });
        given.collect()
    }

    /// An error if the job gives constants to a program that is compiled already.
    pub(super) fn refuse_constants(&self) -> Input<()> {
        match self.spec.constants.0.first() {
            None => Ok(()),
            Some((key, _, span)) => {
                let what = format!("the program is not compiled here, so the constant {key} changes nothing");
                Err(self.error(span.clone(), what, "leave [constants] out, or give the shader's source"))
            }
        }
    }
}
