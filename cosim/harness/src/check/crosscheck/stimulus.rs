//! Inputs for a block: random from a seed, or a recorded job for the whole core. Random inputs
//! change their manner every few dozen cycles, so that valid bits are rare and dense, addresses
//! collide, data is sticky, small, at the corners or anything. Inputs that would break a block's
//! contract are excluded by the one table [`RULES`]; what it excludes is not checked. The same seed
//! and block give the same inputs, whichever other blocks run beside it.

use quadlock_hdl::base::drive::Item;
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::TABLE;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::subject::Subject;
use crate::engine::record::Recording;

/// What a port may carry, or should often carry.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Only values below this one: part of the block's contract.
    Below(fn(&GpuConfig) -> u64),
    /// An instruction's low word, opcodes of the table three times out of four. No restriction.
    Instruction,
    /// Host register addresses three times out of four. No restriction.
    HostRegister,
}

/// (block, port, rule, why). Ports whose type is an enumeration carry only its states, which needs
/// no row.
pub const RULES: &[(&str, &str, Rule, &str)] = &[
    ("align_shift", "amount", Rule::Below(|_| 97), "the window is 96 bits; `float_align` asks for no more"),
    ("decoder", "lo", Rule::Instruction, "most of 2^32 words are undefined"),
    ("instruction_cache", "f_rsp_data0", Rule::Instruction, "most words are undefined"),
    ("instruction_cache", "f_rsp_data2", Rule::Instruction, "most words are undefined"),
    ("quadlock", "host_addr", Rule::HostRegister, "most addresses are nothing"),
    ("quadlock", "mem_rsp_data_0", Rule::Instruction, "fetched code must often be defined"),
    ("quadlock", "mem_rsp_data_2", Rule::Instruction, "fetched code must often be defined"),
    ("thread_dispatcher", "host_addr", Rule::HostRegister, "most addresses are nothing"),
];

/// Inputs of a block, cycle by cycle, in the order of [`Subject::inputs`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stimulus {
    pub cycles: Vec<Vec<u64>>,
}

/// Longest stretch of one manner, in cycles.
const STRETCH: u32 = 96;

/// How a port behaves for a stretch.
#[derive(Clone, Copy, Debug)]
enum Manner {
    /// Each bit set with a probability of so many 256ths.
    Density(u16),
    /// Any value.
    Any,
    /// Below 16.
    Small,
    /// Zero, one, all ones, the top bit, and interesting f32 values.
    Corner,
    /// Keeps its value seven times of eight.
    Sticky,
    /// One more than before.
    Count,
}

const CORNERS: [u64; 16] = [
    0,
    1,
    u64::MAX,
    u64::MAX - 1,
    0x8000_0000,
    0x7FFF_FFFF,
    0x3F80_0000,
    0xBF80_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0x0080_0000,
    0x007F_FFFF,
    0x4F00_0000,
    0x3400_0000,
    0x0001_0000,
];

fn manner(rng: &mut impl Rng, width: usize) -> Manner {
    if width == 1 {
        return Manner::Density([2, 24, 64, 128, 192, 232, 256][rng.random_range(0..7)]);
    }
    match rng.random_range(0..8) {
        0..=2 => Manner::Any,
        3 => Manner::Small,
        4 => Manner::Corner,
        5 => Manner::Sticky,
        6 => Manner::Count,
        _ => Manner::Density([8, 64, 192][rng.random_range(0..3)]),
    }
}

fn mask(width: usize) -> u64 {
    u64::MAX >> (64 - width)
}

fn next(rng: &mut impl Rng, manner: Manner, width: usize, before: u64) -> u64 {
    let value = match manner {
        Manner::Density(p) => (0..width).fold(0, |v, _| v << 1 | u64::from(rng.random_range(0..256) < p)),
        Manner::Any => rng.random(),
        Manner::Small => rng.random_range(0..16),
        Manner::Corner => CORNERS[rng.random_range(0..CORNERS.len())],
        Manner::Sticky if rng.random_range(0..8) > 0 => before,
        Manner::Sticky => rng.random(),
        Manner::Count => before.wrapping_add(1),
    };
    value & mask(width)
}

fn ruled(rng: &mut impl Rng, rule: Rule, config: &GpuConfig, value: u64) -> u64 {
    match rule {
        Rule::Below(limit) => value % limit(config),
        Rule::Instruction if rng.random_range(0..4) > 0 => {
            let row = &TABLE[rng.random_range(0..TABLE.len())];
            // Bit 31 is zero in every defined word, and bit 30 what the table says.
            (value & 0x3FFF_FF00) | u64::from(row.code) | u64::from(row.in_shared) << 30
        }
        Rule::HostRegister if rng.random_range(0..4) > 0 => 0x1000 + value % 0x10,
        Rule::Instruction | Rule::HostRegister => value,
    }
}

