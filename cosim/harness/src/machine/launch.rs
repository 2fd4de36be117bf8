//! One launch of one program, as host, RTL and golden model all see it: code, memory image,
//! constant bank and grid. Made from a job file (`job`), from a random program (`fuzz`) or by hand
//! in tests; everything downstream works from this alone.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use quadlock_golden::frame_log::FrameLog;
use quadlock_golden::Golden;
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::abi::{CONST_WORDS, LANES, LINE_BYTES, MAX_GROUP, MAX_PROGRAM};
use quadlock_isa::thread::MAX_REQUESTS;
use quadlock_isa::{decode, disassemble, Op, ThreadRecord};
use quadlock_shader::binary::ShaderBinary;
use quadlock_shader::interface::needs_function_unit;

use super::locks::LockWords;
use crate::machine::layout::BASE;
use crate::machine::memory::Image;

/// Host register addresses (`docs/machine.md`).
pub mod host {
    /// Write 1: the machine runs the grid or the list. Writes while it is busy are ignored.
    pub const START: u16 = 0x1000;
    /// Byte address of instruction 0, a multiple of 16.
    pub const CODE_BASE: u16 = 0x1001;
    /// In instructions.
    pub const CODE_LENGTH: u16 = 0x1002;
    /// Groups along x; y and z are the next two registers. Each at least 1.
    pub const GRID: u16 = 0x1003;
    /// Invocations of a group along x; y and z are the next two registers.
    pub const GROUP_SIZE: u16 = 0x1006;
    /// Invocations of a group divided by the lanes, rounded up.
    pub const WARPS_PER_GROUP: u16 = 0x1009;
    /// 1: all warps of a group share a unit.
    pub const PINNED: u16 = 0x100A;
    /// Group slots of each unit to use; pinned grids only.
    pub const GROUP_SLOTS: u16 = 0x100B;
    /// Per group slot.
    pub const SHARED_BYTES: u16 = 0x100C;
    /// Registers below it are public (MS-20); kept without effect.
    pub const CUTOFF: u16 = 0x100D;
    /// Byte address of the first thread record, a multiple of 16.
    pub const THREAD_LIST: u16 = 0x100E;
    /// Threads of the list; 0: the grid runs.
    pub const THREAD_COUNT: u16 = 0x100F;
    /// The program needs the function unit; only where cores differ.
    pub const FUNCTIONS: u16 = 0x1010;
    /// Byte address of a command list, a multiple of 16; only with graphics.
    pub const COMMAND_LIST: u16 = 0x1011;
    /// 1: the next start runs the command list; only with graphics.
    pub const DRAW: u16 = 0x1012;
}

/// Most work groups of a grid: more than any run reaches the end of.
const MOST_GROUPS: u64 = u32::MAX as u64;

/// Threads that the dispatcher launches instead of a grid, in this order (SE-1, SE-41).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadList {
    /// Byte address of the first record in global memory, a multiple of 16. The records are also in
    /// the image ([`Launch::place_threads`]).
    pub base: u32,
    /// In the order of launch.
    pub threads: Vec<ThreadRecord>,
}

impl ThreadList {
    /// Words of all records, one behind the other.
    pub fn words(&self) -> Vec<u32> {
        self.threads.iter().flat_map(ThreadRecord::words).collect()
    }

    /// What makes the list impossible: (what, what to do).
    fn refuse(&self, launch: &Launch, config: &GpuConfig) -> Result<(), (String, String)> {
        let refuse = |what: String, help: &str| Err((what, help.to_owned()));
        if self.threads.is_empty() {
            return refuse("a list of 0 threads".into(), "give at least one thread");
        }
        let bytes = self.words().len() * 4;
        if !self.base.is_multiple_of(LINE_BYTES) || launch.image.slice(self.base, bytes).is_none() {
            let what = format!("a thread list of {bytes} bytes at {:#010x}", self.base);
            return refuse(what, "its address must be a multiple of 16, and all of it inside the memory");
        }
        for (n, thread) in self.threads.iter().enumerate() {
            refuse_thread(n, thread, launch.code.len(), config)?;
        }
        Ok(())
    }
}

