//! Shared results (WW-34) together with the register file against a plain model: registers per
//! lane, nothing else. Random writes of lanes and of warp-wide results with every mask, random
//! reads on three ports, many of them of the register that is written in the cycle. A lane must
//! always read the value last written for it, however it is kept; and a warp-wide result must be
//! kept once wherever no lane that it is not for holds the present word.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::warp::regfile::RegisterFile;
use quadlock_hdl::warp::shared_result::SharedResult;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One write: a warp-wide result has the same value for all lanes.
#[derive(Clone, Copy, Debug)]
struct Write {
    warp: u8,
    register: u8,
    mask: u8,
    /// It is the result of a warp-wide atomic.
    wide: bool,
    value: [u32; 4],
}

/// Block and register file, wired as in the warp unit.
struct Pair {
    shared: Bench<SharedResult>,
    file: Bench<RegisterFile>,
}

impl Pair {
    fn new(config: &GpuConfig) -> Self {
        Self {
            shared: Bench::new(SharedResult::new(config), |b| &mut b.clock),
            file: Bench::new(RegisterFile::new(config), |b| &mut b.clock),
        }
    }

    /// One cycle: write, three reads. Returns the lanes whose own registers were written, and what
    /// the ports give.
    fn cycle(&mut self, write: Option<Write>, warp: u8, registers: [u8; 3]) -> (u8, [[u32; 4]; 3]) {
        let w = write.unwrap_or(Write { warp, register: 0, mask: 0, wide: false, value: [1; 4] });
        let s = &mut *self.shared;
        s.read_warp.next = u64::from(warp).into();
        s.read_a.next = u64::from(registers[0]).into();
        s.read_b.next = u64::from(registers[1]).into();
        s.read_c.next = u64::from(registers[2]).into();
        s.write_ports.write_warp.next = u64::from(w.warp).into();
        s.write_ports.write_register.next = u64::from(w.register).into();
        s.write_ports.write_mask.next = u64::from(w.mask).into();
        s.write_wide.next = w.wide;
        s.value.next = u64::from(w.value[w.mask.trailing_zeros() as usize % 4]).into();
        self.shared.settle();
        let lanes = self.shared.lanes.val().to_u8();
        let f = &mut *self.file;
        f.read_warp.next = u64::from(warp).into();
        f.read_a.next = u64::from(registers[0]).into();
        f.read_b.next = u64::from(registers[1]).into();
        f.read_c.next = u64::from(registers[2]).into();
        f.write_ports.write_warp.next = u64::from(w.warp).into();
        f.write_ports.write_register.next = u64::from(w.register).into();
        f.write_ports.write_mask.next = u64::from(lanes).into();
        for (port, value) in f.write_value.iter_mut().zip(w.value) {
            port.next = u64::from(value).into();
        }
        self.shared.cycle();
        self.file.cycle();
        let (s, f) = (&*self.shared, &*self.file);
        let ports = [(&s.shared_a, &s.word_a, &f.a), (&s.shared_b, &s.word_b, &f.b), (&s.shared_c, &s.word_c, &f.c)];
        let read = ports.map(|(flags, word, own)| {
            std::array::from_fn(|lane| match flags.val().get_bit(lane) {
                true => word.val().to_u32(),
                false => own[lane].val().to_u32(),
            })
        });
        (lanes, read)
    }
}

/// How often each case occurred.
#[derive(Debug, Default)]
struct Seen {
    shared: usize,
    kept_apart: usize,
    read_while_written: usize,
}

