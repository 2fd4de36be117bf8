//! Recordings of a job at the core's ports: the inputs of every cycle, and a running checksum over
//! all output ports, in memory and as a compact file. A recording makes any simulator of the same
//! core repeat the job without memory model or host, which is what a comparison of speeds needs:
//! both sides do the same work and the checksum proves it. It can be wrong only together with the
//! engine that recorded it, or by a checksum that forgives differences: every port of every cycle
//! enters it, also the data of a port whose `valid` is low.
//!
//! The file, all numbers little endian: `QLREC2` and two zero bytes; eleven u64: rows, cores,
//! units, warps, icache_lines, shared_words, semaphores, pool, flags (1 double links, 2 tail
//! pointers, 4 any may release, 8 shared bus, 16 and 32 execution option of warp-wide atomics: its
//! number exclusive or 2, 64 shared result, 128 settings of cores that differ stand behind the
//! stream, 256 late lanes get a kept result, 512 graphics), cycles, length of the stream in bytes;
//! the checksums, one u64 after each [`CHECK_EVERY`] cycles and one after the last cycle; the
//! stream. In the stream, each cycle is one byte of flags (bit 0 host_valid, bit 1 mem_req_ready,
//! bit 2 mem_rsp_valid), then, if bit 0, host_addr (u16) and host_data (u32), then, if bit 2, the
//! response line (4 x u32). Ports whose valid is low are zero.

use quadlock_hdl::base::drive::Drive;
use quadlock_hdl::config::BusKind;
use quadlock_hdl::config::{GpuConfig, RegisterBanks, SetupRate, WarpWide, WideLate, WideResult};

use super::rusthdl::RustHdl;
use super::{Engine, EngineError};
use crate::machine::ports::{Inputs, Outputs};
use crate::machine::signals::SignalTree;

/// Cycles between two checksums that a recording keeps.
pub const CHECK_EVERY: u64 = 1000;

const MAGIC: &[u8; 8] = b"QLREC2\0\0";
/// Numbers in front of the checksums.
const HEADER: usize = 11;
const HOST: u8 = 1;
const REQ_READY: u8 = 2;
const RSP: u8 = 4;

/// An engine whose output ports can be read as they are.
pub trait RawOutputs {
    /// Appends the value of every output port of the core, in the order of the exported module's
    /// port list.
    fn raw_outputs(&mut self, values: &mut Vec<u64>);
}

/// A running checksum over cycles of port values: each port is multiplied by an odd constant of its
/// own, the sum is mixed into the state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    state: u64,
    keys: Vec<u64>,
}

/// Multiplier of the state, 2^64 / golden ratio.
pub const CHECK_MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// The constant of port `i`: splitmix64 of `i`, made odd.
pub fn check_key(i: usize) -> u64 {
    let mut z = (i as u64 + 1).wrapping_mul(CHECK_MIX);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ z >> 31) | 1
}

impl Checksum {
    /// Enters one cycle.
    pub fn fold(&mut self, values: &[u64]) {
        while self.keys.len() < values.len() {
            self.keys.push(check_key(self.keys.len()));
        }
        let sum = values.iter().zip(&self.keys).fold(0u64, |s, (v, k)| s.wrapping_add(v.wrapping_mul(*k)));
        self.fold_sum(sum);
    }

    /// Enters one cycle whose sum of value times [`check_key`] the caller has made.
    pub fn fold_sum(&mut self, sum: u64) {
        self.state = (self.state.rotate_left(5) ^ sum).wrapping_mul(CHECK_MIX);
    }

    /// The checksum so far.
    pub fn value(&self) -> u64 {
        self.state
    }
}

/// A recorded job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The machine that it was recorded on, with its event ports.
    pub config: GpuConfig,
    /// Cycles in all.
    pub cycles: u64,
    /// After each [`CHECK_EVERY`] cycles and after the last.
    checks: Vec<u64>,
    stream: Vec<u8>,
}

impl Recording {
    /// Nothing yet, on that machine.
    pub fn new(config: &GpuConfig) -> Self {
        Self { config: config.clone(), cycles: 0, checks: Vec::new(), stream: Vec::new() }
    }

