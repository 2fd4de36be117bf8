//! A pair that fails, made smaller: lines of its programs' bodies are left out as long as it still
//! fails. A line is a statement with all that is in it.
//!
//! Declarations that later lines need get a constant value instead. A text that does not compile is
//! no failure, so the line stays. Wrong would be to end with files that do not fail.

use std::path::Path;

use crate::base::error::Input;
use crate::base::files::{read, write_atomic, MOST_TEXT};

/// Runs that it may take.
const ATTEMPTS: usize = 60;

/// What can stand for a line of a body.
fn smaller(line: &str) -> Vec<String> {
    if !line.starts_with("  ") || line.trim().is_empty() {
        return vec![];
    }
    let declared = line.split_once(" = ").filter(|(name, _)| !name.contains('(') && name.contains("  "));
    let constant = declared.map(|(name, _)| format!("{name} = 0.5;")).filter(|c| c.len() < line.trim_end().len());
    [String::new()].into_iter().chain(constant).collect()
}

/// Makes the programs in these files smaller. `fails` says of what stands there now how it fails,
/// if it does. The last failure, if a line could go.
///
/// # Errors
/// A file that cannot be read or written.
pub fn shrink(folder: &Path, names: &[String], fails: &mut dyn FnMut() -> Option<String>) -> Input<Option<String>> {
    let (mut why, mut attempts) = (None, 0);
    for name in names {
        let file = folder.join(name);
        let text = String::from_utf8_lossy(&read(&file, MOST_TEXT)?).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for at in (0..lines.len()).rev() {
            for line in smaller(&lines[at]) {
                if attempts == ATTEMPTS {
                    break;
                }
                attempts += 1;
                let before = std::mem::replace(&mut lines[at], line);
                write_atomic(&file, (lines.join("\n") + "\n").as_bytes())?;
                match fails() {
                    Some(now) => {
                        why = Some(now);
                        break;
                    }
                    None => lines[at] = before,
                }
            }
        }
        lines.retain(|line| !line.is_empty());
        write_atomic(&file, (lines.join("\n") + "\n").as_bytes())?;
    }
    Ok(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever has the line that fails, alone or with a declaration, is left with these.
    #[test]
    fn what_is_not_needed_goes() {
        let dir = tempfile::tempdir().unwrap();
        let text = "fn main() {\n  var a = b * c; \n  var d = a + 1.0; \n  if (a < d) { bad; } \n  d = 2.0; \n}\n";
        let file = dir.path().join("a.wgsl");
        std::fs::write(&file, text).unwrap();
        let fails = |text: &str| text.contains("bad") && text.contains("var d");
        let mut now = || {
            let text = std::fs::read_to_string(&file).unwrap();
            fails(&text).then(|| "bad".to_owned())
        };
        assert_eq!(shrink(dir.path(), &["a.wgsl".into()], &mut now).unwrap(), Some("bad".into()));
        let left = std::fs::read_to_string(&file).unwrap();
        assert_eq!(left, "fn main() {\n  var d = 0.5;\n  if (a < d) { bad; } \n}\n");
    }
}
