//! Lists of what the program has: planted faults, blocks of the RTL, completions of its own command
//! line. With `--json` a list is for scripts: an array of objects, or an object of such arrays,
//! whose keys are those of [`SCHEMAS`], which the page of the command line shows. Keys are added,
//! none changes its meaning.

use anyhow::Context;
use clap::Args;
use quadlock_hdl::export::TOPS;
use serde::Serialize;

use super::outcome::{print, Outcome};
use crate::base::error::Input;
use crate::simulate::AnyFault;

/// A list of `--json`: its command, and what each key of an object means.
pub(crate) struct Schema {
    pub command: &'static str,
    pub keys: &'static [(&'static str, &'static str)],
}

/// All of them, in the order of the page.
pub(crate) const SCHEMAS: &[Schema] = &[
    Schema {
        command: "quadlock faults --json",
        keys: &[
            ("name", "`PLACE:FAULT`, the form that `--set fault=NAME` takes"),
            ("place", "`rtl`, `model` or `compiler`"),
            ("fault", "name within that place"),
            ("what", "effect of the fault"),
        ],
    },
    Schema {
        command: "quadlock export --list --json",
        keys: &[("name", "name, in the form that `--top` takes"), ("what", "function of the block")],
    },
    Schema {
        command: "quadlock scopes FILE --json",
        keys: &[
            ("path", "name with its parents, separated by dots, the form that `--scope` takes"),
            ("name", "the last part of `path`"),
            ("depth", "1 for the top scope, one more per level"),
            ("signals", "number of signals in the scope itself"),
            ("signals_inside", "number of signals in the scope and in all scopes inside it"),
            ("scopes", "number of scopes directly inside"),
        ],
    },
    Schema {
        command: "quadlock settings --json",
        keys: &[
            ("presets.name", "name, in the form that `--preset` takes"),
            ("presets.meaning", "description of the machine"),
            ("presets.sets", "list of `KEY=VALUE`, each in the form that `--set` takes"),
            ("settings.key", "key, in the form that `--set` takes"),
            ("settings.group", "title of the group"),
            ("settings.values", "values in words"),
            ("settings.default", "default in words"),
            ("settings.meaning", "meaning"),
            ("settings.jobs", "whether jobs take the key"),
            ("settings.scene", "path of the key in a scene, or `null`: scenes do not take it"),
            ("settings.export", "whether exports take the key"),
        ],
    },
];

/// A list as JSON: one object for each row.
pub(super) fn json<R: Serialize>(rows: &[R]) -> String {
    // Strings and numbers always have a JSON form.
    serde_json::to_string_pretty(rows).unwrap_or_default() + "\n"
}

#[derive(Args, Debug)]
pub struct FaultsArgs {
    /// Print the list as JSON (docs/cli.md)
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct FaultRow {
    name: String,
    place: &'static str,
    fault: &'static str,
    what: &'static str,
}

pub fn faults(args: &FaultsArgs) -> Input<Outcome> {
    let rows: Vec<FaultRow> = AnyFault::all()
        .into_iter()
        .map(|(_, place, fault, what)| FaultRow { name: format!("{place}:{fault}"), place, fault, what })
        .collect();
    let text = || rows.iter().map(|r| format!("{:<32}{}\n", r.name, r.what)).collect::<String>();
    print(&if args.json { json(&rows) } else { text() });
    Ok(Outcome::Pass)
}

#[derive(Serialize)]
struct BlockRow {
    name: &'static str,
    what: &'static str,
}

/// The blocks that can be exported.
pub(super) fn blocks(as_json: bool) -> Input<Outcome> {
    let rows: Vec<BlockRow> = TOPS.iter().map(|&(name, what)| BlockRow { name, what }).collect();
    let text = || rows.iter().map(|r| format!("{:<20}{}\n", r.name, r.what)).collect::<String>();
    print(&if as_json { json(&rows) } else { text() });
    Ok(Outcome::Pass)
}

#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// Shell to write the script for. docs/cli.md says where to install it
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

pub fn completions(args: &CompletionsArgs, command: &mut clap::Command) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "quadlock", &mut script);
    print(&String::from_utf8(script).context("a script that is not UTF-8")?);
    Ok(Outcome::Pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of the first object of a list.
    fn keys(list: &str) -> Vec<String> {
        let list: serde_json::Value = serde_json::from_str(list).unwrap();
        list[0].as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn lists_have_the_keys_of_their_schema() {
        let fault = FaultRow { name: String::new(), place: "", fault: "", what: "" };
        let block = BlockRow { name: "", what: "" };
        let scope = super::super::scopes::ScopeRow::default();
        let lists = serde_json::to_value(super::super::settings::lists()).unwrap();
        let of = |list: &str| {
            let keys = lists[list][0].as_object().unwrap().keys();
            keys.map(|key| format!("{list}.{key}")).collect::<Vec<_>>()
        };
        let mut settings: Vec<String> = ["presets", "settings"].into_iter().flat_map(of).collect();
        settings.sort_unstable();
        let mut want: Vec<&str> = SCHEMAS[3].keys.iter().map(|k| k.0).collect();
        want.sort_unstable();
        assert_eq!(settings, want);
        for (schema, list) in SCHEMAS.iter().zip([json(&[fault]), json(&[block]), json(&[scope])]) {
            let mut want: Vec<&str> = schema.keys.iter().map(|k| k.0).collect();
            want.sort_unstable();
            let mut seen = keys(&list);
            seen.sort_unstable();
            assert_eq!(seen, want, "{}", schema.command);
        }
    }
}
