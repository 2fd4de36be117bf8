//! One launch of one program, as host, RTL and golden model all see it: code, memory image, constant bank and grid. Made from a job file
//! (`job`), from a random program (`fuzz`) or by hand in tests; everything downstream works from this alone.

use quadlock_hdl::config::GpuConfig;
use quadlock_isa::abi::{CONST_WORDS, LANES, MAX_PROGRAM};
use quadlock_isa::disassemble;
use quadlock_shader::binary::ShaderBinary;

use crate::layout::BASE;
use crate::memory::Image;

/// Host register addresses (`docs/machine.md`).
pub mod host {
    pub const START: u16 = 0x1000;
    pub const CODE_BASE: u16 = 0x1001;
    pub const CODE_LENGTH: u16 = 0x1002;
    pub const GRID: u16 = 0x1003;
    pub const GROUP_SIZE: u16 = 0x1006;
    pub const WARPS_PER_GROUP: u16 = 0x1009;
    pub const PINNED: u16 = 0x100A;
    pub const GROUP_SLOTS: u16 = 0x100B;
    pub const SHARED_BYTES: u16 = 0x100C;
    pub const CUTOFF: u16 = 0x100D;
}

/// A program with all that it needs to run.
#[derive(Clone, Debug)]
pub struct Launch {
    pub name: String,
    /// Instruction words; also in `image` from `code_base` on.
    pub code: Vec<u64>,
    /// Byte address of instruction 0, a multiple of 16.
    pub code_base: u32,
    pub image: Image,
    /// (constant-bank word, value).
    pub constants: Vec<(u32, u32)>,
    /// Work groups along x, y, z.
    pub grid: [u32; 3],
    /// Invocations of a work group along x, y, z.
    pub group_size: [u32; 3],
    pub pinned: bool,
    /// Bytes of shared storage per work group.
    pub shared_bytes: u32,
    /// Registers below this are public (MS-20).
    pub cutoff: u32,
    /// Source position of each instruction, where known.
    pub lines: Vec<Option<String>>,
}

impl Launch {
    /// A launch of bare instruction words on one work group of one warp, for tests: code at the bottom of `memory_bytes` of zeroed memory.
    pub fn bare(name: &str, code: Vec<u64>, memory_bytes: u32) -> Self {
        let mut launch = Self {
            name: name.to_owned(),
            code,
            code_base: BASE,
            image: Image { base: BASE, bytes: vec![0; memory_bytes as usize] },
            constants: Vec::new(),
            grid: [1; 3],
            group_size: [LANES as u32, 1, 1],
            pinned: false,
            shared_bytes: 0,
            cutoff: 0,
            lines: Vec::new(),
        };
        launch.place_code();
        launch
    }

    /// Copies the code into the image.
    pub fn place_code(&mut self) {
        let bytes: Vec<u8> = self.code.iter().flat_map(|w| w.to_le_bytes()).collect();
        if let Some(place) = self.image.slice_mut(self.code_base, bytes.len()) {
            place.copy_from_slice(&bytes);
        }
    }

    /// Takes over the source positions of a compiled program.
    pub fn take_lines(&mut self, binary: &ShaderBinary) {
        self.lines = (0..binary.code.len()).map(|pc| binary.position(pc)).collect();
    }

    pub fn threads_per_group(&self) -> u32 {
        self.group_size.iter().product()
    }

    pub fn warps_per_group(&self) -> u32 {
        self.threads_per_group().div_ceil(LANES as u32)
    }

    pub fn groups(&self) -> u64 {
        self.grid.iter().map(|&g| u64::from(g)).product()
    }

    /// Warps that the whole grid launches.
    pub fn warps(&self) -> u64 {
        self.groups() * u64::from(self.warps_per_group())
    }

    /// Shared bytes as a group slot holds them: a multiple of 16.
    pub fn shared_window(&self) -> u32 {
        self.shared_bytes.next_multiple_of(16)
    }

    /// Group slots per unit of a pinned program on that machine; 0 if not even one fits.
    pub fn group_slots(&self, config: &GpuConfig) -> u32 {
        let by_warps = config.warps as u32 / self.warps_per_group().max(1);
        match (config.shared_words as u32 * 4).checked_div(self.shared_window()) {
            Some(by_shared) => by_warps.min(by_shared),
            None => by_warps,
        }
    }