    /// The checksum after `cycles` cycles, if it was kept: after a multiple of [`CHECK_EVERY`], or
    /// all of them.
    pub fn checksum(&self, cycles: u64) -> Option<u64> {
        if cycles == self.cycles {
            return self.checks.last().copied();
        }
        let kept = cycles > 0 && cycles < self.cycles && cycles.is_multiple_of(CHECK_EVERY);
        kept.then(|| self.checks[(cycles / CHECK_EVERY) as usize - 1])
    }

    /// The recorded inputs, cycle by cycle.
    pub fn inputs(&self) -> InputStream<'_> {
        InputStream { stream: &self.stream }
    }

    /// Adds a cycle: its inputs, and the checksum after it.
    fn push(&mut self, inputs: &Inputs, checksum: u64) {
        let flag = |on: bool, bit: u8| if on { bit } else { 0 };
        let (host, rsp) = (inputs.host, inputs.mem_rsp);
        self.stream.push(flag(host.is_some(), HOST) | flag(inputs.mem_req_ready, REQ_READY) | flag(rsp.is_some(), RSP));
        if let Some((addr, data)) = host {
            self.stream.extend(addr.to_le_bytes());
            self.stream.extend(data.to_le_bytes());
        }
        self.stream.extend(rsp.iter().flatten().flat_map(|w| w.to_le_bytes()));
        // The last entry is always that of the last cycle; those of full intervals stay.
        if !self.cycles.is_multiple_of(CHECK_EVERY) {
            self.checks.pop();
        }
        self.checks.push(checksum);
        self.cycles += 1;
    }

    /// The recording as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let c = &self.config;
        let e = &c.semaphores;
        let sizes = [c.rows, c.cores, c.units, c.warps, c.icache_lines, c.shared_words, e.semaphores, e.pool];
        let flags = [e.double_links, e.tail_pointers, e.any_may_release, c.bus == BusKind::Shared];
        let flags = flags.iter().enumerate().fold(0, |word, (bit, &on)| word | u64::from(on) << bit);
        // Written so that the default is 0: older recordings have none.
        let wide = c.warp_wide as u64 ^ WarpWide::default() as u64;
        let cores = cores_text(c);
        let flags = flags | wide << 4 | (c.warp_wide_result as u64) << 6 | u64::from(!cores.is_empty()) << 7;
        let flags = flags | (c.warp_wide_late as u64) << 8 | u64::from(c.graphics) << 9;
        let flags = flags | (c.register_banks as u64) << 10 | u64::from(c.contexts > 8) << 12;
        let flags = flags | (c.setup_rate as u64) << 13 | u64::from(c.blend_lanes == 1) << 15;
        let head = sizes.map(|n| n as u64).into_iter().chain([flags, self.cycles, self.stream.len() as u64]);
        let words = head.chain(self.checks.iter().copied()).flat_map(u64::to_le_bytes);
        MAGIC.iter().copied().chain(words).chain(self.stream.iter().copied()).chain(cores.into_bytes()).collect()
    }

    /// Reads what [`Recording::to_bytes`] wrote.
    ///
    /// # Errors
    /// The bytes are no complete recording, in words.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("not a recording: it does not begin with QLREC2")?;
        let mut words = rest.chunks_exact(8).map(|w| u64::from_le_bytes(std::array::from_fn(|i| w[i])));
        let mut next = || words.next().ok_or_else(|| "the recording is cut short".to_owned());
        let mut config = GpuConfig::default();
        let GpuConfig { rows, cores, units, warps, icache_lines, shared_words, semaphores: entity, .. } = &mut config;
        let (semaphores, pool) = (&mut entity.semaphores, &mut entity.pool);
        for field in [rows, cores, units, warps, icache_lines, shared_words, semaphores, pool] {
            // Far above every range and far from overflow in what is made of it.
            *field = usize::try_from(next()?).unwrap_or(usize::MAX).min(1 << 16);
        }
        let flags = next()?;
        entity.double_links = flags & 1 != 0;
        entity.tail_pointers = flags & 2 != 0;
        entity.any_may_release = flags & 4 != 0;
        config.bus = if flags & 8 != 0 { BusKind::Shared } else { BusKind::Crossbar };
        config.warp_wide = WarpWide::ALL[((flags >> 4 & 3) ^ WarpWide::default() as u64) as usize].0;
        config.warp_wide_result = WideResult::ALL[(flags >> 6 & 1) as usize].0;
        config.warp_wide_late = WideLate::ALL[(flags >> 8 & 1) as usize].0;
        config.graphics = flags & 512 != 0;
        let option = |at: u32, of: usize| (flags >> at & 3) as usize % of;
        config.register_banks = RegisterBanks::ALL[option(10, 3)].0;
        config.contexts = if flags >> 12 & 1 != 0 { 16 } else { 8 };
        config.setup_rate = SetupRate::ALL[option(13, 3)].0;
        config.blend_lanes = if flags >> 15 & 1 != 0 { 1 } else { 4 };
        let (cycles, length) = (next()?, next()?);
        let available = rest.len() as u64 / 8;
        let count = cycles.div_ceil(CHECK_EVERY);
        if count > available {
            return Err("the recording is cut short".to_owned());
        }
        let checks = (0..count).map(|_| next()).collect::<Result<Vec<u64>, String>>()?;
        let mut stream = rest.get(8 * (HEADER + count as usize)..).unwrap_or_default().to_vec();
        if flags & 128 != 0 {
            let cores = stream.split_off(stream.len().min(usize::try_from(length).unwrap_or(usize::MAX)));
            set_cores(&mut config, &cores)?;
        }
        config.check()?;
        let recording = Self { config, cycles, checks, stream };
        if recording.stream.len() as u64 != length || recording.inputs().count() as u64 != cycles {
            return Err(format!("the recording's stream is not one of {cycles} cycles in {length} bytes"));
        }
        Ok(recording)
    }
}

