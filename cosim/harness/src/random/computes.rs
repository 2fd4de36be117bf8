//! Random compute programs with uniforms, for `quadlock fuzz --links`: three dispatches A B A leave
//! the same buffers linked and unlinked, and machine and model run the linked ones alike.
//!
//! Of every other program the uniforms stand behind what the constant bank takes of a buffer.
//! Everything is exact (LP-18). What is compared is the golden model's buffers. A bug that linked
//! and unlinked programs share is not found here.

use std::fmt::Write;
use std::path::Path;

use quadlock_shader::compile::interface;
use quadlock_shader::interface::Binding;
use quadlock_shader::random::wgsl::{generate, RandomShader};
use quadlock_shader::CompileRequest;

use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::job::dispatches::Dispatches;
use crate::job::{Job, Size};
use crate::lockstep::Quiet;
use crate::simulate::{self, Simulator};

/// What a program showed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Warp instructions: alone, linked.
    pub instructions: [u64; 2],
    /// Uniforms that the host derived.
    pub derived: u64,
    /// Variants that assume something.
    pub variants: u64,
}

/// Words before the uniforms that stand far behind.
const PADDING: usize = 320;

fn is_far(seed: u64) -> bool {
    seed % 2 == 1
}

/// The program's text, with a branch that uniforms decide and a counter that it counts in.
fn text(seed: u64, shader: &RandomShader) -> String {
    let to = if is_far(seed) { "struct Params { padding: array<vec4u, 80>," } else { "struct Params {" };
    let counters = shader.buffers[3].words.len();
    let (few, more) = (format!("atomic<u32>, {counters}>"), format!("atomic<u32>, {}>", counters + 1));
    let branch = format!(
        "  if (params.a > params.d) {{ atomicAdd(&counters[{counters}], 1u); }}
  else if (params.c > 0.5) {{ atomicAdd(&counters[{counters}], params.a * 3u + params.d); }}
  let base = "
    );
    let text = shader.wgsl.replacen("struct Params {", to, 1).replacen(&few, &more, 1);
    text.replacen("  let base = ", &branch, 1)
}

/// The job of a program with those buffers.
fn job(seed: u64, shader: &RandomShader, bindings: &[Binding]) -> String {
    let before = if is_far(seed) { PADDING } else { 0 };
    let uniform = |words: &[u32]| {
        let words: Vec<u32> = std::iter::repeat_n(0, before).chain(words.iter().copied()).collect();
        format!("binding = 0\nvalues = {words:?}\n")
    };
    let has = |binding: u32| bindings.iter().any(|b| b.binding == binding);
    let mut text = format!("name = \"compute\"\nshader = \"compute.wgsl\"\nexact = true\ngrid = {:?}\n", shader.grid);
    for b in shader.buffers.iter().filter(|b| b.binding > 0 && has(b.binding)) {
        let mut words = b.words.clone();
        words.resize(words.len() + usize::from(b.binding == 3), 0);
        let _ = write!(text, "[[buffer]]\nbinding = {}\nfrom = {{ inline = {words:?} }}\n", b.binding);
    }
    if has(0) {
        let own = &shader.buffers[0].words;
        let other = generate(seed.wrapping_add(1 << 32)).buffers[0].words.clone();
        let _ = write!(text, "[[uniform]]\n{}", uniform(own));
        for words in [own, &other, own] {
            let _ = write!(text, "[[dispatch]]\n[[dispatch.uniform]]\n{}", uniform(words));
        }
    }
    text
}

/// Runs the program of a seed, whose files go to a folder. `rtl`: linked in lockstep, too. `fault`:
/// a bug that is planted in what is linked.
///
/// # Errors
/// What is refused; inside, what failed.
pub fn one(seed: u64, folder: &Path, rtl: Option<Simulator>, fault: Option<&str>) -> Input<Result<Counts, String>> {
    let shader = generate(seed);
    let text = text(seed, &shader);
    let request = CompileRequest::new("compute.wgsl", text.as_bytes());
    let interface = interface(&request).or_else(|e| bad(e.to_string(), "a mistake in random programs"))?;
    let file = folder.join("job.toml");
    write_atomic(&folder.join("compute.wgsl"), text.as_bytes())?;
    write_atomic(&file, job(seed, &shader, &interface.bindings).as_bytes())?;
    let job = Job::read(&file, Size::Whole)?;
    let mut counts = Counts::default();
    let mut want: Option<Vec<Vec<u8>>> = None;
    for (n, set) in ["link=off", "link=on", "link=values"].into_iter().enumerate() {
        let planted = fault.filter(|_| n > 0).map(|f| format!("fault={f}"));
        let sets: Vec<String> = [set.to_owned()].into_iter().chain(planted).collect();
        let (options, compiler) = job.options(true, &sets, Some(seed))?;
        let dispatches = Dispatches::of(&job, job.linking(&sets)?, &compiler, &options.config);
        let dispatches = match dispatches {
            Ok(all) => all,
            // Linked it is judged before it runs.
            Err(e) if n > 0 => return Ok(Err(format!("{set}: {}", e.message()))),
            Err(e) => return Err(e),
        };
        let (last, done) = dispatches.run(&mut |p| Ok(simulate::golden(&p.launch, &options)))?;
        if !done.report.passed() {
            return Ok(Err(format!("{set}: {}", done.report.text())));
        }
        counts.instructions[usize::from(n > 0)] = done.report.retired;
        let got: Vec<Vec<u8>> = last.buffers.iter().map(|b| b.contents(&done.image).to_vec()).collect();
        match &want {
            None => want = Some(got),
            Some(want) if *want == got => {}
            Some(_) => return Ok(Err(format!("{set}: another buffer than with link=off"))),
        }
        let (Some(simulator), "link=values") = (rtl, set) else { continue };
        if let Some(link) = &done.report.link {
            (counts.derived, counts.variants) = (link.derived, link.variants);
        }
        let again = Dispatches::of(&job, job.linking(&sets)?, &compiler, &options.config)?;
        // One machine for all dispatches: a start finds what the one before left.
        let engine = simulator.engine(&options.config);
        let mut engine = engine.or_else(|e| bad(e, "a mistake in the machine of random jobs"))?;
        let (_, done) = again.run(&mut |p| Ok(simulate::on_engine(&mut *engine, &p.launch, &options, &mut Quiet)))?;
        if !done.report.passed() {
            return Ok(Err(done.report.text()));
        }
    }
    Ok(Ok(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the model alone; `quadlock fuzz --links` runs them in lockstep.
    #[test]
    fn random_programs_do_the_same_linked() {
        let dir = tempfile::tempdir().unwrap();
        let mut all = [0, 0];
        for seed in 0..16 {
            let done = one(seed, dir.path(), None, None).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
            let c = done.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
            all = [all[0] + c.instructions[0], all[1] + c.instructions[1]];
        }
        assert!(all[1] < all[0], "{all:?}");
    }

    #[test]
    fn planted_bugs_of_linking_are_found() {
        let dir = tempfile::tempdir().unwrap();
        for fault in ["compiler:link-other-arm", "compiler:variant-stale"] {
            let found = (0..40).any(|seed| one(seed, dir.path(), None, Some(fault)).unwrap().is_err());
            assert!(found, "{fault}");
        }
    }
}
