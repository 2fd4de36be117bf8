//! `quadlock settings`: every key that `--set` takes, in groups, and the presets. The rows are
//! those of the tables that read the keys: build parameters, settings of a run, the target of a
//! scene. Wrong would be a key that a command takes and no table has: scenes take any key of their
//! file by its path, and the list says so.

use clap::Args;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::parameters::{self, Parameter};
use quadlock_hdl::presets::PRESETS;
use serde::Serialize;

use super::outcome::{print, Outcome};
use crate::base::error::Input;
use crate::job::settings::{Setting, SETTINGS};
use crate::scene::file::changed;

#[derive(Args, Debug)]
pub struct SettingsArgs {
    /// Print the settings and presets as JSON, for scripts (docs/cli.md)
    #[arg(long)]
    json: bool,
}

/// A key of `--set`.
#[derive(Serialize)]
pub(super) struct SettingRow {
    group: &'static str,
    key: String,
    values: String,
    default: String,
    meaning: String,
    jobs: bool,
    scene: Option<String>,
    export: bool,
}

/// A preset.
#[derive(Serialize)]
pub(super) struct PresetRow {
    name: &'static str,
    meaning: &'static str,
    sets: Vec<String>,
}

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Lists {
    pub presets: Vec<PresetRow>,
    pub settings: Vec<SettingRow>,
}

/// Text without the marks of Markdown: a link is its words.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (before, words) = before.rsplit_once('[').unwrap_or((before, ""));
        out += before;
        out += words;
        rest = after.split_once(')').map_or("", |link| link.1);
    }
    (out + rest).replace('`', "")
}

fn of_parameter(group: &'static str, p: &Parameter, default: &GpuConfig) -> SettingRow {
    let is_core = p.key == "core";
    let key = if is_core { "core.ROW.COLUMN.KEY".to_owned() } else { p.job_key() };
    let default = match (p.key, p.text(default)) {
        ("graphics", off) => format!("{off}; scenes on"),
        (_, none) if none.is_empty() => "none".to_owned(),
        (_, text) => text,
    };
    SettingRow {
        group,
        values: plain(&p.values.to_string()),
        default,
        meaning: plain(p.meaning),
        jobs: p.of_jobs || is_core,
        // In a scene a core that differs is a `[[machine.core]]`.
        scene: p.of_jobs.then(|| key.clone()),
        export: true,
        key,
    }
}

fn of_setting(s: &Setting, jobs: bool) -> SettingRow {
    SettingRow {
        group: s.group,
        key: s.key.to_owned(),
        values: s.values.to_owned(),
        default: s.default.to_owned(),
        meaning: plain(s.meaning),
        jobs,
        scene: s.scene.map(str::to_owned),
        export: s.key == "fault",
    }
}

/// Every key and every preset.
pub(super) fn lists() -> Lists {
    let default = GpuConfig::default();
    // A fault is planted in three places, of which a build parameter is one: the setting has all.
    let parameters = parameters::grouped().flat_map(|(group, rows)| {
        let rows = rows.iter().filter(|p| p.key != "fault");
        rows.map(|p| of_parameter(group, p, &default)).collect::<Vec<_>>()
    });
    let settings = SETTINGS.iter().map(|s| of_setting(s, true));
    let scenes = changed::SETTINGS.iter().map(|s| of_setting(s, false));
    let sets = |sets: &[(&str, &str)]| sets.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let presets = PRESETS.iter().map(|p| PresetRow { name: p.name, meaning: p.meaning, sets: sets(p.sets) });
    Lists { presets: presets.collect(), settings: parameters.chain(settings).chain(scenes).collect() }
}

/// Who takes a key, where not all do, and its path in a scene.
fn taken(row: &SettingRow) -> String {
    let scene = row.scene.as_ref().filter(|path| **path != row.key);
    match (row.jobs, &row.scene) {
        (true, Some(_)) => scene.map_or(String::new(), |path| format!("  scenes: {path}")),
        (true, None) if row.export => "  jobs and exports only".to_owned(),
        (true, None) => "  jobs only".to_owned(),
        (false, Some(_)) => "  scenes only".to_owned(),
        (false, None) => "  export only".to_owned(),
    }
}

fn text(lists: &Lists) -> String {
    let mut text = String::from(
        "Settings of --set KEY=VALUE, each as KEY = DEFAULT (VALUES). A scene also takes any key of its file by its\n\
         path, for example draw.0.state.cull=none.\n\n\
         Presets: --preset NAME, or preset = \"NAME\" in [machine]. Any key that is given wins over a preset\n",
    );
    for preset in &lists.presets {
        text += &format!("  {}\n      {}\n      {}\n", preset.name, preset.meaning, preset.sets.join(" "));
    }
    let mut group = "";
    for row in &lists.settings {
        if row.group != group {
            group = row.group;
            text += &format!("\n{group}\n");
        }
        text += &format!("  {} = {}  ({}){}\n", row.key, row.default, row.values, taken(row));
        text += &format!("      {}\n", row.meaning);
    }
    text
}

pub fn settings(args: &SettingsArgs) -> Input<Outcome> {
    let lists = lists();
    let json = || serde_json::to_string_pretty(&lists).unwrap_or_default() + "\n";
    print(&if args.json { json() } else { text(&lists) });
    Ok(Outcome::Pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_tables_is_listed_in_its_group() {
        let text = text(&lists());
        for p in parameters::of_jobs() {
            assert!(text.contains(&format!("\n  {} = ", p.job_key())), "{}", p.key);
        }
        for s in SETTINGS.iter().chain(changed::SETTINGS) {
            assert!(text.contains(&format!("\n  {} = ", s.key)), "{}", s.key);
        }
        assert!(PRESETS.iter().all(|p| text.contains(&p.text())));
        let groups = |title: &str| text.matches(&format!("\n\n{title}\n")).count();
        assert!(lists().settings.iter().all(|row| groups(row.group) == 1), "{text}");
    }

    #[test]
    fn marks_of_markdown_are_left_out() {
        assert_eq!(plain("a `b` ([c.md](c.md#d)) e [f](g)"), "a b (c.md) e f");
    }
}
