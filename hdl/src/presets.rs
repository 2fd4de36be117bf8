//! The one table of presets: a name for a machine, and the build parameters that make it.
//!
//! The command line, jobs, scenes, exports, `make fpga`, scripts and pages take presets from here.
//! A preset is the base of a machine: it replaces defaults, and every key that is given beside it
//! wins, in a file or on the command line. Failure modes: a preset that is no legal machine, and
//! one that sets `trace` or `fault`, which belong to a run and not to a machine. Tests go over the
//! table for all three.

use crate::base::like::did_you_mean;
use crate::parameters::GpuConfig;

/// A row of the table.
pub struct Preset {
    /// As `--preset` takes it.
    pub name: &'static str,
    /// One line of description, for tables and help.
    pub meaning: &'static str,
    /// Keys and values as `--set` takes them, in the order of the build parameters. `graphics` is
    /// always among them, because a scene's default is `on` and a job's is `off`.
    pub sets: &'static [(&'static str, &'static str)],
}

/// Every preset, the smallest first.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "small",
        meaning: "The smallest machine for compute jobs: one unit with two warps",
        sets: &[("units", "1"), ("warps", "2"), ("graphics", "off")],
    },
    Preset {
        name: "compute",
        meaning:
            "A machine for compute jobs with all of semaphores and warp-wide operations: one unit with eight warps",
        // Where one option builds more than the other, the one that builds more: links in both
        // directions with tail pointers, release by any thread, stored results for late lanes. The
        // ways of execution, of returning a result and of a bus exclude each other: the defaults.
        sets: &[
            ("units", "1"),
            ("warps", "8"),
            ("semaphore-links", "double"),
            ("semaphore-tail", "on"),
            ("semaphore-release", "any"),
            ("bus", "crossbar"),
            ("warp-wide", "collective"),
            ("warp-wide-result", "per-lane"),
            ("warp-wide-late", "stored"),
            ("graphics", "off"),
        ],
    },
    Preset {
        name: "graphics",
        meaning: "The smallest machine for scenes: one unit with four warps, one sample, one target, every format",
        // Four warps and not two, so that `merge=on` can be added with groups of four.
        sets: &[
            ("units", "1"),
            ("warps", "4"),
            ("graphics", "on"),
            ("blend-lanes", "1"),
            ("max-samples", "1"),
            ("max-targets", "1"),
            ("merge", "off"),
            ("split", "off"),
            ("tbimr", "off"),
            ("hi-z", "off"),
            ("cull-pipeline", "off"),
        ],
    },
    Preset {
        name: "full",
        meaning: "All mechanisms for scenes: windows, Hi-Z with the binner, cull pipeline, merging, splitting",
        sets: &[
            ("graphics", "on"),
            ("merge", "on"),
            ("split", "on"),
            ("tbimr", "window"),
            ("hi-z", "visibility+binner"),
            ("cull-pipeline", "depth"),
        ],
    },
];

impl Preset {
    /// Sets the preset's build parameters. Others keep their values.
    ///
    /// # Errors
    /// A key or a value that does not exist, which no row of the table has.
    pub fn apply(&self, config: &mut GpuConfig) -> Result<(), String> {
        self.sets.iter().try_for_each(|(key, value)| config.set(key, value))
    }

    /// The keys as `--set` writes them: `units=1 warps=2`.
    pub fn text(&self) -> String {
        let sets: Vec<String> = self.sets.iter().map(|(key, value)| format!("{key}={value}")).collect();
        sets.join(" ")
    }
}

/// The preset of that name.
///
/// # Errors
/// There is none: its name, the likest one, and the list of names.
pub fn by_name(name: &str) -> Result<&'static Preset, String> {
    let like = || did_you_mean(name, names());
    let found = PRESETS.iter().find(|preset| preset.name == name);
    found.ok_or_else(|| format!("there is no preset `{name}`{}", like()))
}

/// The names, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|preset| preset.name)
}

/// What to do about an unknown name.
pub fn help() -> String {
    let names: Vec<&str> = names().collect();
    format!("the presets are {}; `quadlock settings` shows what they set", names.join(", "))
}

/// The value of the last `preset=NAME` among `KEY=VALUE`s.
pub fn chosen<S: AsRef<str>>(sets: &[S]) -> Option<&str> {
    sets.iter().rev().find_map(|set| set.as_ref().strip_prefix("preset="))
}

/// Applies `KEY=VALUE`s to a machine: the last `preset=NAME` first, wherever it stands, then the
/// build parameters in their order.
///
/// # Errors
/// What is no `KEY=VALUE`, an unknown preset or key, or a value that the key cannot have.
pub fn change<S: AsRef<str>>(config: &mut GpuConfig, sets: &[S]) -> Result<(), String> {
    if let Some(name) = chosen(sets) {
        by_name(name).map_err(|e| format!("{e}; {}", help()))?.apply(config)?;
    }
    for set in sets {
        match set.as_ref().split_once('=') {
            Some(("preset", _)) => {}
            Some((key, value)) => config.set(key, value)?,
            None => return Err(format!("{}: not KEY=VALUE, as units=1 is", set.as_ref())),
        }
    }
    Ok(())
}

/// The table as Markdown.
pub fn markdown() -> String {
    let mut text = String::from("| preset | machine | sets |\n|---|---|---|\n");
    for preset in PRESETS {
        let sets: Vec<String> = preset.sets.iter().map(|(key, value)| format!("`{key}={value}`")).collect();
        text += &format!("| `{}` | {}. | {} |\n", preset.name, preset.meaning, sets.join(" "));
    }
    text
}
