//! The GTKWave view of a trace (`.gtkw`), its translate files, and the mapping files of Surfer. All
//! are generated from the list of traced signals and from what happens in the trace, so a view
//! never names a signal that is not there, and opens on what the job used ([`groups`]). Files lie
//! beside the trace and refer to each other by name only, so the folder can be moved; Surfer finds
//! `.surfer/mappings` when it is started there.

mod activity;
mod graphics;
pub(crate) mod groups;
mod header;
mod rows;

use std::path::{Path, PathBuf};

use activity::Activity;
use groups::View;
pub use header::read_traced;

use crate::base::error::{io, Input};
use crate::base::files::write_atomic;
use crate::observe::wave::{Traced, TracedSignal, CYCLE_TIME};
use crate::view::events;
use crate::view::labels::{Names, Table, ALL, OF_GRAPHICS};
use crate::view::lists;

/// Where Surfer looks for mapping files, in the folder in which it is started.
pub const MAPPINGS: &str = ".surfer/mappings";
/// Size of the window, and of its part that shows waves, in pixels.
const WINDOW: (u32, u32) = (1600, 900);
const WAVES: u32 = 1000;

/// Writes the view, the translate files and the mapping files beside `trace`; the marker stands on
/// cycle `marker`, or where the first event of interest is.
///
/// # Errors
/// A file cannot be written.
pub fn write(trace: &Path, traced: &Traced, marker: Option<u64>) -> Input<Vec<PathBuf>> {
    let folder = trace.parent().unwrap_or(Path::new(""));
    let name = trace.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let wanted = Activity::default();
    view_text(&name, traced, &wanted, marker);
    let activity = Activity::read(trace, &wanted.asked());
    let text = view_text(&name, traced, &activity, marker);
    let mappings = folder.join(MAPPINGS);
    std::fs::create_dir_all(&mappings).map_err(|e| io(&mappings, "create folder", &e))?;
    let mut files = Vec::new();
    for table in tables(traced) {
        let file = table.translate_file();
        if text.contains(&format!("\n^1 {file}\n")) {
            write_atomic(&folder.join(&file), table.gtkwave().as_bytes())?;
            files.push(folder.join(&file));
        }
        // Surfer shows no part of a variable as one, which the places of a list are.
        if !table.of_part {
            write_atomic(&mappings.join(&file), table.surfer().as_bytes())?;
            files.push(mappings.join(&file));
        }
    }
    let view = trace.with_extension("gtkw");
    write_atomic(&view, text.as_bytes())?;
    files.push(view);
    Ok(files)
}

/// The tables of names that variables of a trace have: of its enums, and of the other kinds of
/// values.
fn tables(traced: &Traced) -> Vec<Table> {
    let states = traced.enums.iter().map(|(name, states)| Table::of_states(name, states));
    let any = |part: &str| traced.signals.iter().any(|s| s.path.contains(part));
    let scope = |name: &str| any(&format!(".{name}."));
    let (events, lists, threads) = (scope(events::SCOPE), scope(lists::SCOPE), any(".views_"));
    let graphics = any(&format!(".{}.triangle", events::SCOPE));
    let there = |names: &Names| match names {
        Names::Opcode => true,
        Names::ThreadState => threads,
        Names::Owner | Names::Waiting => lists,
        names if OF_GRAPHICS.contains(names) => graphics,
        _ => events,
    };
    states.chain(ALL.into_iter().filter(there).map(Names::table)).collect()
}

/// The cycle where the marker stands and how many cycles the window shows, without one given: the
/// first quad that is shaded, the first operation on a list, the first step of an atomic, or the
/// first instruction that retires.
/// Of 20 cycles the names of instructions can be read whole.
fn of_interest(traced: &Traced, activity: &Activity) -> Option<(u64, u64)> {
    let paths = |choose: &dyn Fn(&TracedSignal) -> bool| -> Vec<String> {
        traced.signals.iter().filter(|s| choose(s)).map(|s| s.path.clone()).collect()
    };
    let event = |name: &'static str| {
        let start = format!(".{}.{name}", events::SCOPE);
        paths(&|s: &TracedSignal| s.path.contains(&start))
    };
    let steps = paths(&|s: &TracedSignal| groups::is_state(s) && s.path.contains("step"));
    let retired = event("retired_");
    let wide = activity.first(&retired, groups::is_wide);
    let by = |first: Option<u64>, cycles| first.map(|first| (first, cycles));
    by(activity.first(&event("shaded_triangle"), |v| v != 0), 60)
        .or_else(|| by(activity.first(&event("operation"), |v| v != 0), 160))
        .or_else(|| by(wide.and(activity.first(&steps, |v| v != 0)), 20))
        .or_else(|| by(activity.first(&retired, |v| v != 0), 20))
}

fn view_text(trace: &str, traced: &Traced, activity: &Activity, marker: Option<u64>) -> String {
    let fst = Path::new(trace).extension().is_some_and(|e| e.eq_ignore_ascii_case("fst"));
    let rows = View::new(traced, activity, fst).rows();
    let (first, last) = activity.span.map_or((0, u64::MAX), |(a, b)| (a / CYCLE_TIME, b.div_ceil(CYCLE_TIME)));
    let chosen = marker.map(|m| (m, 60)).or_else(|| of_interest(traced, activity));
    let (at, cycles) = chosen.unwrap_or((first, 60));
    // A failure is the end of what led to it, anything else the beginning of what follows.
    let before = if marker.is_some() { cycles * 3 / 4 } else { cycles / 10 };
    let cycles = cycles.min(last.saturating_sub(first).max(1));
    let start = at.saturating_sub(before).min(last.saturating_sub(cycles)).max(first);
    // GTKWave draws 2^-zoom time units on 200 pixels.
    let zoom = -((cycles * CYCLE_TIME * 200) as f64 / f64::from(WAVES)).log2();
    let place = chosen.map_or(-1, |(at, _)| (at * CYCLE_TIME) as i64);
    let mut text = String::from("[*] Made by quadlock; `quadlock waves` makes it again.\n");
    // GTKWave looks for the trace where the view is if it knows the name of the view too, else
    // where it was started.
    let view = Path::new(trace).with_extension("gtkw");
    text += &format!("[dumpfile] \"{trace}\"\n[savefile] \"{}\"\n", view.display());
    text += &format!("[timestart] {}\n", start * CYCLE_TIME);
    text += &format!("[size] {} {}\n[pos] -1 -1\n", WINDOW.0, WINDOW.1);
    text += &format!("*{zoom:.6} {place}{}\n", " -1".repeat(26));
    text += "[sst_width] 200\n[signals_width] 380\n[sst_expanded] 0\n";
    text + rows.text()
}

#[cfg(test)]
mod tests;
