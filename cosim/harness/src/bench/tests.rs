//! The bench itself, on a core of one unit and two warps: replays agree between engines, a wrong
//! one is caught, rows come as they were asked for.

use std::path::{Path, PathBuf};

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::export_named;

use super::subject::{OwnEngine, RtlsimSubject, RustHdlSubject, Subject};
use super::suite::{run, Jobs, Plan};
use super::table::Outcome;
use super::variant::Variant;
use crate::base::progress::Progress;
use crate::engine::record::Recording;
use crate::lockstep::Options;
use crate::machine::launch::Launch;
use crate::peer::measure::{Contender, Measurement};
use crate::peer::verilator::Verilator;
use crate::peer::workload::Workload;

/// Every lane stores a value; a few hundred cycles.
fn tiny() -> Workload {
    let text = "S2R r1, lane\nSHL r2, r1, #2\nIADD r3, r1, #5\nST.32 [r2+0x1100], r3\nLD.32 r4, [r2+0x1100]\nIADD r4, r4, r3\nST.32 [r2+0x1100], r4\nEND";
    let code = quadlock_isa::assemble("t", text).unwrap().code;
    let mut options = Options { model: false, ..Options::default() };
    options.config = GpuConfig { units: 1, warps: 2, icache_lines: 8, shared_words: 64, ..GpuConfig::default() };
    Workload { launch: Launch::bare("t", code, 0x200), options }
}

fn recording() -> Recording {
    RustHdlSubject.record("", &tiny()).unwrap()
}

fn plan(rows: &[&str], dir: &Path) -> Plan {
    let rows = rows.iter().map(|r| (*r).to_owned()).collect();
    Plan { rows, rounds: 1, seconds: 0.0, dir: dir.to_owned(), cycles: 1_000_000 }
}

#[test]
fn rust_hdl_with_and_without_skipping_repeats_the_recording() {
    let recording = recording();
    for skipping in [true, false] {
        let m = OwnEngine { skipping }.run(&recording, recording.cycles, 2).unwrap();
        assert_eq!(m.cycles, 2 * recording.cycles);
        m.check(&recording, recording.cycles).unwrap();
    }
    assert!(quadlock_hdl::base::quiet::skipping(), "a measurement left skipping off");
}

#[test]
fn rtlsim_records_what_rust_hdl_records_and_repeats_it() {
    let (recording, job) = (recording(), tiny());
    let verilog = export_named("quadlock", &job.options.config).unwrap();
    assert_eq!(RtlsimSubject.record(&verilog, &job).unwrap(), recording);
    let mut core = RtlsimSubject.build(&verilog, &Variant::Plain).unwrap();
    let m = core.run(&recording, recording.cycles, 2).unwrap();
    assert_eq!(m.cycles, 2 * recording.cycles);
    m.check(&recording, recording.cycles).unwrap();
}

#[test]
fn a_replay_that_computes_something_else_is_caught() {
    let recording = recording();
    let right = recording.checksum(recording.cycles).unwrap();
    let m = Measurement { cycles: recording.cycles, seconds: 1.0, checksum: right ^ 1 };
    assert!(m.check(&recording, recording.cycles).unwrap_err().contains("differ"));
    assert!(m.check(&recording, 7).unwrap_err().contains("keeps no checksum"));
}

#[test]
fn rows_come_in_the_tables_order_and_what_cannot_run_fails_alone() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = Jobs { steady: tiny(), stalled: tiny() };
    // rust-hdl's engine as the subject writes no waves.
    let plan = plan(&["compile", "waves", "lockstep", "rust-hdl"], dir.path());
    let rows = run(&plan, &jobs, &RustHdlSubject, &Progress::hidden("rows")).unwrap();
    let names: Vec<&str> = rows.iter().map(|r| r.figure.name).collect();
    assert_eq!(names, ["rust-hdl", "waves", "lockstep", "compile"]);
    assert!(matches!(rows[1].outcome, Outcome::Failed(_)), "{rows:?}");
    for i in [0, 2, 3] {
        assert!(rows[i].ratio().is_some_and(|r| r > 0.0), "{rows:?}");
        assert!(rows[i].spread.is_some_and(|s| s >= 0.0), "timed once: {rows:?}");
    }
    assert!(rows[0].notes.iter().any(|n| n.contains("skipping of quiet blocks on")), "{rows:?}");
}

/// The Verilator of the environment; tests without one are skipped unless peers are required.
fn verilator() -> Option<Verilator> {
    // Tests run in the crate's folder, the tools are in the checkout's.
    let installed =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../")).join(crate::peer::verilator::INSTALLED);
    let found = Verilator::at(installed).map_or_else(Verilator::find, Ok);
    match found {
        Ok(found) => Some(found),
        Err(e) if std::env::var_os("QUADLOCK_REQUIRE_PEERS").is_some() => panic!("{e}"),
        Err(e) => {
            eprintln!("skipped: {e}");
            None
        }
    }
}

#[test]
fn verilator_repeats_the_recording() {
    let Some(verilator) = verilator() else { return };
    let (recording, dir) = (recording(), tempfile::tempdir().unwrap());
    let verilog = export_named("quadlock", &recording.config).unwrap();
    let mut core = verilator.build(&verilog, dir.path(), "-O0", false).unwrap();
    let m = core.run(&recording, recording.cycles, 2).unwrap();
    assert_eq!(m.cycles, 2 * recording.cycles);
    m.check(&recording, recording.cycles).unwrap();
}
