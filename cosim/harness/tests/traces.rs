//! Traces of machines with merge queue, windows and Hi-Z. GTKWave's view has their groups, and
//! those in which something happens are open.
//!
//! Chrome traces as a viewer reads them: it draws a slice that begins inside another one as its
//! child. So slices of a track are apart or one is inside the other, on machines whose warps take
//! over each other's slots: pairs that merge, groups that split, tiles drawn in windows.
//!
//! Failure modes: a run in which no slot is used again. So slots with several slices are counted.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::command::run;

/// First cycle, cycle after the last, and name of each slice, by process and track.
type Tracks = BTreeMap<(u64, u64), Vec<(u64, u64, String)>>;

fn tracks(trace: &Path) -> Tracks {
    let text = std::fs::read_to_string(trace).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let mut tracks = Tracks::new();
    for event in json["traceEvents"].as_array().unwrap().iter().filter(|e| e["ph"] == "X") {
        let [pid, tid, from, length] = ["pid", "tid", "ts", "dur"].map(|key| event[key].as_u64().unwrap());
        tracks.entry((pid, tid)).or_default().push((from, from + length, event["name"].to_string()));
    }
    tracks
}

#[test]
fn slices_of_a_track_are_apart_or_inside_each_other() {
    let merging = ["--set", "merge=on"];
    for (file, more) in [
        ("merging/woven.toml", &["--set", "tbimr=window"][..]),
        ("merging/woven.toml", &["--set", "machine.merge-group=4"]),
        ("splitting/scene.toml", &["--to", "9000"]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
        let args = ["run", file.to_str().unwrap(), "--perfetto", "t.json"];
        let (status, said) = run(dir.path(), &[&args[..], &merging, more].concat());
        assert_eq!(status, 0, "{said}");
        let mut again = 0;
        for (track, mut slices) in tracks(&dir.path().join("t.json")) {
            slices.sort_by_key(|s| (s.0, std::cmp::Reverse(s.1)));
            again += usize::from(track.0 == 0 && slices.len() > 2);
            let mut around: Vec<(u64, u64, String)> = vec![];
            for slice in slices {
                around.retain(|a| a.1 > slice.0);
                let across = around.iter().find(|a| a.1 < slice.1);
                assert!(across.is_none(), "{more:?}, track {track:?}: {across:?} and {slice:?}");
                around.push(slice);
            }
        }
        assert!(again > 3, "{more:?}: {again} slots are used again");
    }
}

/// What the job used is open, by the trace; every event has a count, and the end of a window a
/// name.
#[test]
fn groups_of_merge_queue_windows_and_hi_z_are_open() {
    let dir = tempfile::tempdir().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/merging/woven.toml");
    let machine =
        ["merge=on", "tbimr=window", "hi-z=visibility+binner", "draw.0.state.depth=less", "target.depth=true"];
    let sets = machine.iter().flat_map(|set| ["--set", *set]);
    let args: Vec<&str> = ["run", file.to_str().unwrap(), "--fst", "w.fst"].into_iter().chain(sets).collect();
    let (status, said) = run(dir.path(), &args);
    assert_eq!(status, 0, "{said}");
    let view = std::fs::read_to_string(dir.path().join("w.gtkw")).unwrap();
    for title in [
        "windows of triangles",
        "tiles of windows that are opened and closed",
        "triangles before the binner (Hi-Z)",
        "bounds of groups and quads (Hi-Z)",
        "quads out of the rasteriser",
        "quads behind the early tests",
        "merge queue",
        "warps that merge or split",
        "launches",
        "memory port",
    ] {
        assert!(view.contains(&format!("@800200\n-{title}\n")), "{title} is closed, or not there");
    }
    for row in ["+{count of merges} ", "+{ends, since} quadlock.events.window_end"] {
        assert!(view.contains(row), "{row}");
    }
    let names = std::fs::read_to_string(dir.path().join(".surfer/mappings/window-ends.txt")).unwrap();
    assert!(names.contains("0x14 the list waits\n"), "{names}");
}
