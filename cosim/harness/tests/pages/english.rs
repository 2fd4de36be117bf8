//! Pages and help texts that are written in plain English stay so: short sentences, short cells of
//! tables, and none of the turns that readers stumble over. CONTRIBUTING.md has the rules.
//!
//! It can be wrong in both ways: a sentence ends at a full stop before a capital, so an
//! abbreviation ends one too; and only turns that a word or two give away are seen.

use crate::pages;

/// Pages whose text is held to the rules. Those in `docs/tutorial/` are, too.
const PAGES: &[&str] = &["README.md", "docs/limits.md", "docs/waves.md", "docs/report.md", "docs/glossary.md"];

/// Most words of a sentence, outside of tables and code.
const SENTENCE: usize = 25;
/// Most words of a cell of a table.
const CELL: usize = 40;

/// Words that stand for something simpler, as whole words in any case.
const TURNS: &[(&str, &str)] = &[
    ("nobody", "name the block, or write `no`"),
    ("whoever", "name it"),
    ("anew", "again"),
    ("those who", "name them"),
    ("who asks", "a query"),
    (", for it", "because it"),
    (", for they", "because they"),
    (", for there", "because there"),
    (", for nothing", "because nothing"),
];

/// Prose of a page: paragraphs and items of lists, each with the number of its first line. Code
/// spans are one word, links are their text.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut open, mut fenced) = (Vec::<(usize, String)>::new(), false, false);
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let fence = trimmed.starts_with("```");
        fenced ^= fence;
        let code = fence || fenced || (!open && line.starts_with("    "));
        if code || trimmed.is_empty() || trimmed.starts_with(['|', '#', '<']) {
            open = false;
            continue;
        }
        let item = item_of(trimmed);
        if open && item.is_none() {
            let (_, paragraph) = found.last_mut().expect("a paragraph is open");
            *paragraph += " ";
            *paragraph += trimmed;
        } else {
            found.push((at + 1, item.unwrap_or(trimmed).to_owned()));
        }
        open = true;
    }
    found.into_iter().map(|(line, text)| (line, plain(&text))).collect()
}

/// The text of an item of a list.
fn item_of(line: &str) -> Option<&str> {
    let numbered = || {
        let (number, rest) = line.split_once(". ")?;
        number.chars().all(|c| c.is_ascii_digit()).then_some(rest)
    };
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(numbered)
}

/// Without code, which becomes a word, and without the targets of links.
fn plain(text: &str) -> String {
    let coded: Vec<&str> =
        text.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "code" }).collect();
    let coded = coded.concat();
    let mut parts = coded.split("](");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += part.split_once(')').map_or(part, |(_, rest)| rest);
    }
    out.replace(['[', ']', '*'], "")
}