/// What makes thread `n` of a list impossible, in a program of `code` instructions: (what, what to
/// do).
pub fn refuse_thread(n: usize, thread: &ThreadRecord, code: usize, config: &GpuConfig) -> Result<(), (String, String)> {
    let refuse = |what: String, help: &str| Err((what, help.to_owned()));
    if thread.mask & 15 == 0 || thread.mask > 15 {
        return refuse(format!("thread {n} has lane mask {:#x}", thread.mask), "a mask is 1 to 15");
    }
    if usize::from(thread.pc) >= code {
        let what = format!("thread {n} starts at instruction {}, outside the program", thread.pc);
        return refuse(what, "give an instruction index of the program");
    }
    if thread.requests.len() > MAX_REQUESTS {
        let what = format!("thread {n} has {} semaphore requests", thread.requests.len());
        return refuse(what, "a thread has at most 15: let several dependencies share a semaphore");
    }
    let kept = thread.requests.iter().filter(|r| !r.auto_release).count();
    if kept > config.semaphores.pool {
        let what = format!("thread {n} needs {kept} entries of the pool, which has {}", config.semaphores.pool);
        return refuse(what, "set [machine] semaphore-pool higher");
    }
    let semaphores = config.semaphores.semaphores;
    for (k, request) in thread.requests.iter().enumerate() {
        let id = request.semaphore;
        if usize::from(id) >= semaphores {
            let what = format!("thread {n} requests semaphore {id}; the machine has {semaphores}");
            return refuse(what, "use smaller ids, or set [machine] semaphores higher");
        }
        if thread.requests[..k].iter().any(|r| r.semaphore == id) {
            let what = format!("thread {n} requests semaphore {id} twice");
            return refuse(what, "a thread has at most one request for a semaphore");
        }
    }
    Ok(())
}

/// A dispatch of several, one behind the other in one run: a start of the machine each.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// Counted from 1.
    pub number: u32,
    /// Its first cycle: so many had those before it.
    pub first_cycle: u64,
    /// What the one before left; none of the first one.
    pub left: Option<Arc<Left>>,
}

/// What a start finds on the machine (docs/machine.md, "Starts").
#[derive(Clone, Debug)]
pub struct Left {
    /// The model at the end of the run before, if one ran beside the machine or alone.
    pub golden: Option<Golden>,
    /// Of each warp slot, unit by unit, the instructions that have retired since power-up: sequence
    /// numbers run on.
    pub retired: Vec<u64>,
    /// The constant bank.
    pub bank: Vec<u32>,
    /// How many triangles a machine that draws has numbered since power-up, modulo 2^16: in its
    /// pipeline, and in its cull pipeline.
    pub triangles: [u16; 2],
}

/// A program with all that it needs to run.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Shown in reports.
    pub name: String,
    /// Instruction words; also in `image` from `code_base` on.
    pub code: Vec<u64>,
    /// Byte address of instruction 0, a multiple of 16.
    pub code_base: u32,
    /// Global memory before the start, with code, buffers and records.
    pub image: Image,
    /// (constant-bank word, value).
    pub constants: Vec<(u32, u32)>,
    /// Work groups along x, y, z.
    pub grid: [u32; 3],
    /// Invocations of a work group along x, y, z.
    pub group_size: [u32; 3],
    /// All warps of a group share a unit.
    pub pinned: bool,
    /// Bytes of shared storage per work group.
    pub shared_bytes: u32,
    /// Registers below this are public (MS-20).
    pub cutoff: u32,
    /// The program needs the function unit (SE-3).
    pub functions: bool,
    /// Threads to launch instead of the grid; `grid` and `group_size` are then one warp.
    pub threads: Option<ThreadList>,
    /// Semaphores of the graph's dependencies, ascending: the program must not acquire one of them
    /// itself, nor release one but in `dependencyDone`.
    pub graph_semaphores: Vec<u16>,
    /// The releases of `dependencyDone`, if that is known.
    pub done: Option<Vec<u32>>,
    /// Instructions of loops that only wait for another thread, ascending (SE-63).
    pub polling: Vec<u32>,
    /// Source position of each instruction, where known.
    pub lines: Vec<Option<String>>,
    /// Words that the job declares as locks.
    pub locks: Vec<LockWords>,
    /// Buffers: name, byte address, bytes.
    pub buffers: Vec<(String, u32, u32)>,
    /// What the compiler warned of, with its place.
    pub warnings: Vec<String>,
    /// Values that overrides or specialisation constants of the program were given.
    pub constants_given: BTreeMap<String, serde_json::Value>,
    /// A frame to draw instead of a grid.
    pub frame: Option<Arc<FrameLaunch>>,
    /// Which dispatch of its run it is; none: the run has no other.
    pub dispatch: Option<Dispatch>,
}

