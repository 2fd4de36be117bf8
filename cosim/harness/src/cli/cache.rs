//! `quadlock cache`: where compiled designs are kept, what is there, and how to be rid of it.

use clap::Args;
use quadlock_cache::{Folder, Usage, FOLDER_VARIABLE};
use serde_json::json;

use super::outcome::{print, Outcome};
use crate::base::error::{bad, Input};

/// Arguments of `quadlock cache`.
#[derive(Args, Debug)]
pub struct CacheArgs {
    /// Remove everything in the cache
    #[arg(long)]
    clear: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Prints what is in the cache, or empties it.
///
/// # Errors
/// A folder that cannot be used, or none.
pub fn run(args: &CacheArgs) -> Input<Outcome> {
    let folder = match Folder::from_environment() {
        Ok(Some(folder)) => folder,
        Ok(None) if std::env::var_os(FOLDER_VARIABLE).is_some() => {
            return bad(
                "there is no cache: QUADLOCK_CACHE is empty or `off`",
                "set QUADLOCK_CACHE to a folder, or unset it",
            )
        }
        Ok(None) => {
            return bad(
                "there is no cache: none of QUADLOCK_CACHE, XDG_CACHE_HOME and HOME is set",
                "set QUADLOCK_CACHE to a folder",
            )
        }
        Err(why) => return bad(why, "QUADLOCK_CACHE names the folder, QUADLOCK_CACHE_MIB its limit"),
    };
    let usage = match args.clear {
        true => folder.clear().or_else(|why| bad(why, "check the permissions of the folder"))?,
        false => folder.usage(),
    };
    let text = if args.json { as_json(&folder, &usage, args.clear) } else { as_text(&folder, &usage, args.clear) };
    print(&text);
    Ok(Outcome::Pass)
}

/// What the kinds of results are.
fn meaning(kind: &str) -> &str {
    match kind {
        "text" => "which Verilog a configuration gives",
        "graph" => "designs, parsed and elaborated",
        "code" => "machine code of designs",
        "second" => "machine code for what a run keeps busy",
        _ => "of another version",
    }
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn as_text(folder: &Folder, usage: &Usage, cleared: bool) -> String {
    let mut text = format!("folder   {}\nlimit    {:.0} MiB\n", folder.path().display(), mib(folder.limit()));
    let (results, size) = (usage.results(), mib(usage.bytes()));
    text += &format!("{}  {results} results, {size:.1} MiB\n", if cleared { "removed" } else { "in use " });
    for (kind, count, bytes) in &usage.kinds {
        text += &format!("  {kind:<8}{count:>6}{:>10.1} MiB  {}\n", mib(*bytes), meaning(kind));
    }
    text
}

fn as_json(folder: &Folder, usage: &Usage, cleared: bool) -> String {
    let kind = |(kind, results, bytes): &(String, u64, u64)| json!({ "kind": kind, "meaning": meaning(kind), "results": results, "bytes": bytes });
    let value = json!({
        "folder": folder.path().display().to_string(),
        "limit_bytes": folder.limit(),
        "removed": cleared,
        "results": usage.results(),
        "bytes": usage.bytes(),
        "kinds": usage.kinds.iter().map(kind).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}
