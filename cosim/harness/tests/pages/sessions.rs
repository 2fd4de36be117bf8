//! Sessions on pages: code blocks of the kind `console`. A line `$ target/quick/quadlock ...` is
//! run, and what follows must be what it prints. `...` on a line of its own stands for lines that
//! are left out, inside a line for a part of it. Other commands (git, make, gtkwave) are not run.

use std::process::Command;

use crate::{pages, root};

/// A command of a page, and the lines that it prints there.
struct Step {
    page: String,
    command: String,
    printed: Vec<String>,
}

fn steps(page: &str, text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            steps.push(Step { page: page.to_owned(), command: command.to_owned(), printed: Vec::new() });
        } else if inside {
            steps.last_mut().expect("a block begins with a command").printed.push(line.to_owned());
        }
    }
    steps
}

/// The parts of a line that `...` separates are there, in order; the first at its beginning.
fn alike(seen: &str, stated: &str) -> bool {
    let mut rest = seen;
    for (i, part) in stated.split("...").enumerate() {
        match rest.find(part) {
            Some(at) if i > 0 || at == 0 => rest = &rest[at + part.len()..],
            _ => return false,
        }
    }
    stated.ends_with("...") || rest.is_empty()
}

/// The first stated line that is not printed where it should be.
fn differs<'a>(seen: &str, stated: &'a [String]) -> Option<&'a str> {
    let mut seen = seen.lines();
    let mut anywhere = false;
    for line in stated {
        if line == "..." {
            anywhere = true;
            continue;
        }
        let found = if anywhere { seen.any(|s| alike(s, line)) } else { seen.next().is_some_and(|s| alike(s, line)) };
        if !found {
            return Some(line);
        }
        anywhere = false;
    }
    None
}

#[test]
fn sessions_print_what_the_pages_say() {
    let all: Vec<Step> = pages().iter().flat_map(|(page, text)| steps(page, text)).collect();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("examples"), folder.path().join("examples")).unwrap();
    let mut run = 0;
    for step in all {
        let Some(arguments) = step.command.strip_prefix("target/quick/quadlock ") else { continue };
        run += 1;
        let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
            .args(arguments.split_whitespace())
            .current_dir(folder.path())
            .output()
            .unwrap();
        let seen = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        if let Some(line) = differs(&seen, &step.printed) {
            panic!("{}: $ {}\nis said to print\n{line}\nand prints\n{seen}", step.page, step.command);
        }
    }
    assert!(run >= 4, "{run} commands were found");
    cause_of_the_tutorial(&std::fs::read_to_string(folder.path().join("out/operands.vcd")).unwrap());
}

/// What the tutorial reads in the waves of cycle 688: three lanes have a reason, four branch.
fn cause_of_the_tutorial(vcd: &str) {
    for (name, value) in [("mask", "1111"), ("nonzero", "0111"), ("taken", "1111")] {
        let mut words = vcd.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let id = words.find(|w| w.first() == Some(&"$var") && w.get(4) == Some(&name)).unwrap()[3].to_owned();
        let until = vcd.split("\n#1377").next().unwrap();
        let mut last =
            until.lines().filter_map(|line| line.strip_prefix('b')?.split_once(' ')).filter(|(_, i)| *i == id);
        assert_eq!(last.next_back().map(|(bits, _)| bits), Some(value), "{name}");
    }
}

#[test]
fn what_is_not_printed_is_noticed() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(differs("a\nb\nc 12 s", &lines("a\n...\nc ... s")), None);
    assert_eq!(differs("a\nb", &lines("b")), Some("b"));
    assert_eq!(differs("a\nb", &lines("a\n...\nc")), Some("c"));
    assert_eq!(differs("abc", &lines("a...d")), Some("a...d"));
}
