//! Commands as a shell reads them: what is printed for a user to run again.
//!
//! Quoting is POSIX's, which sh, bash and zsh share. Words that need no quotes get none, so that a
//! usual command reads as it is typed. Failure mode: a character taken for plain that a shell
//! expands; the plain ones are therefore listed, and everything else is quoted.

use std::borrow::Cow;
use std::path::Path;

/// Characters, beside letters and digits, that no shell treats in a special way within a word.
const PLAIN: &str = "_@%+=:,./-";

/// The word, in quotes if a shell would take it apart or change it.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || PLAIN.contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

/// A path as a word of a command.
pub fn quoted_path(path: &Path) -> String {
    quoted(&path.display().to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay_as_they_are() {
        for word in ["out/fuzz/scene-17/scene.toml", "--set", "machine.fault=result-mask", "fault=rtl:add-carry"] {
            assert_eq!(quoted(word), word);
        }
    }

    /// A shell gives back what was quoted.
    #[cfg(unix)]
    #[test]
    fn a_shell_reads_each_word_as_it_was() {
        let words = ["a b/scene.toml", "it's", "$HOME", "*", "x;y", "[0, 1]", "", "a\\b", "\"q\"", "~", "#n", "ä"];
        let command: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        let script = format!("printf '%s\\n' {}", command.join(" "));
        let out = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let read = String::from_utf8(out.stdout).unwrap();
        assert_eq!(read.lines().collect::<Vec<_>>(), words);
    }
}
