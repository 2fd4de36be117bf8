//! Two banks of registers: the register file beside a plain array, with writes to both banks in one
//! cycle, and the write port beside its rule. A completion is taken exactly if it
//! comes first of those whose bank the lanes leave free, and every result that is taken is written
//! once. The planted fault is found.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, RegisterBanks};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::warp::regfile::RegisterFile;
use quadlock_hdl::warp::write_port::WritePort;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};

const WARPS: usize = 4;

fn config(fault: Option<Fault>) -> GpuConfig {
    GpuConfig { warps: WARPS, register_banks: RegisterBanks::Two, fault, ..GpuConfig::default() }
}

/// Ports of the even bank and of the odd one.
const BANKS: [[&str; 4]; 2] = [
    ["write_warp", "write_register", "write_mask", "write_value"],
    ["odd_warp_0", "odd_register_0", "odd_mask_0", "odd_value"],
];

#[test]
fn both_banks_are_written_in_a_cycle_and_read_through_any_port() {
    for (on, cycles) in [(On::Verilog, 20_000), (On::RustHdl, 300)] {
        let config = config(None);
        let mut m =
            Machine::new(on, &config, "register_file", Bench::new(RegisterFile::new(&config), |b| &mut b.clock));
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut model = [[None::<u32>; 4]; 32 * WARPS];
        let mut reads: Option<[usize; 3]> = None;
        for cycle in 0..cycles {
            m.settle();
            for (port, at) in ["a", "b", "c"].iter().zip(reads.into_iter().flatten()) {
                for (lane, wanted) in model[at].iter().enumerate() {
                    let got = m.get(&format!("{port}_{lane}")) as u32;
                    assert!(wanted.is_none_or(|w| w == got), "{on:?}, cycle {cycle}, {port}, word {at}, lane {lane}");
                }
            }
            let warp = rng.random_range(0..WARPS);
            // Few registers, so that reads meet writes.
            let registers: [usize; 3] = std::array::from_fn(|_| rng.random_range(0..6));
            m.set("read_warp", warp as u64);
            for (port, register) in ["read_a", "read_b", "read_c"].iter().zip(registers) {
                m.set(port, register as u64);
            }
            reads = Some(registers.map(|r| 32 * warp + r));
            for (bank, [slot, register, mask, value]) in BANKS.iter().enumerate() {
                let (w, r) = (rng.random_range(0..WARPS), 2 * rng.random_range(0..3) + bank);
                let lanes = rng.random_range(0..16) * rng.random_range(0..2);
                m.set(slot, w as u64);
                m.set(register, r as u64);
                m.set(mask, lanes);
                for (lane, place) in model[32 * w + r].iter_mut().enumerate() {
                    let word: u32 = rng.random();
                    m.set(&format!("{value}_{lane}"), u64::from(word));
                    if lanes >> lane & 1 == 1 {
                        *place = Some(word);
                    }
                }
            }
            m.settle();
            m.cycle();
        }
    }
}

/// What is written: warp, register, lanes, values.
type Write = (u64, u64, u64, [u64; 4]);

/// A completion that is offered, and whether it writes.
#[derive(Clone, Copy)]
struct Offer {
    write: Write,
    writes: bool,
}

fn write(rng: &mut ChaCha8Rng) -> Write {
    let value = std::array::from_fn(|_| u64::from(rng.random::<u32>()));
    (rng.random_range(0..WARPS as u64), rng.random_range(0..32), rng.random_range(1..16), value)
}

fn drive(m: &mut Machine, source: &str, register: &str, (warp, number, mask, value): Write) {
    m.set(&format!("{source}_warp"), warp);
    m.set(&format!("{source}_{register}"), number);
    m.set(&format!("{source}_mask"), mask);
    // Ports of a bundle have no underscore before the lane.
    let between = if source == "lane" { "_" } else { "" };
    for (lane, word) in value.iter().enumerate() {
        m.set(&format!("{source}_value{between}{lane}"), *word);
    }
}

