//! `quadlock scopes`: the scopes of the machine that a job or a scene runs on, as a tree. `--scope`
//! of a run takes their paths. The machine is built, because its scopes hang on its parameters.
//! Wrong would be a path that `--scope` does not know: both use the tree that the engine describes.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::listing::json;
use super::outcome::{print, refuse, Outcome};
use super::preset::PresetArg;
use crate::base::error::bad;
use crate::job::{Job, Size};
use crate::machine::signals::{SignalKind, SignalTree, Window};
use crate::scene::Scene;
use crate::simulate::Simulator;

#[derive(Args, Debug)]
pub struct ScopesArgs {
    /// Job or scene file whose machine is listed
    file: PathBuf,
    /// Number of levels to list. 1 lists the top scope only, 4 also the blocks of a warp unit
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    /// List only these scopes and the scopes inside them; * and ** match, as in `run --scope`. The
    /// depth counts from them. May be repeated
    #[arg(long, value_name = "PATH")]
    scope: Vec<String>,
    /// List the machine of the small size
    #[arg(long)]
    small: bool,
    #[command(flatten)]
    preset: PresetArg,
    /// Change a setting, as in `run --set`
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print a list as JSON, with the full path of each scope (docs/cli.md)
    #[arg(long)]
    json: bool,
}

/// A scope, with figures of what is inside.
#[derive(Debug, Default, Serialize)]
pub(super) struct ScopeRow {
    path: String,
    name: String,
    depth: usize,
    signals: usize,
    signals_inside: usize,
    scopes: usize,
}

/// Collects the scopes of an engine, each before those inside.
#[derive(Default)]
struct Scopes {
    rows: Vec<ScopeRow>,
    /// Numbers of the rows of the scopes that are open.
    open: Vec<usize>,
}

impl SignalTree for Scopes {
    fn enter(&mut self, scope: &str) {
        let parent = self.open.last().map(|&at| &mut self.rows[at]);
        let path = match parent {
            Some(parent) => {
                parent.scopes += 1;
                format!("{}.{scope}", parent.path)
            }
            None => scope.to_owned(),
        };
        self.open.push(self.rows.len());
        let depth = self.open.len();
        self.rows.push(ScopeRow { path, name: scope.to_owned(), depth, ..ScopeRow::default() });
    }

    fn leave(&mut self) {
        self.open.pop();
    }

    fn signal(&mut self, _name: &str, _width: u32, _kind: SignalKind) {
        if let Some(&at) = self.open.last() {
            self.rows[at].signals += 1;
        }
        self.open.iter().for_each(|&at| self.rows[at].signals_inside += 1);
    }
}

impl Scopes {
    /// The scopes of a window, down to a depth that counts from the outermost of them.
    fn chosen(self, window: &Window, depth: u32) -> Vec<ScopeRow> {
        let mut chosen: Vec<ScopeRow> = vec![];
        // Depth of the outermost scope of the part that is being gone through.
        let mut outermost = 0;
        let mut inside = false;
        for row in self.rows {
            if !window.selects(&row.path) {
                inside = false;
                continue;
            }
            if !inside || row.depth <= outermost {
                (outermost, inside) = (row.depth, true);
            }
            if row.depth - outermost < depth as usize {
                chosen.push(row);
            }
        }
        chosen
    }
}

/// Rows as a tree: names indented, with the number of signals.
fn tree(rows: &[ScopeRow]) -> String {
    let mut text = String::new();
    // Depths of the scopes around the next one.
    let mut around: Vec<usize> = vec![];
    for row in rows {
        while around.last().is_some_and(|&depth| depth >= row.depth) {
            around.pop();
        }
        // What stands alone is named by its path.
        let name = if around.is_empty() { &row.path } else { &row.name };
        let title = format!("{}{name}", "  ".repeat(around.len()));
        text += &format!("{title:<48}{:>8}\n", row.signals_inside);
        around.push(row.depth);
    }
    text
}

pub fn scopes(args: &ScopesArgs) -> anyhow::Result<Outcome> {
    let sets = args.preset.before(&args.set);
    let config = if super::draw::is_scene(&args.file) {
        let scene = Scene::read(&args.file, args.small, &sets)?;
        scene.options(false, None)?.config
    } else {
        let job = Job::read(&args.file, if args.small { Size::Small } else { Size::Whole })?;
        job.options(false, &sets, None)?.0.config
    };
    let engine = Simulator::Rtlsim.engine(&config).or_else(|e| bad(e, "correct [machine] or --set"));
    let engine = engine.with_context(|| format!("building the machine of {}", args.file.display()))?;
    let mut scopes = Scopes::default();
    engine.describe(&mut scopes);
    let window = Window { scopes: args.scope.clone(), ..Window::default() };
    let rows = scopes.chosen(&window, args.depth);
    if rows.is_empty() {
        let message = format!("--scope {}: there is no such scope", args.scope.join(", --scope "));
        return refuse(message, "`quadlock scopes FILE` without it lists them");
    }
    print(&if args.json { json(&rows) } else { tree(&rows) });
    Ok(Outcome::Pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// top { core_0 { unit { reg } } core_1 } with signals.
    fn example() -> Scopes {
        let mut scopes = Scopes::default();
        let signal = |scopes: &mut Scopes| scopes.signal("s", 1, SignalKind::Bits);
        scopes.enter("top");
        signal(&mut scopes);
        scopes.enter("core_0");
        scopes.enter("unit");
        signal(&mut scopes);
        scopes.enter("reg");
        signal(&mut scopes);
        scopes.leave();
        scopes.leave();
        scopes.leave();
        scopes.enter("core_1");
        signal(&mut scopes);
        signal(&mut scopes);
        scopes.leave();
        scopes.leave();
        scopes
    }

    fn paths(rows: &[ScopeRow]) -> Vec<&str> {
        rows.iter().map(|r| r.path.as_str()).collect()
    }

    #[test]
    fn a_tree_is_cut_at_its_depth_and_counts_what_is_inside() {
        let rows = example().chosen(&Window::default(), 2);
        assert_eq!(paths(&rows), ["top", "top.core_0", "top.core_1"]);
        let [top, core] = [&rows[0], &rows[1]];
        assert_eq!((top.signals, top.signals_inside, top.scopes, top.depth), (1, 5, 2, 1));
        assert_eq!((core.signals, core.signals_inside, core.scopes, core.depth), (0, 2, 1, 2));
        let lines: Vec<String> =
            tree(&rows).lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines, ["top 5", "core_0 2", "core_1 2"]);
        assert!(tree(&rows).contains("\n  core_0"));
    }

    #[test]
    fn a_part_counts_its_depth_from_itself() {
        let part = |scope: &str, depth| {
            let window = Window { scopes: vec![scope.to_owned()], ..Window::default() };
            example().chosen(&window, depth)
        };
        assert_eq!(paths(&part("top.core_0", 1)), ["top.core_0"]);
        assert_eq!(paths(&part("top.core_0", 2)), ["top.core_0", "top.core_0.unit"]);
        assert_eq!(paths(&part("top.core_*", 1)), ["top.core_0", "top.core_1"]);
        assert!(tree(&part("top.core_*", 1)).starts_with("top.core_0 "));
        assert!(part("nothing", 9).is_empty());
    }
}
