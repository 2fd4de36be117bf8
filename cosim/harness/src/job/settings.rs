//! A job's settings and what is changed of them for one run: `--set KEY=VALUE`, the settings of a
//! claim's runs. Build parameters are those of the table in `quadlock_hdl`; the others are the rows
//! here.

use quadlock_hdl::base::like::did_you_mean;
use quadlock_hdl::parameters;
use quadlock_hdl::presets::{self, Preset};

use super::program::{self, CompilerOptions};
use super::Job;
use crate::base::error::{bad, Input, InputError};
use crate::linking::LinkMode;
use crate::lockstep::Options;
use crate::simulate::AnyFault;

/// A setting that is no build parameter.
pub struct Setting {
    /// Title of its group.
    pub group: &'static str,
    /// As `--set` of a job takes it; of a row that only scenes have, its path.
    pub key: &'static str,
    /// Its path in a scene; none: only jobs have it.
    pub scene: Option<&'static str>,
    pub values: &'static str,
    pub default: &'static str,
    pub meaning: &'static str,
}

const MEMORY: &str = "Memory model";
const LIMITS: &str = "Limits of a run";
const COMPILER: &str = "Compiler";

/// Settings of a run beside the build parameters.
pub const SETTINGS: &[Setting] = &[
    Setting {
        group: MEMORY,
        key: "latency",
        scene: Some("memory.latency"),
        values: "cycles",
        default: "8",
        meaning: "latency of the memory",
    },
    Setting {
        group: MEMORY,
        key: "jitter",
        scene: Some("memory.jitter"),
        values: "cycles",
        default: "0",
        meaning: "most cycles that are added to the latency at random",
    },
    Setting {
        group: MEMORY,
        key: "stall",
        scene: Some("memory.stall"),
        values: "0 to 95",
        default: "0",
        meaning: "percent of the cycles in which the memory port stalls",
    },
    Setting {
        group: MEMORY,
        key: "seed",
        scene: Some("memory.seed"),
        values: "number",
        default: "1",
        meaning: "seed of the memory timing",
    },
    Setting {
        group: LIMITS,
        key: "cycles",
        scene: Some("limits.cycles"),
        values: "number",
        default: "10000000; scenes 100000000",
        meaning: "limit of the run in clock cycles",
    },
    Setting {
        group: LIMITS,
        key: "idle",
        scene: Some("limits.idle"),
        values: "number",
        default: "20000; scenes by memory and slots",
        meaning: "cycles without progress that count as a hang",
    },
    Setting {
        group: COMPILER,
        key: "float-unit",
        scene: None,
        values: "on, off",
        default: "on",
        meaning: "whether the compiler uses the float unit's instructions",
    },
    Setting {
        group: COMPILER,
        key: "exact",
        scene: Some("exact"),
        values: "on, off",
        default: "off",
        meaning: "whether float products and sums stay separate operations ([accuracy.md](accuracy.md#fusion))",
    },
    Setting {
        group: COMPILER,
        key: "link",
        scene: Some("link"),
        values: LinkMode::VALUES,
        default: "off",
        meaning: "whether the program is linked for its uniforms ([linked-programs.md](linked-programs.md))",
    },
    Setting {
        group: COMPILER,
        key: "variants",
        scene: Some("variants"),
        values: "number",
        default: "8",
        meaning: "limit of program variants that assume values of uniforms",
    },
    Setting {
        group: COMPILER,
        key: "skip",
        scene: Some("skip"),
        values: "passes, or all",
        default: "none",
        meaning: "compiler passes to leave out",
    },
    Setting {
        group: COMPILER,
        key: "semaphores",
        scene: None,
        values: "polling",
        default: "none",
        meaning: "waiting threads poll instead of sleeping",
    },
    Setting {
        group: "Faults",
        key: "fault",
        scene: Some("machine.fault"),
        values: "rtl:NAME, model:NAME, compiler:NAME",
        default: "none",
        meaning: "a planted fault (`quadlock faults`)",
    },
];

/// Every key, for errors.
pub fn keys() -> Vec<String> {
    let own = SETTINGS.iter().map(|s| s.key).filter(|key| *key != "semaphores" && *key != "fault");
    let machine = parameters::of_jobs().map(|p| p.job_key()).chain(["core.ROW.COLUMN.KEY".to_owned()]);
    machine.chain(own.chain(["fault", "preset"]).map(str::to_owned)).collect()
}

/// The settings that are no build parameters, as Markdown.
pub fn markdown() -> String {
    let mut text = String::from("| setting | values | default | meaning |\n|---|---|---|---|\n");
    for s in SETTINGS {
        text += &format!("| `{}` | {} | {} | {} |\n", s.key, s.values, s.default, s.meaning);
    }
    text
}

/// The preset that settings choose in place of the file's.
fn preset(sets: &[String]) -> Input<Option<&'static Preset>> {
    let Some(name) = presets::chosen(sets) else { return Ok(None) };
    presets::by_name(name).map(Some).or_else(|e| bad(format!("setting preset={name}: {e}"), presets::help()))
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
            config: match preset(sets)? {
                Some(preset) => self.config_on(Some(preset))?,
                None => self.config(None, None)?,
            },
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
        // What the others change: `preset`.
        "preset" => {}
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
            set.or_else(|e| bad(format!("setting {e}"), "`quadlock settings` lists the parameters and their values"))?;
        }
        _ => {
            let like = did_you_mean(key, keys());
            return bad(
                format!("setting {text}: there is no setting `{key}`{like}"),
                "`quadlock settings` lists the settings",
            );
        }
    }
    Ok(())
}
