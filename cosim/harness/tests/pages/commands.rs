//! Every command line of `quadlock` on a page is one that the program takes: the real parser reads
//! it, and the files of the repository that it names exist. In code blocks whole commands; in
//! running text parts of commands, whose names and options exist.
//!
//! It can be wrong in values that the parser leaves to the command, such as the keys of `--set`.

use clap::error::ErrorKind;

use crate::{code_spans, pages, root};

/// A command of a page: its line, and the arguments after the program's name.
struct Found {
    line: usize,
    words: Vec<String>,
}

/// The words of a shell's command, up to its comment, to what its output goes into, and to the next
/// command. `[` and `]` of a usage are left out, and so are the dots of what may be repeated.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in command.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '>' | '|' | ';' | '&') => break,
            (None, '[' | ']') => {}
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words.retain(|word| word != "...");
    words
}

/// The arguments of `quadlock`, if that is what the command runs.
fn arguments(command: &str) -> Option<Vec<String>> {
    let mut words = words(command.trim().trim_start_matches("$ "));
    let program = words.first()?;
    let is_ours = program == "quadlock" || program.ends_with("/quadlock");
    is_ours.then(|| words.split_off(1))
}

/// Commands in the code blocks of a page, fenced or indented. A line that ends with `\` goes on.
fn of_blocks(text: &str) -> Vec<Found> {
    let (mut fenced, mut begun) = (false, None::<(usize, String)>);
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            begun = None;
            continue;
        }
        if !fenced && !line.starts_with("    ") {
            begun = None;
            continue;
        }
        let (first, mut command) = begun.take().unwrap_or((at + 1, String::new()));
        command += line.trim();
        match command.strip_suffix('\\') {
            Some(part) => begun = Some((first, format!("{} ", part.trim_end()))),
            None => found.extend(arguments(&command).map(|words| Found { line: first, words })),
        }
    }
    found
}

/// Parts of commands in running text: `quadlock run --vcd`.
fn of_text(text: &str) -> Vec<Found> {
    let commands =
        code_spans(text).into_iter().filter_map(|(line, code)| Some(Found { line, words: arguments(code)? }));
    // `quadlock COMMAND --help` stands for every command.
    let named = |found: &Found| found.words.first().is_some_and(|w| w.chars().any(|c| c.is_lowercase()));
    commands.filter(named).collect()
}

/// What the parser says of the arguments, if it is an error. Help and version are none.
fn refused(words: &[String]) -> Option<clap::Error> {
    let line = std::iter::once("quadlock".to_owned()).chain(words.iter().cloned());
    let error = quadlock::cli::command().try_get_matches_from(line).err()?;
    (error.exit_code() != 0).then_some(error)
}

/// The first line of an error.
fn short(error: &clap::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Inputs in the repository that a command names and that do not exist.
fn lost_inputs(words: &[String]) -> impl Iterator<Item = &String> {
    let root = root();
    let is_input = |word: &&String| word.starts_with("examples/") || word.starts_with("cosim/");
    words.iter().filter(is_input).filter(move |word| !root.join(word).exists())
}

/// What is wrong with the commands in the code blocks of a page.
fn wrong_blocks(page: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for Found { line, words } in of_blocks(text) {
        let command = words.join(" ");
        wrong.extend(refused(&words).map(|e| format!("{page}:{line}: quadlock {command}\n    {}", short(&e))));
        wrong.extend(lost_inputs(&words).map(|input| format!("{page}:{line}: no {input}")));
    }
    wrong
}

/// What is wrong with a part of a command: a name or an option that the program does not have, or
/// two that exclude each other. What is left out of it is not wrong.
fn wrong_text(page: &str, text: &str) -> Vec<String> {
    let wrong = [ErrorKind::UnknownArgument, ErrorKind::InvalidSubcommand, ErrorKind::ArgumentConflict];
    let mut found = Vec::new();
    for Found { line, words } in of_text(text) {
        let error = refused(&words).filter(|e| wrong.contains(&e.kind()));
        found.extend(error.map(|e| format!("{page}:{line}: quadlock {}\n    {}", words.join(" "), short(&e))));
    }
    found
}

#[test]
fn commands_on_pages_are_taken() {
    let pages = pages();
    let count: usize = pages.iter().map(|(_, text)| of_blocks(text).len()).sum();
    assert!(count > 80, "only {count} commands were found");
    let wrong: Vec<String> = pages.iter().flat_map(|(page, text)| wrong_blocks(page, text)).collect();
    assert!(wrong.is_empty(), "commands that the program refuses:\n{}", wrong.join("\n"));
}

#[test]
fn parts_of_commands_on_pages_are_taken() {
    // The log of changes names options as they were.
    let pages: Vec<_> = pages().into_iter().filter(|(page, _)| page != "CHANGELOG.md").collect();
    let count: usize = pages.iter().map(|(_, text)| of_text(text).len()).sum();
    assert!(count > 30, "only {count} parts of commands were found");
    let wrong: Vec<String> = pages.iter().flat_map(|(page, text)| wrong_text(page, text)).collect();
    assert!(wrong.is_empty(), "commands and options that do not exist:\n{}", wrong.join("\n"));
}

#[test]
fn words_are_those_of_a_shell() {
    assert_eq!(words("a 'b c'  --d=\"e f\" # g"), ["a", "b c", "--d=e f"]);
    assert_eq!(words("a [--top B] [--set K=V ...] > out"), ["a", "--top", "B", "--set", "K=V"]);
    assert_eq!(arguments("$ target/quick/quadlock faults | head"), Some(vec!["faults".to_owned()]));
    assert_eq!(arguments("make run"), None);
}

#[test]
fn a_command_that_is_refused_is_noticed() {
    let text = "    quadlock run examples/mandelbrot/job.toml --smal\n\
                ```\nquadlock run examples/none.toml \\\n  --small\n$ quadlock --help\nquadlock draw\n```\n";
    let wrong = wrong_blocks("p.md", text);
    assert_eq!(wrong.len(), 3, "{wrong:?}");
    assert!(wrong[0].starts_with("p.md:1: quadlock run ") && wrong[0].contains("--smal"), "{wrong:?}");
    assert!(wrong[1] == "p.md:3: no examples/none.toml" && wrong[2].starts_with("p.md:6: quadlock draw"), "{wrong:?}");
    let text = "`quadlock run --vcd` `quadlock fuzz --beside` `quadlock run --wcd` and `quadlock keys`";
    assert_eq!(wrong_text("p.md", text).len(), 2, "{:?}", wrong_text("p.md", text));
}