/// Sentences: each ends with a full stop, a question mark or an exclamation mark before a space and
/// what begins a sentence.
fn sentences(text: &str) -> Vec<&str> {
    let (mut found, mut from) = (Vec::new(), 0);
    for (at, end) in text.match_indices(['.', '?', '!']) {
        let next = at + end.len();
        let mut rest = text[next..].chars();
        let begins = |c: char| c.is_uppercase() || c.is_ascii_digit() || "\"'(".contains(c);
        // A word of code may begin a sentence.
        let code = text[next..].starts_with(" code");
        if rest.next() == Some(' ') && (code || rest.next().is_some_and(begins)) {
            found.push(text[from..next].trim());
            from = next;
        }
    }
    found.push(text[from..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Words of a sentence. A list of at least four short items after a colon is one word: it is read
/// as a table is.
fn words(sentence: &str) -> usize {
    let count = |text: &str| text.split_whitespace().filter(|w| w.chars().any(char::is_alphanumeric)).count();
    match sentence.split_once(": ") {
        Some((before, list)) if list.split(", ").count() >= 4 && list.split(", ").all(|item| count(item) <= 4) => {
            count(before) + 1
        }
        _ => count(sentence),
    }
}

/// A turn that the text has, with what to write.
fn turn(text: &str) -> Option<(&'static str, &'static str)> {
    let low = format!(" {} ", text.to_lowercase());
    let whole = |word: &str| {
        low.match_indices(word).any(|(at, _)| {
            let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            edge(low[at + word.len()..].chars().next())
                && (!word.starts_with(char::is_alphabetic) || edge(low[..at].chars().next_back()))
        })
    };
    TURNS.iter().copied().find(|(word, _)| whole(word))
}

/// What is wrong with a text, if anything; a long sentence only where `length` is judged.
fn problems(text: &str, length: bool) -> Vec<String> {
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let count = words(sentence);
        if length && count > SENTENCE {
            found.push(format!("{count} words in `{sentence}`"));
        }
        if sentence.starts_with("Of ") {
            found.push(format!("begins with `Of`: `{sentence}`"));
        }
        if let Some((word, better)) = turn(sentence) {
            found.push(format!("`{word}` ({better}): `{sentence}`"));
        }
    }
    found
}

/// The cells of a row of a table, without what separates them.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let row = line.trim().strip_prefix('|').unwrap_or_default();
    row.split(" | ").map(|cell| cell.trim_end_matches('|').trim())
}

/// What is wrong with the rows of tables of a page.
fn table_problems(page: &str, text: &str) -> Vec<String> {
    let (mut found, mut fenced) = (Vec::new(), false);
    for (at, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced || !line.trim_start().starts_with('|') {
            continue;
        }
        for cell in cells(line) {
            let (cell, line) = (plain(cell), at + 1);
            let count = cell.split_whitespace().count();
            if count > CELL {
                let begin: Vec<&str> = cell.split_whitespace().take(8).collect();
                found.push(format!("{page}:{line}: {count} words in a cell: `{} ...`", begin.join(" ")));
            }
            found.extend(problems(&cell, false).into_iter().map(|what| format!("{page}:{line}: {what}")));
        }
    }
    found
}

/// What is wrong with a page.
fn page_problems(page: &str, text: &str) -> Vec<String> {
    let prose = paragraphs(text).into_iter().flat_map(|(line, paragraph)| {
        problems(&paragraph, true).into_iter().map(move |what| format!("{page}:{line}: {what}"))
    });
    prose.chain(table_problems(page, text)).collect()
}

#[test]
fn pages_are_written_in_plain_english() {
    let is_judged = |page: &str| PAGES.contains(&page) || page.starts_with("docs/tutorial/");
    let pages: Vec<_> = pages().into_iter().filter(|(page, _)| is_judged(page)).collect();
    for page in PAGES {
        assert!(pages.iter().any(|(name, _)| name == page), "{page} is not judged");
    }
    let wrong: Vec<String> = pages.iter().flat_map(|(page, text)| page_problems(page, text)).collect();
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every help text of a command and of those inside it, with where it is.
fn helps(command: &clap::Command, path: &str, found: &mut Vec<(String, String)>) {
    let path = format!("{path}{}", command.get_name());
    let about = command.get_about().into_iter().chain(command.get_long_about());
    found.extend(about.map(|text| (path.clone(), text.to_string())));
    for argument in command.get_arguments() {
        let name = format!("{path} {}", argument.get_id());
        let help = argument.get_help().into_iter().chain(argument.get_long_help());
        found.extend(help.map(|text| (name.clone(), text.to_string())));
        for value in argument.get_possible_values() {
            found.extend(value.get_help().map(|text| (format!("{name}={}", value.get_name()), text.to_string())));
        }
    }
    for inside in command.get_subcommands() {
        helps(inside, &format!("{path} "), found);
    }
}

/// A help without what is in brackets: values, defaults and keys.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    // `exact (on, off), link` is `exact, link`.
    out.replace(" ,", ",")
}

#[test]
fn helps_are_written_in_plain_english() {
    let mut found = Vec::new();
    helps(&quadlock::cli::command(), "", &mut found);
    assert!(found.len() > 150, "only {} texts", found.len());
    let problems_of = |(place, text): &(String, String)| {
        let text = plain(&without_brackets(text));
        problems(&text, true).into_iter().map(|what| format!("{place}: {what}")).collect::<Vec<_>>()
    };
    let wrong: Vec<String> = found.iter().flat_map(problems_of).collect();
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

/// What `quadlock faults` and `quadlock export --list` print.
#[test]
fn lists_are_written_in_plain_english() {
    let faults = quadlock::simulate::AnyFault::all()
        .into_iter()
        .map(|(_, place, name, what)| (format!("quadlock faults: {place}:{name}"), what));
    let blocks =
        quadlock_hdl::export::TOPS.iter().map(|&(name, what)| (format!("quadlock export --list: {name}"), what));
    let wrong: Vec<String> = faults
        .chain(blocks)
        .flat_map(|(place, what)| problems(what, true).into_iter().map(move |found| format!("{place}: {found}")))
        .collect();
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_turn_is_noticed_with_its_line() {
    let text = "# Of headings\n\nIt waits, for it is late. Fine.\n\n- Of three, one.\n\n```\nnobody\n```\n\n\
                | a | nobody |\n|---|---|\n\nThe word `nobody` is code.\n";
    let found = page_problems("p.md", text);
    let places: Vec<&str> = found.iter().filter_map(|what| what.split(": ").next()).collect();
    assert_eq!(places, ["p.md:3", "p.md:5", "p.md:11"], "{found:?}");
}

#[test]
fn long_sentences_and_cells_are_noticed() {
    let long = "word ".repeat(SENTENCE + 1);
    let cell = "word ".repeat(CELL + 1);
    let text = format!("First {long}. Short one.\n\n{} end.\n\n| x | {cell} |\n", "word ".repeat(SENTENCE - 1));
    let found = page_problems("p.md", &text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("p.md:1: 27 words") && found[1].starts_with("p.md:5: 41 words"), "{found:?}");
}

#[test]
fn sentences_end_where_the_next_one_begins() {
    assert_eq!(sentences("One of 2.5 mm. Two `x`? code is. three"), ["One of 2.5 mm.", "Two `x`?", "code is. three"]);
    assert_eq!(words("Change a setting: rows, cores, units, warps"), 4);
    assert_eq!(words("One thing: two, three"), 4);
    assert_eq!(without_brackets("exact (on, off), link (on) [default: 1]"), "exact, link  ");
    assert_eq!(plain("see [the `x` page](y.md#z), *now*"), "see the code page, now");
    assert_eq!(turn("a newanew word"), None);
}
