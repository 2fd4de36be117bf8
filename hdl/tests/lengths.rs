//! Lengths in `hdl/src`: a function has at most 60 lines, a file at most 800. What is longer is in
//! a list with its reason, and the list can only shrink: an entry that is no longer needed fails,
//! too. A function that is longer than a page hides where one piece of hardware ends.
//!
//! Lines are counted by the text: from `fn` to the brace of the same indentation, as rustfmt writes
//! it. It can be wrong about a function that a macro makes.

use std::collections::BTreeMap;
use std::path::Path;

const FUNCTION: usize = 60;
const FILE: usize = 800;

const MATCH: &str = "one match over the steps of a machine";
const FIELDS: &str = "a constructor lists the fields of the block";
const CHAIN: &str = "one chain of conditions";

/// File, what the function belongs to, its name, why it is longer.
const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("command/streamer.rs", "CommandStreamer::update", MATCH),
    ("core.rs", "Core::new", FIELDS),
    ("dispatch/graphics.rs", "GraphicsDispatcher::new", FIELDS),
    ("dispatch/graphics/ends.rs", "GraphicsDispatcher::done", "one loop over units: members and ends of each"),
    ("float/format.rs", "FormatOperands::update", MATCH),
    ("geometry/assembly.rs", "GeometryAssembly::update", CHAIN),
    ("geometry/bias.rs", "GeometryBias::update", MATCH),
    ("geometry/clip/kernel.rs", "GeometryClip::distances", MATCH),
    ("geometry/clip/kernel.rs", "GeometryClip::edges", MATCH),
    ("geometry/clip/kernel.rs", "GeometryClip::mix", MATCH),
    ("geometry/clip/kernel.rs", "GeometryClip::pieces", MATCH),
    ("output/tile_buffers/manage.rs", "TileBuffers::registers", "one line for each register"),
    ("output/tile_buffers/sequence.rs", "TileBuffers::sequence", MATCH),
    ("raster/merge_queue.rs", "MergeQueue::new", FIELDS),
    ("vertex/front_end.rs", "VertexFrontEnd::vertices", MATCH),
    ("visibility/unit/depth_visibility.rs", "DepthVisibility::new", FIELDS),
    ("visibility/hi_z/hi_z.rs", "HiZ::new", FIELDS),
    ("warp/context.rs", "WarpContext::new", FIELDS),
    ("warp/regfile.rs", "RegisterFile::new", FIELDS),
    ("warp/table.rs", "WarpTable::new", FIELDS),
    ("warp/unit.rs", "WarpUnit::new", FIELDS),
];

/// Files of blocks whose parts stand together.
const FILES: &[&str] = &["vertex/front_end.rs", "visibility/unit/depth_visibility.rs", "warp/table.rs"];

fn sources(folder: &Path, root: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, root, found);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            let name = entry.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            found.insert(name, std::fs::read_to_string(&entry).unwrap());
        }
    }
}

/// Functions of a text that are longer than so many lines: whose they are, name, lines.
fn longer(text: &str, most: usize) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut owner = String::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(rest) = line.strip_prefix("impl") {
            let rest = rest.split_once("> ").filter(|_| rest.starts_with('<')).map_or(rest, |r| r.1).trim();
            let block = rest.split_once(" for ").map_or(rest, |r| r.1);
            owner = block.trim_end_matches('{').trim().to_owned() + "::";
        }
        let indent = line.len() - line.trim_start().len();
        let head =
            line.trim_start().trim_start_matches("pub").trim_start_matches("(crate)").trim_start_matches("(super)");
        let Some(name) = head.trim_start().trim_start_matches("const ").strip_prefix("fn ") else { continue };
        let end = format!("{}}}", &line[..indent]);
        let Some(length) = lines[at..].iter().position(|l| *l == end) else { continue };
        if length + 1 > most {
            let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.push((format!("{}{name}", if indent == 0 { "" } else { &owner }), length + 1));
        }
    }
    found
}

#[test]
fn functions_and_files_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = BTreeMap::new();
    sources(&root, &root, &mut files);
    let mut problems = Vec::new();
    let mut known = Vec::new();
    for (file, text) in &files {
        for (name, lines) in longer(text, FUNCTION) {
            match FUNCTIONS.iter().find(|f| (f.0, f.1) == (file.as_str(), name.as_str())) {
                Some(entry) => known.push(*entry),
                None => {
                    problems.push(format!("{file}: {name} has {lines} lines, more than {FUNCTION}: cut it into parts"))
                }
            }
        }
        let (lines, listed) = (text.lines().count(), FILES.contains(&file.as_str()));
        match (lines > FILE, listed) {
            (true, false) => problems.push(format!("{file} has {lines} lines, more than {FILE}: make it two files")),
            (false, true) => problems.push(format!("{file} has {lines} lines: take it out of FILES")),
            _ => {}
        }
    }
    for entry in FUNCTIONS.iter().filter(|f| !known.contains(f)) {
        problems.push(format!("{}: {} is short now: take it out of FUNCTIONS", entry.0, entry.1));
    }
    for file in FILES.iter().filter(|f| !files.contains_key(**f)) {
        problems.push(format!("there is no {file}: take it out of FILES"));
    }
    assert!(files.len() > 150 && problems.is_empty(), "{} files\n{}", files.len(), problems.join("\n"));
}

#[test]
fn long_functions_are_found_with_their_owners() {
    let body = "        x();\n".repeat(5);
    let text = format!(
        "#[parts]\nimpl Block {{\n    fn queue(&mut self) {{\n{body}    }}\n}}\n\
         impl<B: Bundle> Block<B> {{\n    pub(super) fn new() -> Self {{\n{body}    }}\n}}\npub const fn free() {{\n{body}}}\n"
    );
    let names: Vec<_> = longer(&text, 6).into_iter().map(|f| f.0).collect();
    assert_eq!(names, ["Block::queue", "Block<B>::new", "free"]);
    assert!(longer(&text, 7).is_empty());
}
