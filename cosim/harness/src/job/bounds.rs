//! Stores outside every buffer of a job, counted with the source line of the first.
//!
//! The compiler keeps every index inside its array, so on the machine such a store lands in the
//! last element and is seen by no checker. The program is therefore compiled once more without
//! that, and run on the golden model alone, which knows the buffers and drops what is stored beside
//! them. Assembly programs are run as they are. Failure modes: an index past an inner array that
//! stays in the buffer is not seen, and neither is one past a buffer that lands in another; a
//! program whose turns depend on the order of threads may be counted in another order than the
//! machine had; of one that does not end on the model alone only what it did until then is counted;
//! one whose threads wait for each other is not judged.

use quadlock_golden::Strays;
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::abi::{CONST_LOCKS, CONST_STACK_BASE, CONST_STACK_SIZE};

use super::dispatches::Dispatches;
use super::program::{CompilerOptions, ASSEMBLY};
use super::spec::bounds::Bounds;
use super::Job;
use crate::base::error::Input;
use crate::lockstep::Options;
use crate::machine::launch::Launch;
use crate::machine::layout::threads;
use crate::report::{Report, Verdict};
use crate::simulate;

/// Warp instructions after which the model is not asked any further: about a second of its time.
const MOST: u64 = 1 << 26;

/// The job once more, with stores that may leave their buffers.
pub struct Unbounded {
    dispatches: Dispatches,
    options: Options,
    bounds: Bounds,
    /// The compiler keeps stores inside.
    kept: bool,
}

impl Job {
    /// What it takes to find stores outside every buffer; none if there can be none, or the job is
    /// not judged. To be called before `ready` runs.
    ///
    /// # Errors
    /// A setting of linking that there is not.
    pub fn unbounded(
        &self,
        ready: &Dispatches,
        sets: &[String],
        options: &Options,
        compiler: &CompilerOptions,
    ) -> Input<Option<Unbounded>> {
        let spec = &self.spec;
        if spec.graph.is_some() || !spec.thread.is_empty() || spec.litmus.is_some() || compiler.polling {
            return Ok(None);
        }
        let mut options = options.clone();
        options.model_fault = None;
        let most = MOST / options.config.total_units().max(1) as u64;
        options.limits.cycles = options.limits.cycles.min(most);
        if spec.shader.get_ref().extension().is_some_and(|e| e == ASSEMBLY) {
            return Ok(Some(Unbounded { dispatches: ready.clone(), options, bounds: spec.bounds, kept: false }));
        }
        let free = CompilerOptions { clamp_bounds: false, ..compiler.clone() };
        // What compiles with its indices kept compiles without; if not, nothing is known.
        let Ok(dispatches) = Dispatches::of(self, self.linking(sets)?, &free, &options.config) else {
            return Ok(None);
        };
        let stays = dispatches.has_code_of(ready);
        Ok((!stays).then_some(Unbounded { dispatches, options, bounds: spec.bounds, kept: true }))
    }
}

impl Unbounded {
    /// Puts what it finds into the report of the run, if that has passed.
    ///
    /// # Errors
    /// Those of binding a dispatch.
    pub fn judge(self, report: &mut Report) -> Input<()> {
        if !report.passed() || report.hang.is_some() {
            return Ok(());
        }
        let Self { dispatches, options, bounds, kept } = self;
        let mut sum = Strays::default();
        let mut first = None;
        dispatches.run(&mut |prepared| {
            let launch = &prepared.launch;
            let (done, strays) = simulate::golden_in(launch, &options, Some(regions(launch, &options.config)));
            (sum.all, sum.outside) = (sum.all + strays.all, sum.outside + strays.outside);
            if first.is_none() {
                first = strays.first.map(|f| place(launch, f.pc, f.addr));
            }
            Ok(done)
        })?;
        let Some(first) = first else { return Ok(()) };
        let what = if kept { "; the compiler keeps them in the array's last element" } else { "" };
        let text = format!("{} of {} stores are outside every buffer; the first: {first}{what}", sum.outside, sum.all);
        match bounds {
            Bounds::Warn => report.warnings.push(format!("{text} (bounds = \"error\" makes this an error)")),
            Bounds::Error => report.problem(Verdict::MemoryFault, text),
        }
        Ok(())
    }
}

/// Where a store is, and where it goes.
fn place(launch: &Launch, pc: u16, addr: u32) -> String {
    let at = launch.position(pc).map_or_else(|| format!("pc {pc}"), str::to_owned);
    let before = launch.buffers.iter().filter(|b| b.1 <= addr).max_by_key(|b| b.1);
    let beside = before.map_or(String::new(), |(name, first, size)| {
        format!(
            ", {} bytes after the end of `{name}`, the buffer before it",
            addr.saturating_sub(first.saturating_add(*size))
        )
    });
    format!("{at} writes {addr:#010x}{beside}")
}

/// What a program may write: its buffers, its stacks, the table of locks.
fn regions(launch: &Launch, config: &GpuConfig) -> Vec<(u32, u32)> {
    let word = |at: usize| launch.constants.iter().find(|c| c.0 as usize == at).map(|c| c.1);
    let mut regions: Vec<(u32, u32)> = launch.buffers.iter().map(|b| (b.1, b.2)).collect();
    if let (Some(base), Some(bytes)) = (word(CONST_STACK_BASE), word(CONST_STACK_SIZE)) {
        regions.push((base, bytes.saturating_mul(threads(config.total_slots()))));
    }
    regions.extend(word(CONST_LOCKS).map(|base| (base, 4 * config.semaphores.semaphores as u32)));
    regions
}