/// A frame that the machine draws, with what the model made of it.
#[derive(Clone, Debug)]
pub struct FrameLaunch {
    /// Byte address of the command list.
    pub list: u32,
    /// What the model did; none if nobody compares.
    pub log: Option<Arc<FrameLog>>,
    /// Warp instructions that the model took; none if nobody compares.
    pub instructions: Option<u64>,
    /// The model's memory afterwards, from byte address 0 on.
    pub after: Vec<u8>,
    /// Words whose contents a frame does not define: byte addresses, ascending.
    pub undefined: Vec<u32>,
    /// Byte addresses of the targets: the frame's. All else is the programs'.
    pub drawn: Vec<Range<u32>>,
    /// Byte addresses of what nobody defines: stacks, and targets that are not stored.
    pub scratch: Vec<Range<u32>>,
    /// Those who may know of triangles that come later when something is not drawn (HZ-13): bit 2
    /// the binner, bit 3 the rasteriser.
    pub ahead: u8,
}

impl Launch {
    /// The number of its first cycle in the run.
    pub fn first_cycle(&self) -> u64 {
        self.dispatch.as_ref().map_or(0, |d| d.first_cycle)
    }

    /// What the start before it left on the machine.
    pub fn left(&self) -> Option<&Left> {
        self.dispatch.as_ref()?.left.as_deref()
    }

