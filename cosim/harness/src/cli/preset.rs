//! `--preset NAME`: short for `--set preset=NAME`, put before the other settings. Its names and
//! their help are those of the table, so the parser refuses others, and shells complete them.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::Args;
use quadlock_hdl::presets::PRESETS;

/// The option of every command that builds a machine.
#[derive(Args, Debug)]
pub(super) struct PresetArg {
    /// Start from a named machine (docs/presets.md): short for --set preset=NAME. It replaces the
    /// preset of the file; keys of the file and of --set win over it
    #[arg(long, value_name = "NAME", value_parser = parser())]
    preset: Option<String>,
}

fn parser() -> PossibleValuesParser {
    PossibleValuesParser::new(PRESETS.iter().map(|preset| PossibleValue::new(preset.name).help(preset.meaning)))
}

impl PresetArg {
    /// The settings with the preset before them.
    pub fn before(&self, sets: &[String]) -> Vec<String> {
        let preset = self.preset.iter().map(|name| format!("preset={name}"));
        preset.chain(sets.iter().cloned()).collect()
    }
}