/// What makes cores differ, or lack a function unit, as settings; empty for a machine of equal
/// cores.
fn cores_text(config: &GpuConfig) -> String {
    let functions = if config.function_unit { "" } else { "function_unit=off " };
    format!("{functions}{}", config.differing_text()).trim_end().to_owned()
}

/// Reads what [`cores_text`] wrote.
fn set_cores(config: &mut GpuConfig, text: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(text).map_err(|_| "the recording's cores are damaged".to_owned())?;
    for setting in text.split_whitespace() {
        let (key, value) = setting.split_once('=').ok_or("the recording's cores are damaged")?;
        config.set(key, value)?;
    }
    Ok(())
}

/// Decodes the inputs of a recording.
#[derive(Clone, Debug)]
pub struct InputStream<'a> {
    stream: &'a [u8],
}

impl InputStream<'_> {
    fn u32(&mut self) -> Option<u32> {
        let (bytes, rest) = self.stream.split_first_chunk::<4>()?;
        self.stream = rest;
        Some(u32::from_le_bytes(*bytes))
    }
}

impl Iterator for InputStream<'_> {
    type Item = Inputs;

    fn next(&mut self) -> Option<Inputs> {
        let (&flags, rest) = self.stream.split_first()?;
        self.stream = rest;
        let mut inputs = Inputs { mem_req_ready: flags & REQ_READY != 0, ..Inputs::default() };
        if flags & HOST != 0 {
            let (bytes, rest) = self.stream.split_first_chunk::<2>()?;
            self.stream = rest;
            inputs.host = Some((u16::from_le_bytes(*bytes), self.u32()?));
        }
        if flags & RSP != 0 {
            inputs.mem_rsp = Some([self.u32()?, self.u32()?, self.u32()?, self.u32()?]);
        }
        Some(inputs)
    }
}

/// An engine that records what goes in and out of another one.
pub struct Recorder<E> {
    engine: E,
    recording: Recording,
    checksum: Checksum,
    values: Vec<u64>,
}

impl<E: Engine + RawOutputs> Recorder<E> {
    /// Records `engine`, which simulates the core of `config` from its power-up state.
    pub fn new(engine: E, config: &GpuConfig) -> Self {
        Self { engine, recording: Recording::new(config), checksum: Checksum::default(), values: Vec::new() }
    }

