//! Parallel copies put in sequence.
//!
//! All sources are read before any destination is written, so a copy may run only when nobody else
//! still wants its destination's old value. What is left when no copy can run are cycles; one is
//! broken with a temporary if there is one, else by exchanging two registers. Wrong if an old value
//! is lost: the test runs random sets of copies on plain arrays.

/// One step of the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<R, S> {
    /// destination = source
    Copy(R, S),
    /// Exchange two registers.
    Swap(R, R),
}

/// Puts `copies` in sequence. `reg` names the register a source reads, `source` makes a source of a
/// register.
pub fn sequence<R: Copy + PartialEq, S: Copy>(
    copies: &[(R, S)],
    reg: impl Fn(S) -> Option<R>,
    source: impl Fn(R) -> S,
    mut temporary: impl FnMut() -> Option<R>,
) -> Vec<Step<R, S>> {
    let mut left: Vec<(R, S)> = copies.iter().copied().filter(|&(d, s)| reg(s) != Some(d)).collect();
    let mut out = Vec::new();
    while !left.is_empty() {
        let free =
            (0..left.len()).find(|&i| left.iter().enumerate().all(|(j, &(_, s))| i == j || reg(s) != Some(left[i].0)));
        if let Some(i) = free {
            let (d, s) = left.remove(i);
            out.push(Step::Copy(d, s));
            continue;
        }
        // Every destination is a source: a permutation of registers.
        let (d, s) = left[0];
        if let Some(t) = temporary() {
            out.push(Step::Copy(t, source(d)));
            left.iter_mut().filter(|c| reg(c.1) == Some(d)).for_each(|c| c.1 = source(t));
        } else if let Some(from) = reg(s) {
            out.push(Step::Swap(d, from));
            left.remove(0);
            left.iter_mut().filter(|c| reg(c.1) == Some(d)).for_each(|c| c.1 = source(from));
            left.retain(|&(d, s)| reg(s) != Some(d));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{seq::SliceRandom, Rng, SeedableRng};

    #[test]
    fn sequences_do_what_parallel_copies_say() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
        for round in 0..3000 {
            let mut targets: Vec<usize> = (0..7).collect();
            targets.shuffle(&mut rng);
            let copies: Vec<(usize, i32)> =
                targets[..rng.random_range(0..7)].iter().map(|&d| (d, rng.random_range(-2..7))).collect();
            // Sources below zero are constants.
            let mut regs: Vec<i32> = (100..108).collect();
            let read = |regs: &[i32], s: i32| if s < 0 { s } else { regs[s as usize] };
            let mut expected = regs.clone();
            for &(d, s) in &copies {
                expected[d] = read(&regs, s);
            }
            let spare = (round % 2 == 0).then_some(7);
            for step in sequence(&copies, |s| usize::try_from(s).ok(), |r| r as i32, || spare) {
                match step {
                    Step::Copy(d, s) => regs[d] = read(&regs, s),
                    Step::Swap(a, b) => regs.swap(a, b),
                }
            }
            assert_eq!(regs[..7], expected[..7], "{copies:?}");
        }
    }
}
