//! `quadlock fuzz --links`: random pairs of programs, each with a compute program, linked beside
//! unlinked. Each failure is told with the command that shows it again; wrong would be a count of
//! pairs that were not drawn.

use rayon::prelude::*;

use super::fuzz_args::{bar, pool, FuzzArgs};
use super::outcome::{print, say, Outcome};
use crate::base::error::Input;
use crate::base::files::write_atomic;
use crate::random::links::{one, Counts};
use crate::simulate::Simulator;

/// Draws so many pairs.
///
/// # Errors
/// A report that cannot be written.
pub(super) fn run(args: &FuzzArgs, links: u64) -> Input<Outcome> {
    let fault = args.set.as_deref().map(|set| set.trim_start_matches("fault="));
    let bar = bar(links, "pairs");
    let tried: Vec<(u64, Result<Counts, _>)> = pool(args)?.install(|| {
        let seeds = (0..links).into_par_iter().map(|k| args.seed.wrapping_add(k));
        seeds
            .map(|seed| {
                let done = one(seed, &args.out, Some(args.rtl), fault);
                bar.inc(1);
                (seed, done)
            })
            .collect()
    });
    bar.finish_and_clear();
    let rtl = if args.rtl == Simulator::RustHdl { " --rtl rust-hdl" } else { "" };
    let set = args.set.as_ref().map_or(String::new(), |set| format!(" --set {set}"));
    let mut sum = Counts::default();
    let mut failed = 0;
    for (seed, done) in &tried {
        match done {
            Ok(c) => {
                (sum.instructions[0], sum.instructions[1]) =
                    (sum.instructions[0] + c.instructions[0], sum.instructions[1] + c.instructions[1]);
                (sum.derived, sum.variants) = (sum.derived + c.derived, sum.variants + c.variants);
                sum.rounded += c.rounded;
                for (what, count) in &c.has {
                    *sum.has.entry(what).or_default() += count;
                }
            }
            Err((file, why)) => {
                failed += 1;
                print(&format!(
                    "seed {seed} fails: {why}\nagain: quadlock fuzz --links 1 --seed {seed}{rtl}{set}; the scene: {}\n\n",
                    file.display()
                ));
            }
        }
    }
    let saved = 100.0 - 100.0 * sum.instructions[1] as f64 / (sum.instructions[0] as f64).max(1.0);
    say(&format!(
        "{links} pairs, {failed} failed; {} warp instructions alone, {} linked ({saved:.1} % fewer); \
         {} derived uniforms, {} variants; {} words differ with fusion, each traced to one\n",
        sum.instructions[0], sum.instructions[1], sum.derived, sum.variants, sum.rounded
    ));
    let has: Vec<String> = sum.has.iter().map(|(what, count)| format!("{what} {count}")).collect();
    say(&format!("they have: {}\n", has.join(", ")));
    if let Some(path) = &args.report {
        let json = serde_json::json!({
            "links": links, "seed": args.seed, "failed": failed, "instructions": sum.instructions,
            "derived": sum.derived, "variants": sum.variants, "rounded": sum.rounded, "has": sum.has,
        });
        write_atomic(path, format!("{json:#}\n").as_bytes())?;
    }
    Ok(if failed == 0 { Outcome::Pass } else { Outcome::Fail })
}
