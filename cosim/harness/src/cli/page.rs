//! The sections of docs/cli.md that are made from the command line itself: commands with their
//! arguments, and the keys of JSON lists. What a command's `--help` says is what the page says.

use clap::{Arg, Command, CommandFactory};

use super::listing::SCHEMAS;
use super::Cli;

/// Longest line of a page, in characters.
const LONGEST: usize = 100;

/// Every command, with a table of its arguments.
pub(crate) fn commands() -> String {
    let mut root = Cli::command();
    root.build();
    let mut text = String::new();
    for command in root.get_subcommands() {
        one(command, &mut text);
    }
    text
}

/// Options that every command takes.
pub(crate) fn manners() -> String {
    let root = Cli::command();
    table(root.get_arguments().filter(|a| a.is_global_set()))
}

/// The keys of lists that are printed with `--json`.
pub(crate) fn lists() -> String {
    let mut text = String::from("| command | key | meaning |\n|---|---|---|\n");
    for schema in SCHEMAS {
        for (k, (key, meaning)) in schema.keys.iter().enumerate() {
            let command = if k == 0 { format!("`{}`", schema.command) } else { String::new() };
            text += &format!("| {command} | `{key}` | {meaning} |\n");
        }
    }
    text
}

/// A command, then those inside.
fn one(command: &Command, text: &mut String) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    *text += &format!("### {name}\n\n");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    *text += &wrapped(&format!("{}.", escaped(&about)));
    text.push('\n');
    let own = || command.get_arguments().filter(|a| !a.is_global_set() && !a.is_hide_set() && a.get_id() != "help");
    if own().next().is_some() {
        *text += &table(own());
        text.push('\n');
    }
    for inside in command.get_subcommands() {
        one(inside, text);
    }
}

fn table<'a>(arguments: impl Iterator<Item = &'a Arg>) -> String {
    let mut text = String::from("| argument | meaning |\n|---|---|\n");
    for argument in arguments {
        text += &format!("| `{}` | {} |\n", syntax(argument), meaning(argument));
    }
    text
}

/// As it is written: `-o, --output FILE`.
fn syntax(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let takes = argument.get_action().takes_values() && !names.is_empty();
    let value = if takes { names.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ") } else { String::new() };
    let short = argument.get_short().map(|c| format!("-{c}"));
    let long = argument.get_long().map(|l| format!("--{l}"));
    let flags: Vec<String> = short.into_iter().chain(long).collect();
    match (flags.is_empty(), value.is_empty()) {
        (true, _) => value,
        (false, true) => flags.join(", "),
        (false, false) => format!("{} {value}", flags.join(", ")),
    }
}

/// Its help, its values and its default.
fn meaning(argument: &Arg) -> String {
    let mut parts: Vec<String> = argument.get_help().map(|h| escaped(&h.to_string())).into_iter().collect();
    if argument.get_action().takes_values() && !argument.is_hide_possible_values_set() {
        let values = argument.get_possible_values();
        let listed = values.iter().filter(|v| !v.is_hide_set()).map(|v| match v.get_help() {
            Some(help) => format!("`{}` ({})", v.get_name(), escaped(&help.to_string())),
            None => format!("`{}`", v.get_name()),
        });
        let listed: Vec<String> = listed.collect();
        if !listed.is_empty() {
            parts.push(format!("Values: {}", listed.join(", ")));
        }
    }
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|v| format!("`{}`", v.to_string_lossy())).collect();
    if argument.get_action().takes_values() && !defaults.is_empty() {
        parts.push(format!("Default: {}", defaults.join(", ")));
    }
    parts.join(". ")
}

/// Text of a help as Markdown, in one line of a table.
fn escaped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for part in line.split_inclusive(['|', '<', '*', '_']) {
        let Some(last) = part.chars().last().filter(|c| matches!(c, '|' | '<' | '*' | '_')) else {
            out += part;
            continue;
        };
        out += &part[..part.len() - 1];
        out.push('\\');
        out.push(last);
    }
    out
}

/// Lines of a page.
fn wrapped(text: &str) -> String {
    let (mut out, mut length) = (String::new(), 0);
    for word in text.split_whitespace() {
        let long = word.chars().count();
        if length > 0 && length + 1 + long > LONGEST {
            out.push('\n');
            length = 0;
        } else if length > 0 {
            out.push(' ');
            length += 1;
        }
        out += word;
        length += long;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_its_arguments_with_values_and_defaults() {
        let text = commands();
        for part in [
            "### quadlock run\n",
            "| `--seed SEED` |",
            "| `-o, --output FILE` |",
            "### quadlock bench sim\n",
            "Values: `lockstep`",
            "Default: `3`",
        ] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
        assert!(!text.contains("shader-check-worker") && !text.contains("--planted"), "what is hidden is shown");
        assert!(!text.contains("--quiet") && manners().contains("| `-q, --quiet` |"));
    }

    #[test]
    fn signs_of_markdown_are_text() {
        assert_eq!(escaped("a|b  <c>\n* d_e"), "a\\|b \\<c> \\* d\\_e");
        let lines = wrapped(&"word ".repeat(40));
        assert!(lines.lines().count() == 2 && lines.lines().all(|l| l.len() <= LONGEST));
    }
}
