//! How this process talks: how much (`-q`, `-v`) and whether in colour (`--color`, `NO_COLOR`,
//! `CLICOLOR_FORCE`). Decided once, before the command begins, and the same for all threads. The
//! library alone, as tests use it, says the usual amount without colours. Wrong would be an escape
//! sequence in a file or a pipe that nobody asked for.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// How much is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Failures and errors only.
    Quiet,
    /// Results and warnings.
    #[default]
    Usual,
    /// Also the phases of the work and their times.
    Verbose,
}

/// When colours are used, as `--color` has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    /// On a terminal, and elsewhere if CLICOLOR_FORCE is set; never if NO_COLOR is set
    #[default]
    Auto,
    /// Everywhere, also in files and pipes
    Always,
    /// Nowhere
    Never,
}

/// A stream of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Out,
    Error,
}

#[derive(Clone, Copy, Debug)]
struct Manners {
    verbosity: Verbosity,
    colour: When,
}

static MANNERS: OnceLock<Manners> = OnceLock::new();

/// Decides for the whole process; a second decision is without effect.
pub fn decide(verbosity: Verbosity, colour: When) {
    let colour = settled(colour, &|name| std::env::var_os(name));
    // A second call would come from a second command in one process: there is none.
    let _ = MANNERS.set(Manners { verbosity, colour });
}

/// How much is said.
pub fn verbosity() -> Verbosity {
    MANNERS.get().map_or(Verbosity::default(), |m| m.verbosity)
}

/// Whether output to a stream is in colour.
pub fn is_coloured(stream: Stream) -> bool {
    match MANNERS.get().map_or(When::Never, |m| m.colour) {
        When::Always => true,
        When::Never => false,
        When::Auto => match stream {
            Stream::Out => std::io::stdout().is_terminal(),
            Stream::Error => std::io::stderr().is_terminal(),
        },
    }
}

/// What the option and the environment say together: the option wins, then `NO_COLOR`, then
/// `CLICOLOR_FORCE`. [`When::Auto`] is left where only the terminal decides.
fn settled(option: When, environment: &dyn Fn(&str) -> Option<OsString>) -> When {
    let set = |name: &str| environment(name).is_some_and(|value| !value.is_empty());
    let zero = |name: &str| environment(name).is_some_and(|value| value == "0");
    if option != When::Auto {
        return option;
    }
    if set("NO_COLOR") {
        return When::Never;
    }
    if set("CLICOLOR_FORCE") && !zero("CLICOLOR_FORCE") {
        return When::Always;
    }
    let dumb = environment("TERM").is_some_and(|value| value == "dumb");
    if zero("CLICOLOR") || dumb {
        return When::Never;
    }
    When::Auto
}

/// A word that says that all is well, or that it is not: green or red, and bold.
pub fn judged(word: &str, well: bool, coloured: bool) -> String {
    match (coloured, well) {
        (false, _) => word.to_owned(),
        (true, true) => format!("\x1b[1;32m{word}\x1b[0m"),
        (true, false) => format!("\x1b[1;31m{word}\x1b[0m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(option: When, variables: &[(&str, &str)]) -> When {
        settled(option, &|name| variables.iter().find(|v| v.0 == name).map(|v| v.1.into()))
    }

    #[test]
    fn the_option_wins_then_no_color_then_force() {
        assert_eq!(of(When::Auto, &[]), When::Auto);
        assert_eq!(of(When::Auto, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]), When::Never);
        assert_eq!(of(When::Auto, &[("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")]), When::Always);
        assert_eq!(of(When::Auto, &[("CLICOLOR_FORCE", "0")]), When::Auto);
        assert_eq!(of(When::Auto, &[("CLICOLOR", "0")]), When::Never);
        assert_eq!(of(When::Auto, &[("TERM", "dumb")]), When::Never);
        assert_eq!(of(When::Auto, &[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")]), When::Always);
        assert_eq!(of(When::Always, &[("NO_COLOR", "1")]), When::Always);
        assert_eq!(of(When::Never, &[("CLICOLOR_FORCE", "1")]), When::Never);
    }

    #[test]
    fn a_library_is_plain() {
        assert_eq!((verbosity(), is_coloured(Stream::Out)), (Verbosity::Usual, false));
        assert_eq!(judged("PASS", true, false), "PASS");
        assert_eq!(judged("HANG", false, true), "\x1b[1;31mHANG\x1b[0m");
    }
}
