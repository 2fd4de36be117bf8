//! `quadlock export`: the Verilog of the core or of one block in a folder, one file per module with
//! a file list and a manifest. Everything is done by `quadlock_hdl::export`; this reads the command
//! line. Wrong if a setting were taken and not passed on.

use std::path::PathBuf;

use clap::Args;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, write_folder};
use quadlock_hdl::presets;

use super::listing;
use super::outcome::{say, Outcome};
use super::preset::PresetArg;
use crate::base::error::{bad, Input};
use crate::base::phases::phase;

#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Output folder: one NAME.v per module, files.f and manifest.json. An earlier export in it is
    /// replaced
    #[arg(long, value_name = "DIR", default_value = "out/rtl")]
    out: PathBuf,
    /// Block to export; `quadlock` is the whole machine
    #[arg(long, value_name = "BLOCK", default_value = "quadlock")]
    top: String,
    #[command(flatten)]
    preset: PresetArg,
    /// Change a build parameter: units=1. `quadlock settings` lists them. May be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// List the blocks instead of exporting one
    #[arg(long)]
    list: bool,
    /// Print that list as JSON (docs/cli.md)
    #[arg(long, requires = "list")]
    json: bool,
}

pub fn export(args: &ExportArgs) -> Input<Outcome> {
    if args.list {
        return listing::blocks(args.json);
    }
    let mut config = GpuConfig::default();
    let changed = presets::change(&mut config, &args.preset.before(&args.set));
    changed.or_else(|e| bad(format!("--set: {e}"), "`quadlock settings` lists the parameters and their values"))?;
    config.check().or_else(|e| bad(e, "correct --set"))?;
    let block = phase("export", || build(&args.top, &config));
    let block = block.or_else(|e| bad(e, "`quadlock export --list` lists the blocks"))?;
    write_folder(&args.out, &block.files()).or_else(|e| bad(e, "correct --out, or the folder's permissions"))?;
    let lines: usize = block.modules.iter().map(|m| m.text.lines().count()).sum();
    say(&format!("{}: {} modules, {lines} lines\n", args.out.display(), block.modules.len()));
    Ok(Outcome::Pass)
}
