//! The whole core on rust-hdl's engine with the behavioural memory: assemble, load, launch, run.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::gpu::Gpu;
use quadlock_isa::asm::assemble;
use quadlock_isa::thread::ThreadRecord;

use super::{Memory, Timing};

/// Where programs are put.
pub const CODE: u32 = 0x1000;
/// Where lists of threads are put.
pub const LIST: u32 = 0x8000;

/// A launch.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub grid: [u32; 3],
    pub group: [u32; 3],
    pub pinned: bool,
    pub group_slots: u32,
    pub shared_bytes: u32,
}

impl Job {
    pub fn free(grid: [u32; 3], group: [u32; 3]) -> Job {
        Job { grid, group, pinned: false, group_slots: 1, shared_bytes: 0 }
    }

    pub fn threads(&self) -> u32 {
        self.grid.iter().product::<u32>() * self.group.iter().product::<u32>()
    }
}

/// Inputs of one cycle, for replay: host valid, address, data; memory ready, response valid, data.
pub type Inputs = [u32; 9];

pub struct Core {
    pub bench: Bench<Gpu>,
    pub memory: Memory,
    /// (unit, warp, mask, x, y, z, warp in group) of each launch.
    pub launches: Vec<(u32, u32, u32, [u32; 3], u32)>,
    pub retired: u64,
    pub cycles: u64,
}

impl Core {
    pub fn new(config: &GpuConfig, timing: Timing) -> Core {
        Core {
            bench: Bench::new(Gpu::new(config).unwrap(), |b| &mut b.clock),
            memory: Memory::new(0x20000, timing),
            launches: Vec::new(),
            retired: 0,
            cycles: 0,
        }
    }

    /// One cycle with this host write, if any. Returns what the inputs were.
    pub fn step(&mut self, host: Option<(u32, u32)>) -> Inputs {
        let response = self.memory.response();
        let line = response.unwrap_or_default();
        let (address, data) = host.unwrap_or_default();
        let inputs = [
            host.is_some().into(),
            address,
            data,
            self.memory.ready.into(),
            response.is_some().into(),
            line[0],
            line[1],
            line[2],
            line[3],
        ];
        let gpu = &mut *self.bench;
        gpu.host.valid.next = host.is_some();
        gpu.host.addr.next = u64::from(address).into();
        gpu.host.data.next = u64::from(data).into();
        gpu.mem_req.ready.next = self.memory.ready;
        gpu.mem_rsp.valid.next = response.is_some();
        for (port, word) in gpu.mem_rsp.data.iter_mut().zip(line) {
            port.next = u64::from(word).into();
        }
        self.bench.settle();
        let gpu = &*self.bench;
        let request = gpu.mem_req.valid.val().then(|| {
            let data = std::array::from_fn(|i| gpu.mem_req.data[i].val().to_u32());
            (gpu.mem_req.addr.val().to_u32(), gpu.mem_req.write.val(), gpu.mem_req.mask.val().to_u16(), data)
        });
        let taken = gpu.mem_rsp.ready.val();
        if gpu.launch.valid.val() {
            let group =
                [gpu.launch.group_x.val(), gpu.launch.group_y.val(), gpu.launch.group_z.val()].map(|v| v.to_u32());
            self.launches.push((
                gpu.launch.unit.val().to_u32(),
                gpu.launch.warp.val().to_u32(),
                gpu.launch.mask.val().to_u32(),
                group,
                gpu.launch.warp_in_group.val().to_u32(),
            ));
        }
        self.retired += gpu.ret.iter().filter(|r| r.valid.val()).count() as u64;
        self.bench.cycle();
        self.memory.edge(request, taken);
        self.cycles += 1;
        inputs
    }

    /// Loads the program; returns the host writes that set up the launch, the start last.
    pub fn writes(&mut self, text: &str, job: &Job, constants: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let program = assemble("test", text).unwrap_or_else(|e| panic!("{e}"));
        for (i, word) in program.code.iter().enumerate() {
            self.memory.set_word(CODE + 8 * i as u32, *word as u32);
            self.memory.set_word(CODE + 8 * i as u32 + 4, (*word >> 32) as u32);
        }
        let warps = job.group.iter().product::<u32>().div_ceil(4);
        let registers = [CODE, program.code.len() as u32].into_iter().chain(job.grid).chain(job.group).chain([
            warps,
            job.pinned.into(),
            job.group_slots,
            job.shared_bytes,
            16,
        ]);
        let mut writes: Vec<(u32, u32)> = registers.enumerate().map(|(i, value)| (0x1001 + i as u32, value)).collect();
        writes.extend(job.grid.into_iter().enumerate().map(|(i, value)| (i as u32, value)));
        writes.extend(constants);
        writes.push((0x1000, 1));
        writes
    }

    /// Runs a job to its end.
    ///
    /// # Panics
    /// When it does not end in `limit` cycles: a hang.
    pub fn run(&mut self, text: &str, job: &Job, constants: &[(u32, u32)], limit: u64) {
        for write in self.writes(text, job, constants) {
            self.step(Some(write));
        }
        let start = self.cycles;
        self.finish(start, limit);
    }

    /// Runs a list of threads to its end; the list lies at [`LIST`].
    ///
    /// # Panics
    /// As [`Core::run`].
    pub fn run_threads(&mut self, text: &str, threads: &[ThreadRecord], limit: u64) {
        let words: Vec<u32> = threads.iter().flat_map(ThreadRecord::words).collect();
        for (i, word) in words.iter().enumerate() {
            self.memory.set_word(LIST + 4 * i as u32, *word);
        }
        let mut writes = self.writes(text, &Job::free([1, 1, 1], [4, 1, 1]), &[]);
        let at = writes.len() - 1;
        writes.splice(at..at, [(0x100E, LIST), (0x100F, threads.len() as u32)]);
        for write in writes {
            self.step(Some(write));
        }
        self.finish(self.cycles, limit);
    }

    fn finish(&mut self, start: u64, limit: u64) {
        while self.bench.busy.val() {
            assert!(
                self.cycles - start < limit,
                "no end after {limit} cycles: {} retired, {} launched",
                self.retired,
                self.launches.len()
            );
            self.step(None);
        }
    }
}