fn rule_of(block: &str, item: &Item) -> Option<Rule> {
    RULES.iter().find(|r| r.0 == block && r.1 == item.name).map(|r| r.2)
}

impl Stimulus {
    /// Random inputs.
    pub fn random(subject: &Subject, seed: u64, cycles: u64) -> Self {
        // FNV-1a of the name keeps the inputs of blocks apart.
        let hash = subject
            .name
            .bytes()
            .fold(0xCBF2_9CE4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01B3));
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ hash);
        let ports: Vec<(&Item, Option<Rule>)> = subject.inputs.iter().map(|i| (i, rule_of(&subject.name, i))).collect();
        let mut manners: Vec<(Manner, u32)> = vec![(Manner::Any, 0); ports.len()];
        let mut values = vec![0; ports.len()];
        let mut all = Vec::with_capacity(cycles as usize);
        for _ in 0..cycles {
            for ((&(item, rule), value), manner_left) in ports.iter().zip(&mut values).zip(&mut manners) {
                if manner_left.1 == 0 {
                    *manner_left = (manner(&mut rng, item.width), rng.random_range(1..=STRETCH));
                }
                manner_left.1 -= 1;
                *value = next(&mut rng, manner_left.0, item.width, *value);
                if let Some(rule) = rule {
                    *value = ruled(&mut rng, rule, &subject.config, *value);
                }
                if let Some(states) = item.states {
                    *value %= states;
                }
            }
            all.push(values.clone());
        }
        Self { cycles: all }
    }

    /// The inputs of a recorded job, at most `limit` cycles.
    ///
    /// # Errors
    /// The block has an input that a recording does not know: it is not the core.
    pub fn recorded(subject: &Subject, recording: &Recording, limit: u64) -> Result<Self, String> {
        let place = |name: &str| {
            let at = subject.inputs.iter().position(|i| i.name == name);
            at.ok_or_else(|| format!("{} has no input {name}: it is not the whole core", subject.name))
        };
        let [valid, addr, data] = [place("host_valid")?, place("host_addr")?, place("host_data")?];
        let [ready, rsp] = [place("mem_req_ready")?, place("mem_rsp_valid")?];
        let words = (0..4).map(|i| place(&format!("mem_rsp_data_{i}"))).collect::<Result<Vec<_>, _>>()?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let cycles = recording.inputs().take(limit).map(|inputs| {
            let mut row = vec![0; subject.inputs.len()];
            if let Some((a, d)) = inputs.host {
                (row[valid], row[addr], row[data]) = (1, a.into(), d.into());
            }
            row[ready] = inputs.mem_req_ready.into();
            if let Some(line) = inputs.mem_rsp {
                row[rsp] = 1;
                words.iter().zip(line).for_each(|(&w, v)| row[w] = v.into());
            }
            row
        });
        Ok(Self { cycles: cycles.collect() })
    }

    /// Number of cycles.
    pub fn len(&self) -> u64 {
        self.cycles.len() as u64
    }

    /// The first cycles.
    #[cfg(test)]
    fn first(&self, cycles: u64) -> Self {
        Self { cycles: self.cycles.iter().take(cycles as usize).cloned().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_a_prefix_of_longer_ones() {
        let subject = Subject::new("lsa", &GpuConfig::default()).unwrap();
        let long = Stimulus::random(&subject, 3, 400);
        assert_eq!(Stimulus::random(&subject, 3, 100), long.first(100));
        assert_ne!(Stimulus::random(&subject, 4, 100), long.first(100));
    }

    #[test]
    fn every_input_bit_takes_both_values_and_states_stay_legal() {
        let subject = Subject::new("integer_alu", &GpuConfig::default()).unwrap();
        let stimulus = Stimulus::random(&subject, 1, 500);
        for (i, item) in subject.inputs.iter().enumerate() {
            let (ones, zeros) = stimulus.cycles.iter().fold((0, 0), |(o, z), row| (o | row[i], z | !row[i]));
            assert_eq!((ones, zeros & mask(item.width)), (mask(item.width), mask(item.width)), "{}", item.name);
            assert!(item.states.is_none_or(|s| stimulus.cycles.iter().all(|row| row[i] < s)), "{}", item.name);
        }
    }

    #[test]
    fn every_rule_names_a_port() {
        for (block, port, _, _) in RULES {
            let subject = Subject::new(block, &GpuConfig::default()).unwrap();
            assert!(subject.inputs.iter().any(|i| i.name == *port), "{block}.{port}");
        }
    }
}