/// Random results of the lanes and of three sources; how many cycles had two writes.
fn port(on: On, fault: Option<Fault>, cycles: u64) -> Result<u64, String> {
    let config = config(fault);
    let mut m = Machine::new(on, &config, "write_port", Bench::new(WritePort::new(&config), |b| &mut b.clock));
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let sources = ["global", "shared", "function"];
    let mut offers: [Option<Offer>; 3] = [None; 3];
    let (mut waited, mut twice) = (0, 0);
    for cycle in 0..cycles {
        let lane = rng.random_bool(0.8).then(|| write(&mut rng));
        m.set("lane_write", u64::from(lane.is_some()));
        drive(&mut m, "lane", "register", lane.unwrap_or_default());
        for (k, source) in sources.iter().enumerate() {
            if offers[k].is_none() && rng.random_bool(0.3) {
                offers[k] = Some(Offer { write: write(&mut rng), writes: k == 2 || rng.random_bool(0.8) });
            }
            m.set(&format!("{source}_valid"), u64::from(offers[k].is_some()));
            drive(&mut m, source, "dst", offers[k].map_or((0, 0, 0, [0; 4]), |o| o.write));
            if k < 2 {
                m.set(&format!("{source}_wen"), u64::from(offers[k].is_some_and(|o| o.writes)));
                m.set(&format!("{source}_last"), rng.random_range(0..2));
            }
        }
        m.settle();
        let hold = u64::from(waited == 4);
        if m.get("hold") != hold {
            return Err(format!("cycle {cycle}: hold is not {hold}"));
        }
        // The rule: the first source whose bank is free; shared storage only if global memory
        // offers nothing.
        let free = |o: &Offer| !o.writes || lane.is_none_or(|l| l.1 % 2 != o.write.1 % 2);
        let goes = (0..3).find(|&k| offers[k].as_ref().is_some_and(free) && (k != 1 || offers[0].is_none()));
        let first = (0..3).find(|&k| offers[k].is_some());
        waited = if first.is_some_and(|k| !free(offers[k].as_ref().unwrap())) { (waited + 1) % 16 } else { 0 };
        for (k, source) in sources.iter().enumerate() {
            let taken = offers[k].is_some() && m.get(&format!("{source}_ready")) == 1;
            if taken != (goes == Some(k)) {
                return Err(format!("cycle {cycle}: {source} taken is {taken}"));
            }
        }
        let beat = goes.and_then(|k| offers[k].take()).filter(|o| o.writes).map(|o| o.write);
        for (bank, [slot, register, mask, value]) in BANKS.iter().enumerate() {
            let wanted: Vec<Write> = lane.into_iter().chain(beat).filter(|w| w.1 % 2 == bank as u64).collect();
            let values = std::array::from_fn(|i| m.get(&format!("{value}_{i}")));
            let got = (m.get(slot), m.get(register), m.get(mask), values);
            let right = if got.2 == 0 { wanted.is_empty() } else { wanted == [got] };
            if !right {
                return Err(format!("cycle {cycle}: bank {bank} gets {got:?}, not {wanted:?}"));
            }
        }
        twice += u64::from(lane.is_some() && beat.is_some());
        m.cycle();
    }
    Ok(twice)
}

#[test]
fn a_completion_goes_beside_a_lane_result_of_the_other_bank() {
    for (on, cycles) in [(On::Verilog, 20_000), (On::RustHdl, 300)] {
        let twice = port(on, None, cycles).unwrap_or_else(|e| panic!("{on:?}: {e}"));
        assert!(twice > cycles / 5, "{on:?}: two writes in {twice} of {cycles} cycles");
    }
}

#[test]
fn a_lost_completion_is_caught() {
    let problem = port(On::Verilog, Some(Fault::BankClash), 1000).expect_err("not caught");
    assert!(problem.contains("taken is true"), "{problem}");
}
