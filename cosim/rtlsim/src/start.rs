//! Values of registers and memories that the source gives no initial value. Two-state simulation
//! has no x, so that a missing reset would show as a plausible zero; instead such state starts from
//! the seed of the simulation. A value depends on the seed and on the *name* only (and on the word
//! of a memory), never on the order of arenas: the interpreter, the compiled engine and every
//! choice of passes agree. Narrowing keeps low bits: a value of fewer bits is the low part of a
//! wider one. A pass that renames state changes start values; that is how this can go wrong.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bits::{limbs_of, Bits};
use crate::graph::{Memory, Start};

/// FNV-1a over 64 bits, from a given basis: stable for ever, unlike the hashes of the standard
/// library.
fn fnv1a(basis: u64, text: &str) -> u64 {
    text.bytes().fold(basis, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn generator(name: &str, seed: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    let words = [seed, fnv1a(0xcbf2_9ce4_8422_2325, name), fnv1a(0x9e37_79b9_7f4a_7c15, name), name.len() as u64];
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

fn draw(rng: &mut ChaCha8Rng, width: u32) -> Bits {
    let limbs: Vec<u64> = (0..limbs_of(width)).map(|_| rng.next_u64()).collect();
    Bits::from_limbs(width, &limbs)
}

/// Start value of a register `name` (full hierarchical name), `width` bits wide.
///
/// ```
/// use quadlock_rtlsim::graph::Start;
/// use quadlock_rtlsim::{start::start_value, Bits};
///
/// assert_eq!(start_value(&Start::Value(Bits::new(4, 9)), 4, "top.a", 1), Bits::new(4, 9));
/// let wide = start_value(&Start::Unknown, 100, "top.a", 1);
/// assert_eq!(start_value(&Start::Unknown, 7, "top.a", 1), wide.slice(0, 7));
/// ```
pub fn start_value(start: &Start, width: u32, name: &str, seed: u64) -> Bits {
    match start {
        Start::Value(value) => value.zext(width),
        Start::Unknown => draw(&mut generator(name, seed), width),
    }
}

/// Start values of all words of a memory, from word 0: listed ones first, then as its `start` says,
/// each unknown word from its own stream.
pub fn start_memory(memory: &Memory, seed: u64) -> Vec<Bits> {
    let mut rng = generator(&memory.name, seed);
    (0..memory.depth)
        .map(|word| match (memory.init.get(word as usize).and_then(Option::as_ref), &memory.start) {
            (Some(value), _) | (None, Start::Value(value)) => value.zext(memory.width),
            (None, Start::Unknown) => {
                rng.set_stream(u64::from(word) + 1);
                rng.set_word_pos(0);
                draw(&mut rng, memory.width)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_values_are_pinned() {
        // a change of the hash or of the generator changes every run with a given seed: it must be
        // seen
        let a = start_value(&Start::Unknown, 64, "top.a", 1).to_u64();
        assert_eq!(a, start_value(&Start::Unknown, 64, "top.a", 1).to_u64());
        assert_eq!(a, 11_978_112_024_904_198_320);
        assert_ne!(a, start_value(&Start::Unknown, 64, "top.b", 1).to_u64());
        assert_ne!(a, start_value(&Start::Unknown, 64, "top.a", 2).to_u64());
    }

    #[test]
    fn memory_words_differ_and_do_not_depend_on_the_listed_ones() {
        let mut memory =
            Memory { name: "top.m".into(), width: 40, depth: 4, init: vec![], start: Start::Unknown, writes: vec![] };
        let all = start_memory(&memory, 3);
        assert_eq!(all.len(), 4);
        assert_ne!(all[0], all[1]);
        memory.init = vec![Some(Bits::new(40, 5)), None, Some(Bits::new(40, 6))];
        let some = start_memory(&memory, 3);
        assert_eq!(some[0], Bits::new(40, 5));
        assert_eq!((&some[1], &some[2], &some[3]), (&all[1], &Bits::new(40, 6), &all[3]));
        memory.start = Start::Value(Bits::zero(40));
        assert!(start_memory(&memory, 3)[3].is_zero());
    }
}
