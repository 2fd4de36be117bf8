//! Machines that many random programs share, for `quadlock fuzz --machines N`: compiling a design
//! takes far longer than running one program, so a short campaign draws few machines.
//!
//! The few are chosen from many that a seed draws, such that they have every value of every
//! parameter, and then as many pairs of values as so few can: two cores, and not one core twelve
//! times. Seed and number decide them, and the seed of a program decides which of them it takes
//! ([`one_of`]), so a failure is repeated alone. It can be wrong by missing what only a machine
//! outside the choice shows: campaigns of the night draw a machine for each program.

use std::collections::{BTreeMap, BTreeSet};

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::parameters::PARAMETERS;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Machines that are drawn for each one that is chosen.
const DRAWN: usize = 16;

/// A parameter and its value.
pub(crate) type Value = (String, String);

/// What sets a configuration apart from others.
pub(crate) fn values(config: &GpuConfig) -> Vec<Value> {
    PARAMETERS.iter().map(|p| (p.key.to_owned(), p.text(config))).collect()
}

/// Seeds from which to draw machines so that `count` can be chosen.
pub(crate) fn seeds(seed: u64, count: usize) -> impl Iterator<Item = u64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x3AC4_17E5);
    (0..DRAWN * count).map(move |_| rng.random())
}

/// The machine of a program's seed.
pub(crate) fn one_of<M>(all: &[M], seed: u64) -> Option<&M> {
    let count = u64::try_from(all.len()).ok().filter(|&count| count > 0)?;
    all.get(usize::try_from(seed % count).ok()?)
}

/// At most `count` different ones of the machines drawn. Each adds the most values that those
/// before it do not have, then the most pairs of values; of several, the one drawn first.
pub(crate) fn spread<M>(drawn: impl IntoIterator<Item = M>, values: fn(&M) -> Vec<Value>, count: usize) -> Vec<M> {
    let mut seen = BTreeSet::new();
    let with_values = |machine| {
        let own = values(&machine);
        (machine, own)
    };
    let mut left: Vec<(M, Vec<Value>)> = drawn.into_iter().map(with_values).collect();
    left.retain(|(_, values)| seen.insert(values.clone()));
    let numbers = varying(&left);
    let mut left: Vec<(M, Vec<usize>)> = left.into_iter().map(|l| l.0).zip(numbers).collect();
    let (mut chosen, mut covered) = (Vec::new(), Covered::default());
    while chosen.len() < count && !left.is_empty() {
        let best = (0..left.len()).rev().max_by_key(|&k| covered.fresh(&left[k].1)).unwrap_or(0);
        let (machine, own) = left.remove(best);
        covered.add(&own);
        chosen.push(machine);
    }
    chosen
}

/// What the chosen machines have.
#[derive(Default)]
struct Covered {
    values: BTreeSet<usize>,
    pairs: BTreeSet<(usize, usize)>,
}

impl Covered {
    /// Values, and pairs of them, that are new.
    fn fresh(&self, own: &[usize]) -> (usize, usize) {
        let values = own.iter().filter(|value| !self.values.contains(value)).count();
        (values, pairs(own).filter(|pair| !self.pairs.contains(pair)).count())
    }

    fn add(&mut self, own: &[usize]) {
        self.values.extend(own);
        self.pairs.extend(pairs(own));
    }
}

/// The values of each machine as numbers, without those that all machines have.
fn varying<M>(machines: &[(M, Vec<Value>)]) -> Vec<Vec<usize>> {
    let mut numbers: BTreeMap<&Value, usize> = BTreeMap::new();
    let mut uses: Vec<usize> = Vec::new();
    let mut all = Vec::new();
    for (_, values) in machines {
        let mut own = Vec::new();
        for value in values {
            let next = numbers.len();
            let number = *numbers.entry(value).or_insert(next);
            uses.resize(uses.len().max(number + 1), 0);
            uses[number] += 1;
            own.push(number);
        }
        all.push(own);
    }
    for own in &mut all {
        own.retain(|&number| uses[number] < machines.len());
    }
    all
}

/// All pairs of these.
fn pairs(own: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    own.iter().enumerate().flat_map(|(k, &a)| own[k + 1..].iter().map(move |&b| (a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(machine: &[u32; 3]) -> Vec<Value> {
        machine.iter().enumerate().map(|(k, v)| (format!("p{k}"), v.to_string())).collect()
    }

    /// Two machines have each value of three switches, and six have every pair.
    #[test]
    fn few_machines_have_every_value_then_every_pair() {
        let all: Vec<[u32; 3]> = (0..8).map(|n| [n & 1, n >> 1 & 1, n >> 2]).collect();
        assert_eq!(spread(all.clone(), of, 2), [[0, 0, 0], [1, 1, 1]]);
        let chosen = spread(all.clone(), of, 6);
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let have: BTreeSet<_> = chosen.iter().map(|m| (m[p], m[q])).collect();
            assert_eq!(have.len(), 4, "{chosen:?}");
        }
        // Equal ones count once, and there are no more than were drawn.
        assert_eq!(spread(all.iter().chain(&all).copied(), of, 100).len(), 8);
    }

    #[test]
    fn a_seed_takes_one_machine_and_neighbours_take_others() {
        assert_eq!((0..5).map(|seed| one_of(&['a', 'b', 'c'], seed).unwrap()).collect::<String>(), "abcab");
        assert_eq!(one_of::<char>(&[], 7), None);
        assert_ne!(seeds(1, 1).collect::<Vec<_>>(), seeds(2, 1).collect::<Vec<_>>());
    }
}
