//! `quadlock export`: the Verilog of the core or of one block in a folder, one file per module with
//! a file list and a manifest. Everything is done by `quadlock_hdl::export`; this reads the command
//! line. Wrong if a setting were taken and not passed on.

use std::path::PathBuf;

use clap::Args;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, write_folder};
use quadlock_hdl::parameters::{self, PARAMETERS};

use super::listing;
use super::outcome::{say, Outcome};
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
    #[arg(long, value_name = "KEY=VALUE", help = set_help())]
    set: Vec<String>,
    /// List the blocks instead of exporting one
    #[arg(long)]
    list: bool,
    /// Print that list as JSON (docs/cli.md)
    #[arg(long, requires = "list")]
    json: bool,
}

fn set_help() -> String {
    format!("Change a build parameter: {}", parameters::help(PARAMETERS.iter(), false))
}

pub fn export(args: &ExportArgs) -> Input<Outcome> {
    if args.list {
        return listing::blocks(args.json);
    }
    let mut config = GpuConfig::default();
    for set in &args.set {
        let Some((key, value)) = set.split_once('=') else {
            return bad(format!("--set {set}: not KEY=VALUE"), "for example --set units=1");
        };
        config.set(key, value).or_else(|e| bad(format!("--set {set}: {e}"), "correct the setting"))?;
    }
    config.check().or_else(|e| bad(e, "correct --set"))?;
    let block = phase("export", || build(&args.top, &config));
    let block = block.or_else(|e| bad(e, "`quadlock export --list` lists the blocks"))?;
    write_folder(&args.out, &block.files()).or_else(|e| bad(e, "correct --out, or the folder's permissions"))?;
    let lines: usize = block.modules.iter().map(|m| m.text.lines().count()).sum();
    say(&format!("{}: {} modules, {lines} lines\n", args.out.display(), block.modules.len()));
    Ok(Outcome::Pass)
}
