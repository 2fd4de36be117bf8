//! The drawings in docs/pictures: each is the one of its text, and names blocks that exist. The
//! pages of figures and of proofs are those of their JSON. What an arrow says is for the eye of a
//! reader.

use std::collections::BTreeSet;
use std::process::Command;

use crate::root;

/// A script of the repository with `--check`, which fails if what it makes is not that of its
/// source.
pub(crate) fn fresh(script: &str) {
    let out = match Command::new("python3").arg(script).arg("--check").current_dir(root()).output() {
        Ok(out) => out,
        Err(e) => {
            assert!(std::env::var_os("QUADLOCK_REQUIRE_PEERS").is_none(), "python3: {e}");
            eprintln!("skipped: python3 is not installed");
            return;
        }
    };
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn every_drawing_is_that_of_its_text() {
    fresh("scripts/draw.py");
}

#[test]
fn the_page_of_figures_is_that_of_its_json() {
    fresh("scripts/figures.py");
}

/// Every property has a record of its last run, with the depth of today's table, and the page
/// counts them all.
#[test]
fn the_page_of_proofs_is_that_of_its_properties() {
    fresh("formal/page.py");
}

/// The names behind `@` in the text of a drawing.
fn blocks_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('|')).filter_map(|part| part.trim().strip_prefix('@'))
}

#[test]
fn every_block_in_a_drawing_is_one_of_the_exporters() {
    let known: BTreeSet<&str> = quadlock_hdl::export::TOPS.iter().map(|(name, _)| *name).collect();
    let mut texts = Vec::new();
    crate::files(&root().join("docs/pictures"), ".txt", &mut texts);
    assert!(texts.len() >= 4);
    for path in texts {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(blocks_of(&text).count() >= 2, "{}", path.display());
        for name in blocks_of(&text) {
            assert!(known.contains(name), "{} names {name}, which is no block", path.display());
        }
    }
}

#[test]
fn a_block_that_is_gone_is_noticed() {
    assert_eq!(blocks_of("box a logic 1 2 3 4 | Title | @no_such_block").collect::<Vec<_>>(), ["no_such_block"]);
}
