//! A job's settings and what is changed of them for one run: `--set KEY=VALUE`, the settings of a
//! claim's runs. Build parameters are those of the table in `quadlock_hdl`; the others are the rows
//! here.

use quadlock_hdl::base::like::did_you_mean;
use quadlock_hdl::parameters;

use super::program::{self, CompilerOptions};
use super::Job;
use crate::base::error::{bad, Input, InputError};
use crate::linking::LinkMode;
use crate::lockstep::Options;
use crate::simulate::AnyFault;

/// A setting that is no build parameter.
pub struct Setting {
    pub key: &'static str,
    pub values: &'static str,
    pub meaning: &'static str,
}

const fn row(key: &'static str, values: &'static str, meaning: &'static str) -> Setting {
    Setting { key, values, meaning }
}

/// Settings of a run beside the build parameters.
pub const SETTINGS: &[Setting] = &[
    row("latency", "cycles", "latency of the memory"),
    row("jitter", "cycles", "most cycles that are added to the latency at random"),
    row("stall", "0 to 95", "percent of the cycles in which the memory port stalls"),
    row("seed", "number", "seed of the memory timing"),
    row("cycles", "number", "limit of the run in clock cycles"),
    row("idle", "number", "cycles without progress that count as a hang"),
    row("float-unit", "on, off", "whether the compiler uses the float unit's instructions"),
    row(
        "exact",
        "on, off",
        "whether float products and sums stay separate operations ([accuracy.md](accuracy.md#fusion))",
    ),
    row(
        "link",
        LinkMode::VALUES,
        "whether the program is linked for its uniforms ([linked-programs.md](linked-programs.md))",
    ),
    row("variants", "number", "limit of program variants that assume values of uniforms"),
    row("skip", "passes, or all", "compiler passes to leave out"),
    row("fault", "rtl:NAME, model:NAME, compiler:NAME", "a planted fault (`quadlock faults`)"),
    row("semaphores", "polling", "waiting threads poll instead of sleeping"),
];

/// Every key, for help and errors.
pub fn keys() -> Vec<String> {
    let own = SETTINGS.iter().map(|s| s.key).filter(|key| *key != "semaphores" && *key != "fault");
    let machine = parameters::of_jobs().map(|p| p.job_key()).chain(["core.ROW.COLUMN.KEY".to_owned()]);
    machine.chain(own.map(str::to_owned)).chain(["fault".to_owned()]).collect()
}

/// The help of `--set`: every key with its values.
pub fn help() -> String {
    let own: Vec<String> = SETTINGS.iter().map(|s| format!("{} ({})", s.key, s.values)).collect();
    let machine = parameters::help(parameters::of_jobs(), true);
    format!("Change a setting: {machine}, core.ROW.COLUMN.KEY, {}", own.join(", "))
}

/// The settings that are no build parameters, as Markdown.
pub fn markdown() -> String {
    let mut text = String::from("| setting | values | meaning |\n|---|---|---|\n");
    for s in SETTINGS {
        text += &format!("| `{}` | {} | {} |\n", s.key, s.values, s.meaning);
    }
    text
}

/// A `KEY=VALUE`.
fn setting(text: &str) -> Input<(&str, &str)> {
    match text.split_once('=') {
        Some(pair) => Ok(pair),
        None => bad(format!("--set {text}: not KEY=VALUE"), "for example --set units=1"),
    }
}

fn number<T: std::str::FromStr>(key: &str, value: &str) -> Input<T> {
    value.parse().or_else(|_| {
        bad(format!("--set {key}={value}: not a number that {key} can have"), "give a whole number, not negative")
    })
}

impl Job {
    /// The options of a run, with the model beside the machine or without: the job's, changed by
    /// these settings and this seed. Also the compiler's.
    ///
    /// # Errors
    /// A setting that does not exist, or a value out of its range.
    pub fn options(&self, model: bool, sets: &[String], seed: Option<u64>) -> Input<(Options, CompilerOptions)> {
        let mut options = Options {
            config: self.config(None, None)?,
            memory: self.spec.memory,
            limits: self.spec.limits,
            model,
            model_fault: None,
        };
        self.linking(sets)?;
        let mut compiler = CompilerOptions { exact: self.spec.exact, ..CompilerOptions::default() };
        let mut fault = None;
        for text in sets {
            set(&mut options, &mut compiler, &mut fault, text)?;
        }
        program::fit(&mut compiler, &options.config);
        options.memory.seed = seed.unwrap_or(options.memory.seed);
        match fault {
            Some(AnyFault::Rtl(f)) => options.config.fault = Some(f),
            Some(AnyFault::Model(f)) => options.model_fault = Some(f),
            Some(AnyFault::Compiler(f)) => compiler.fault = Some(f),
            None => {}
        }
        let checked =
            options.config.check().and_then(|()| options.memory.check()).and_then(|()| options.limits.check());
        checked.map_err(|e| self.unfit(sets, &e))?;
        Ok((options, compiler))
    }

    /// What settings and the job's keys may not be: of the option that sets the key which the
    /// message begins with, or at its place in the file.
    fn unfit(&self, sets: &[String], e: &str) -> Box<InputError> {
        let key = e.split([' ', ':']).next().unwrap_or_default();
        let is = |s: &&String| s.split('=').next() == Some(key);
        match sets.iter().rev().find(is) {
            Some(set) => Box::new(InputError::new(format!("--set {set}: {e}")).help("correct the setting")),
            None => self.error(self.parameter(e), e, "correct --set, or [machine] (docs/jobs.md)"),
        }
    }
}

fn set(options: &mut Options, compiler: &mut CompilerOptions, fault: &mut Option<AnyFault>, text: &str) -> Input<()> {
    let (key, value) = setting(text)?;
    match key {
        // A number is the machine's, a word the compiler's.
        "semaphores" if value.parse::<usize>().is_err() => program::set_semaphores(compiler, value)?,
        "latency" => options.memory.latency = number(key, value)?,
        "jitter" => options.memory.jitter = number(key, value)?,
        "stall" => options.memory.stall = number(key, value)?,
        "seed" => options.memory.seed = number(key, value)?,
        "cycles" => options.limits.cycles = number(key, value)?,
        "idle" => options.limits.idle = number(key, value)?,
        "float-unit" => program::set_float_unit(compiler, value)?,
        "exact" => program::set_exact(compiler, value)?,
        // Of all settings together: `Job::linking`.
        "link" | "variants" => {}
        "skip" => program::set_skip(compiler, value)?,
        "fault" => match value.parse::<AnyFault>() {
            Ok(f) => *fault = Some(f),
            Err(e) => {
                let help = "write rtl:NAME, model:NAME or compiler:NAME; `quadlock faults` lists the names";
                return bad(format!("setting {text}: {e}"), help);
            }
        },
        core if core.starts_with("core.") => {
            let set = options.config.set(core, value);
            set.or_else(|e| bad(format!("setting {e}"), "cores of different function are in docs/jobs.md"))?;
        }
        key if parameters::of_jobs().any(|p| p.job_key() == key) => {
            let set = options.config.set(key, value);
            set.or_else(|e| bad(format!("setting {e}"), "the parameters and their values are in docs/jobs.md"))?;
        }
        _ => {
            let like = did_you_mean(key, keys());
            return bad(
                format!("setting {text}: there is no setting `{key}`{like}"),
                "the settings are in docs/jobs.md",
            );
        }
    }
    Ok(())
}