    /// The constant bank as the host fills it; words not mentioned are zero.
    pub fn constant_bank(&self) -> Vec<u32> {
        let mut bank = vec![0; CONST_WORDS];
        for &(word, value) in &self.constants {
            if let Some(place) = bank.get_mut(word as usize) {
                *place = value;
            }
        }
        bank
    }

    /// What makes the launch impossible on that machine: (what, what to do).
    pub fn refuse(&self, config: &GpuConfig) -> Result<(), (String, String)> {
        let refuse = |what: String, help: &str| Err((what, help.to_owned()));
        if self.code.is_empty() || self.code.len() > MAX_PROGRAM {
            let what = format!("the program has {} instructions; a program has 1 to {MAX_PROGRAM}", self.code.len());
            return refuse(what, "split the shader, or reduce unrolling");
        }
        if self.grid.contains(&0) || self.group_size.contains(&0) {
            return refuse("a grid or work group of size 0".into(), "every dimension is at least 1");
        }
        if self.threads_per_group() > 1024 {
            let what = format!("a work group of {} invocations; at most 1024", self.threads_per_group());
            return refuse(what, "make the shader's work group smaller");
        }
        let shared = config.shared_words as u32 * 4;
        if self.shared_window() > shared {
            let what = format!("{} bytes of work-group memory, but a warp unit has {shared}", self.shared_bytes);
            return refuse(what, "use less work-group memory, or set [machine] shared-words higher (at most 4096)");
        }
        if self.pinned && self.warps_per_group() as usize > config.warps {
            let what = format!(
                "a work group with barriers or work-group memory has {} warps, but a warp unit holds {}",
                self.warps_per_group(),
                config.warps
            );
            return refuse(what, "make the work group smaller, or set [machine] warps higher (at most 16)");
        }
        Ok(())
    }

    /// The host's writes that start the launch, in order.
    pub fn host_writes(&self, config: &GpuConfig) -> Vec<(u16, u32)> {
        let mut writes: Vec<(u16, u32)> = self.constants.iter().map(|&(word, value)| (word as u16, value)).collect();
        writes.push((host::CODE_BASE, self.code_base));
        writes.push((host::CODE_LENGTH, self.code.len() as u32));
        for i in 0..3 {
            writes.push((host::GRID + i as u16, self.grid[i]));
            writes.push((host::GROUP_SIZE + i as u16, self.group_size[i]));
        }
        writes.push((host::WARPS_PER_GROUP, self.warps_per_group()));
        writes.push((host::PINNED, u32::from(self.pinned)));
        writes.push((host::GROUP_SLOTS, if self.pinned { self.group_slots(config) } else { 1 }));
        writes.push((host::SHARED_BYTES, self.shared_window()));
        writes.push((host::CUTOFF, self.cutoff));
        writes.push((host::START, 1));
        writes
    }

    /// The instruction at `pc` as text, with its source position where known.
    pub fn listing(&self, pc: u16) -> String {
        let text = match self.code.get(pc as usize) {
            Some(&word) => disassemble(word, None),
            None => "(outside the program)".to_owned(),
        };
        match self.position(pc) {
            Some(at) => format!("{text:<36} ; {at}"),
            None => text,
        }
    }

    pub fn position(&self, pc: u16) -> Option<&str> {
        self.lines.get(pc as usize)?.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_slots_are_limited_by_warps_and_by_shared_storage() {
        let config = GpuConfig::default();
        let mut l = Launch::bare("x", vec![2], 64);
        l.group_size = [12, 1, 1];
        assert_eq!((l.warps_per_group(), l.group_slots(&config)), (3, 2));
        l.shared_bytes = 2100;
        assert_eq!((l.shared_window(), l.group_slots(&config)), (2112, 1));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_advice() {
        let config = GpuConfig::default();
        let mut l = Launch::bare("x", vec![2], 64);
        assert!(l.refuse(&config).is_ok());
        l.group_size = [64, 1, 1];
        assert!(l.refuse(&config).is_ok(), "a free program may have large groups");
        l.pinned = true;
        assert!(l.refuse(&config).unwrap_err().0.contains("16 warps"));
        l.group_size = [4, 1, 1];
        l.shared_bytes = 5000;
        assert!(l.refuse(&config).unwrap_err().0.contains("work-group memory"));
        l.shared_bytes = 0;
        l.code = vec![2; MAX_PROGRAM + 1];
        assert!(l.refuse(&config).unwrap_err().0.contains("instructions"));
    }
}