    /// A launch of bare instruction words on one work group of one warp, for tests: code at the
    /// bottom of `memory_bytes` of zeroed memory.
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
            functions: false,
            threads: None,
            graph_semaphores: Vec::new(),
            done: None,
            polling: Vec::new(),
            lines: Vec::new(),
            locks: Vec::new(),
            buffers: Vec::new(),
            warnings: Vec::new(),
            constants_given: BTreeMap::new(),
            frame: None,
            dispatch: None,
        };
        launch.functions = needs_function_unit(&launch.code);
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

    /// Copies the thread list, if there is one, into the image.
    pub fn place_threads(&mut self) {
        let Some(list) = &self.threads else { return };
        let bytes: Vec<u8> = list.words().iter().flat_map(|w| w.to_le_bytes()).collect();
        if let Some(place) = self.image.slice_mut(list.base, bytes.len()) {
            place.copy_from_slice(&bytes);
        }
    }

    /// Takes over the source positions of a compiled program.
    pub fn take_lines(&mut self, binary: &ShaderBinary) {
        self.lines = (0..binary.code.len()).map(|pc| binary.position(pc)).collect();
    }

    /// Invocations of a group.
    pub fn threads_per_group(&self) -> u32 {
        self.group_size.iter().fold(1, |n, &size| n.saturating_mul(size))
    }

    /// Invocations of a group divided by the lanes, rounded up.
    pub fn warps_per_group(&self) -> u32 {
        self.threads_per_group().div_ceil(LANES as u32)
    }

    /// Work groups of the grid; of a thread list its threads.
    pub fn groups(&self) -> u64 {
        match &self.threads {
            Some(list) => list.threads.len() as u64,
            None => self.grid.iter().fold(1, |n, &g| n.saturating_mul(u64::from(g))),
        }
    }

    /// Warps that the whole grid, or the thread list, launches.
    pub fn warps(&self) -> u64 {
        match &self.threads {
            Some(list) => list.threads.len() as u64,
            None => self.groups().saturating_mul(u64::from(self.warps_per_group())),
        }
    }

    /// Shared bytes as a group slot holds them: a multiple of 16.
    pub fn shared_window(&self) -> u32 {
        self.shared_bytes.checked_next_multiple_of(16).unwrap_or(u32::MAX)
    }

    /// Group slots per unit of a pinned program on that machine; 0 if not even one fits.
    pub fn group_slots(&self, config: &GpuConfig) -> u32 {
        let by_warps = self.able_warps(config) as u32 / self.warps_per_group().max(1);
        match (config.shared_words as u32 * 4).checked_div(self.shared_window()) {
            Some(by_shared) => by_warps.min(by_shared),
            None => by_warps,
        }
    }

    /// Most warp slots of a unit in a core that can run the program; 0 if no core can (SE-3).
    pub fn able_warps(&self, config: &GpuConfig) -> usize {
        let able = config.core_shapes().into_iter().filter(|c| c.function_unit || !self.functions);
        able.map(|c| c.warps).max().unwrap_or(0)
    }

    /// The constant bank as the host fills it; words not mentioned are zero.
    pub fn constant_bank(&self) -> Vec<u32> {
        let mut bank = self.left().map_or_else(|| vec![0; CONST_WORDS], |left| left.bank.clone());
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
        if self.groups() > MOST_GROUPS {
            return refuse(format!("{} work groups; at most {MOST_GROUPS}", self.groups()), "make the grid smaller");
        }
        if self.threads_per_group() as usize > MAX_GROUP {
            let what = format!("a work group of {} invocations; at most {MAX_GROUP}", self.threads_per_group());
            return refuse(what, "make the shader's work group smaller");
        }
        let shared = config.shared_words as u32 * 4;
        if self.shared_window() > shared {
            let what = format!("{} bytes of work-group memory, but a warp unit has {shared}", self.shared_bytes);
            return refuse(what, "use less work-group memory, or set [machine] shared-words higher (at most 4096)");
        }
        if let Some(list) = &self.threads {
            if self.pinned || self.threads_per_group() != LANES as u32 {
                let what = "a thread program with barriers, work-group memory or more than four invocations".into();
                return refuse(what, "a thread is a work group of 4 x 1 x 1 by itself");
            }
            list.refuse(self, config)?;
        }
        let able = self.able_warps(config);
        if able == 0 {
            let what =
                "the program has instructions of the function unit (FDIV, FSQRT, FRCP, ...), and no core has one";
            return refuse(
                what.into(),
                "set [machine] function-unit = true, or give one of [[machine.core]] function-unit = true",
            );
        }
        if self.pinned && self.warps_per_group() as usize > able {
            let what = format!(
                "a work group with barriers or work-group memory has {} warps, but a warp unit{} holds {able}",
                self.warps_per_group(),
                if config.is_mixed() { " that can run the program" } else { "" }
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
        if config.is_mixed() {
            writes.push((host::FUNCTIONS, u32::from(self.functions)));
        }
        if let Some(list) = &self.threads {
            writes.push((host::THREAD_LIST, list.base));
            writes.push((host::THREAD_COUNT, list.threads.len() as u32));
        }
        if config.graphics {
            writes.push((host::COMMAND_LIST, self.frame.as_ref().map_or(0, |f| f.list)));
            writes.push((host::DRAW, u32::from(self.frame.is_some())));
        }
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

    /// An instruction that acquires or releases a semaphore of the graph, which the program must
    /// not. Of a release it must be known that it is not one of `dependencyDone`.
    pub fn collides(&self, op: Op, pc: u16, semaphore: u16) -> bool {
        let own = match op {
            Op::Acs | Op::Asr => true,
            Op::Rls => self.done.as_ref().is_some_and(|done| done.binary_search(&u32::from(pc)).is_err()),
            _ => false,
        };
        own && self.graph_semaphores.binary_search(&semaphore).is_ok()
    }

    /// The job declares locks, or the program has the lock form: somebody has to follow whose they
    /// are.
    pub fn has_locks(&self) -> bool {
        !self.locks.is_empty() || self.code.iter().any(|&word| decode(word).is_ok_and(|i| i.op == Op::WALock))
    }

    /// The word at `addr` by its buffer.
    pub fn word_name(&self, addr: u32) -> Option<String> {
        let inside = |b: &&(String, u32, u32)| (b.1..b.1.saturating_add(b.2)).contains(&addr);
        let (name, first, _) = self.buffers.iter().find(inside)?;
        Some(format!("`{name}` word {}", (addr - first) / 4))
    }

    /// Line of the program's source that an instruction comes from, if it is known.
    pub fn position(&self, pc: u16) -> Option<&str> {
        self.lines.get(pc as usize)?.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadlock_isa::SemaphoreRequest;

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

    fn thread(ids: &[u16]) -> ThreadRecord {
        let request = |&semaphore: &u16| SemaphoreRequest { semaphore, auto_release: false, suppress: false };
        ThreadRecord { pc: 0, mask: 15, data: [1, 2, 3], requests: ids.iter().map(request).collect() }
    }

    #[test]
    fn a_thread_list_is_in_memory_and_named_to_the_host_registers() {
        let config = GpuConfig::default();
        let mut l = Launch::bare("x", vec![2], 256);
        l.threads = Some(ThreadList { base: BASE + 64, threads: vec![thread(&[3]), thread(&[])] });
        l.place_threads();
        assert!(l.refuse(&config).is_ok());
        assert_eq!(l.image.slice(BASE + 64, 8).unwrap(), &[0, 0, 0x1F, 0, 1, 0, 0, 0]);
        assert_eq!(l.image.slice(BASE + 96, 8).unwrap(), &[0, 0, 0x0F, 0, 1, 0, 0, 0]);
        assert_eq!((l.groups(), l.warps()), (2, 2));
        let writes = l.host_writes(&config);
        assert_eq!(writes[writes.len() - 3..], [(0x100E, BASE + 64), (0x100F, 2), (0x1000, 1)]);
    }

    #[test]
    fn a_thread_list_that_the_machine_cannot_take_is_refused() {
        let mut config = GpuConfig::default();
        config.semaphores.semaphores = 16;
        config.semaphores.pool = 8;
        let refused = |change: &dyn Fn(&mut Launch), config: &GpuConfig| {
            let mut l = Launch::bare("x", vec![2], 256);
            l.threads = Some(ThreadList { base: BASE + 64, threads: vec![thread(&[3, 15])] });
            change(&mut l);
            l.refuse(config).map_or_else(|e| e.0, |()| "accepted".to_owned())
        };
        let with = |t: ThreadRecord| refused(&|l| l.threads.as_mut().unwrap().threads[0] = t.clone(), &config);
        assert_eq!(refused(&|_| {}, &config), "accepted");
        assert!(with(thread(&[16])).contains("requests semaphore 16; the machine has 16"));
        assert!(with(thread(&[3, 3])).contains("requests semaphore 3 twice"));
        assert!(with(thread(&[0; 16])).contains("16 semaphore requests"));
        assert!(with(thread(&[0, 1, 2, 3, 4, 5, 6, 7, 8])).contains("needs 9 entries"));
        assert!(with(ThreadRecord { mask: 0, ..thread(&[]) }).contains("lane mask 0x0"));
        assert!(with(ThreadRecord { mask: 16, ..thread(&[]) }).contains("lane mask 0x10"));
        assert!(with(ThreadRecord { pc: 1, ..thread(&[]) }).contains("outside the program"));
        assert!(refused(&|l| l.threads.as_mut().unwrap().base += 8, &config).contains("thread list of"));
        assert!(refused(&|l| l.threads.as_mut().unwrap().base += 224, &config).contains("thread list of"));
        assert!(refused(&|l| l.threads.as_mut().unwrap().threads.clear(), &config).contains("0 threads"));
        assert!(refused(&|l| l.pinned = true, &config).contains("barriers"));
    }
}