fn random(config: &GpuConfig, seed: u64, warps: u8, registers: u8, cycles: usize) -> Result<Seen, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(config);
    let mut model = vec![[0u32; 4]; 32 * 16];
    let mut flags = vec![0u8; 32 * 16];
    let mut seen = Seen::default();
    for cycle in 0..cycles {
        let mut value = std::array::from_fn(|_| rng.random());
        let mut write = Write {
            warp: rng.random_range(0..warps),
            register: rng.random_range(0..registers),
            mask: rng.random_range(1..16),
            wide: rng.random_bool(0.4),
            value,
        };
        if write.wide {
            value = [value[0]; 4];
            write.value = value;
        }
        let write = rng.random_bool(0.8).then_some(write);
        let near = write.filter(|_| rng.random_bool(0.5));
        let warp = near.map_or_else(|| rng.random_range(0..warps), |w| w.warp);
        let ports = std::array::from_fn(|_| match near {
            Some(w) if rng.random_bool(0.7) => w.register,
            _ => rng.random_range(0..registers),
        });
        let (lanes, read) = pair.cycle(write, warp, ports);
        if let Some(w) = write {
            let at = 32 * usize::from(w.warp) + usize::from(w.register);
            let apart = flags[at] & !w.mask != 0;
            let shared = w.wide && !apart;
            let expected = if shared { 0 } else { w.mask };
            if lanes != expected {
                return Err(format!("cycle {cycle}: {w:x?}: lanes {lanes:04b} instead of {expected:04b}"));
            }
            seen.shared += usize::from(shared);
            seen.kept_apart += usize::from(w.wide && apart);
            seen.read_while_written += usize::from(shared && warp == w.warp && ports.contains(&w.register));
            flags[at] = if shared { flags[at] | w.mask } else { flags[at] & !w.mask };
            for lane in (0..4).filter(|lane| w.mask >> lane & 1 == 1) {
                model[at][lane] = w.value[lane];
            }
        }
        let expected = ports.map(|register| model[32 * usize::from(warp) + usize::from(register)]);
        if read != expected {
            return Err(format!("cycle {cycle}: warp {warp} {ports:?}: {read:x?} instead of {expected:x?}"));
        }
    }
    Ok(seen)
}

/// WW-25, WW-34: every lane reads what was last written for it, whichever way it was written.
#[test]
fn lanes_read_what_was_written_for_them() {
    for (seed, warps, registers) in [(1, 2, 2), (2, 8, 4), (3, 16, 32), (4, 1, 1)] {
        let config = GpuConfig { warps: usize::from(warps).max(2), ..GpuConfig::default() };
        let seen = random(&config, seed, warps, registers, 20_000).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert!(seen.shared > 1000 && seen.read_while_written > 100, "seed {seed}: {seen:?}");
        assert!(seen.kept_apart > 1000 || registers == 32, "seed {seed}: {seen:?}");
    }
}

/// A result for other lanes does not take away the word of a lane that it is not for.
#[test]
fn the_word_of_an_inactive_lane_is_kept() {
    let mut pair = Pair::new(&GpuConfig::default());
    let result = |mask, value| Write { warp: 3, register: 7, mask, wide: true, value: [value; 4] };
    assert_eq!(pair.cycle(Some(result(0b0011, 10)), 3, [7; 3]), (0, [[10, 10, 0, 0]; 3]));
    assert_eq!(pair.cycle(Some(result(0b0110, 20)), 3, [7; 3]), (0b0110, [[10, 20, 20, 0]; 3]));
    // Lane 0 is the only one with the word, and is active.
    assert_eq!(pair.cycle(Some(result(0b1001, 30)), 3, [7; 3]), (0, [[30, 20, 20, 30]; 3]));
    // A lane's own write.
    let own = Write { warp: 3, register: 7, mask: 0b1000, wide: false, value: [1, 2, 3, 4] };
    assert_eq!(pair.cycle(Some(own), 3, [7; 3]), (0b1000, [[30, 20, 20, 4]; 3]));
    assert_eq!(pair.cycle(None, 3, [7, 6, 7]), (0, [[30, 20, 20, 4], [0; 4], [30, 20, 20, 4]]));
}

/// A flag that outlives its lane's own write is seen.
#[test]
fn planted_fault_is_caught() {
    let config = GpuConfig { fault: Some(Fault::SharedStale), ..GpuConfig::default() };
    let error = random(&config, 1, 2, 2, 20_000).unwrap_err();
    assert!(error.contains("instead of"), "{error}");
}
