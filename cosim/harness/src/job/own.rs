//! Semaphores that a program acquires by itself beside those of its job's graph. Both have the same
//! numbers: a thread that acquires a number of the graph stands in line behind threads that wait
//! for it, or behind itself, and waits for ever. `[graph] reserve` keeps numbers for the program;
//! the plan takes others.
//!
//! Before a run the program's instructions are looked at. A number that is an immediate or a word
//! of a uniform buffer is known: the job is refused if the graph uses it. A number in a register is
//! not known: the job is refused unless it reserves numbers, and a wrong number is then found when
//! it is acquired or released (`Launch::collides`). `dependencyDone` releases the graph's; the
//! binary says which releases these are. Of an assembly program nobody knows, so a release of a
//! computed number is not judged there. It can be wrong by a word of the constant bank that changes
//! during a run; none does.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use quadlock_isa::{decode, BMode, Op};
use serde::Deserialize;

use crate::machine::launch::Launch;

/// Numbers of semaphores in a job file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "an entry of `reserve` is a number from 0 on, 8, or a range, \"8-15\"")]
pub enum Numbers {
    One(u32),
    /// `"8-15"`: both ends belong to it.
    Range(String),
}

impl Numbers {
    /// First and last.
    fn ends(&self) -> Result<(u32, u32), String> {
        match self {
            Self::One(n) => Ok((*n, *n)),
            Self::Range(text) => text
                .split_once('-')
                .and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)))
                .filter(|(a, b): &(u32, u32)| a <= b)
                .ok_or_else(|| format!("`{text}` is no range of semaphores: write \"8-15\"")),
        }
    }
}

/// The numbers of a machine with `semaphores` of them that a graph may use: without those reserved.
///
/// # Errors
/// A reserved number that the machine does not have, or what is no range; in words.
pub fn free(reserve: &[Numbers], semaphores: usize) -> Result<Vec<u16>, String> {
    let mut reserved = BTreeSet::new();
    for numbers in reserve {
        let (first, last) = numbers.ends()?;
        if last as usize >= semaphores {
            return Err(format!("semaphore {last} is reserved; the machine has {semaphores}, numbered from 0"));
        }
        reserved.extend(first as u16..=last as u16);
    }
    Ok((0..semaphores as u16).filter(|n| !reserved.contains(n)).collect())
}

/// Ascending numbers as text: `0-3, 8`.
pub fn ranges(numbers: &[u16]) -> String {
    let mut text = String::new();
    let mut rest = numbers;
    while let Some(&first) = rest.first() {
        let length =
            rest.iter().zip(u32::from(first)..).take_while(|(n, expected)| u32::from(**n) == *expected).count().max(1);
        let comma = if text.is_empty() { "" } else { ", " };
        let _ = match length {
            1 => write!(text, "{comma}{first}"),
            _ => write!(text, "{comma}{first}-{}", rest[length - 1]),
        };
        rest = &rest[length..];
    }
    text
}

/// Why a program and its job's graph may not go together: (what, what to do).
pub fn refuse(launch: &Launch, reserves: bool) -> Result<(), (String, String)> {
    if launch.graph_semaphores.is_empty() {
        return Ok(());
    }
    let bank = launch.constant_bank();
    for (pc, &word) in launch.code.iter().enumerate() {
        let Ok(instr) = decode(word) else { continue };
        let done = |done: &Vec<u32>| done.binary_search(&(pc as u32)).is_ok();
        let judged = instr.op != Op::Rls || launch.done.as_ref().is_some_and(|d| !done(d));
        let verb = match instr.op {
            Op::Acs | Op::Asr => "acquires",
            Op::Rls => "releases",
            _ => continue,
        };
        let at = launch.position(pc as u16).map_or(format!("instruction {pc}"), str::to_owned);
        let number = match instr.b_mode {
            BMode::Imm => Some(instr.imm),
            BMode::Const => bank.get(instr.imm as usize).copied(),
            BMode::Reg => None,
        };
        match number {
            Some(n) if launch.graph_semaphores.iter().any(|&s| u32::from(s) == n) => {
                let what = format!("the program {verb} semaphore {n} at {at}, and the graph uses it");
                return Err((what, format!("add reserve = [{n}] to [graph], or use another number in the program")));
            }
            None if judged && !reserves => {
                let what = format!("the program computes the number of a semaphore at {at}; the graph may use it");
                let help = "say which numbers it computes in [graph], as in reserve = [7] or reserve = [\"48-63\"]";
                return Err((what, help.to_owned()));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_numbers_are_not_free_and_ranges_have_both_ends() {
        let range = |text: &str| Numbers::Range(text.to_owned());
        assert_eq!(free(&[Numbers::One(0), range("2-3")], 6), Ok(vec![1, 4, 5]));
        assert_eq!(free(&[], 2), Ok(vec![0, 1]));
        for (numbers, what) in [
            (Numbers::One(6), "semaphore 6 is reserved; the machine has 6"),
            (range("3-2"), "no range"),
            (range("3"), "no range"),
            (range("0-4294967295"), "semaphore 4294967295 is reserved"),
        ] {
            assert!(free(&[numbers], 6).unwrap_err().contains(what));
        }
    }

    #[test]
    fn numbers_are_shown_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 5, 8, 9]), "0-2, 5, 8-9");
        assert_eq!((ranges(&[7]), ranges(&[])), ("7".to_owned(), String::new()));
        assert_eq!(ranges(&[65534, 65535]), "65534-65535");
    }
}