    /// What was recorded.
    pub fn finish(self) -> Recording {
        self.recording
    }
}

impl<E: Engine + RawOutputs> Engine for Recorder<E> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn settle(&mut self, inputs: &Inputs) -> Result<&Outputs, EngineError> {
        self.engine.settle(inputs)?;
        self.values.clear();
        self.engine.raw_outputs(&mut self.values);
        self.checksum.fold(&self.values);
        self.recording.push(inputs, self.checksum.value());
        Ok(self.engine.outputs())
    }

    fn outputs(&self) -> &Outputs {
        self.engine.outputs()
    }

    fn tick(&mut self) -> Result<(), EngineError> {
        self.engine.tick()
    }

    fn describe(&self, tree: &mut dyn SignalTree) {
        self.engine.describe(tree);
    }

    fn sample(&self, wanted: &[bool], value: &mut dyn FnMut(usize, u128)) {
        self.engine.sample(wanted, value);
    }

    fn statistics(&self) -> Vec<(&'static str, f64)> {
        self.engine.statistics()
    }
}

impl RawOutputs for RustHdl {
    fn raw_outputs(&mut self, values: &mut Vec<u64>) {
        self.gpu().read_outputs(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Host write, idle, response line, all at once; long enough for two kept checksums.
    fn sample() -> Recording {
        let mut recording = Recording::new(&GpuConfig {
            rows: 2,
            units: 1,
            warps: 2,
            bus: BusKind::Shared,
            warp_wide: WarpWide::Off,
            warp_wide_late: WideLate::Stored,
            ..GpuConfig::default()
        });
        let mut checksum = Checksum::default();
        for i in 0..2 * CHECK_EVERY + 7 {
            let inputs = Inputs {
                host: (i % 3 == 0).then_some((i as u16, !i as u32)),
                mem_req_ready: i % 5 != 0,
                mem_rsp: (i % 4 == 1).then_some([1, 2, 3, i as u32]),
            };
            checksum.fold(&[i, 1]);
            recording.push(&inputs, checksum.value());
        }
        recording
    }

    #[test]
    fn a_recording_survives_its_file() {
        let recording = sample();
        assert_eq!(Recording::from_bytes(&recording.to_bytes()).unwrap(), recording);
        let third = recording.inputs().nth(9).unwrap();
        assert_eq!(third, Inputs { host: Some((9, !9)), mem_req_ready: true, mem_rsp: Some([1, 2, 3, 9]) });
    }

    #[test]
    fn checksums_are_kept_at_intervals_and_at_the_end() {
        let recording = sample();
        let mut checksum = Checksum::default();
        let mut at = vec![0];
        for i in 0..recording.cycles {
            checksum.fold(&[i, 1]);
            at.push(checksum.value());
        }
        for cycles in [CHECK_EVERY, 2 * CHECK_EVERY, recording.cycles] {
            assert_eq!(recording.checksum(cycles), Some(at[cycles as usize]), "{cycles}");
        }
        assert_eq!(recording.checksum(0), None);
        assert_eq!(recording.checksum(1), None);
        assert_eq!(recording.checksum(recording.cycles + 1), None);
    }

    #[test]
    fn damaged_files_are_refused() {
        let bytes = sample().to_bytes();
        for length in [0, 7, 8, 30, 56, 96, 100, bytes.len() - 1] {
            assert!(Recording::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        let mut units = bytes.clone();
        units[8 + 2 * 8] = 99;
        assert!(Recording::from_bytes(&units).unwrap_err().contains("units"));
    }

    #[test]
    fn the_checksum_sees_every_port_and_every_cycle() {
        let of = |cycles: &[[u64; 2]]| {
            let mut c = Checksum::default();
            cycles.iter().for_each(|v| c.fold(v));
            c.value()
        };
        let base = of(&[[1, 2], [3, 4]]);
        for other in [[[2, 1], [3, 4]], [[1, 2], [3, 5]], [[3, 4], [1, 2]], [[1, 2], [4, 3]]] {
            assert_ne!(of(&other), base);
        }
    }
}
