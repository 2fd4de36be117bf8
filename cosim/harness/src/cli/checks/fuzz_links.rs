//! `quadlock fuzz --links`: random pairs of programs, each with a compute program, linked beside
//! unlinked. Each failure is told with the command that shows it again; wrong would be a count of
//! pairs that were not drawn.

use std::path::Path;

use rayon::prelude::*;

use super::fuzz_args::{fault, pool, Campaign, FuzzArgs};
use crate::base::caught::caught;
use crate::base::error::Input;
use crate::base::files::write_atomic;
use crate::base::shell::quoted_path;
use crate::cli::outcome::{say, Outcome};
use crate::random::links::{one, Counts};
use crate::random::pairs::SCENE;
use crate::simulate::Simulator;

/// Draws so many pairs.
///
/// # Errors
/// A setting that is no planted fault, or a report that cannot be written.
pub(super) fn run(args: &FuzzArgs, links: u64) -> Input<Outcome> {
    // Where it is planted says its name, which the scenes take as it is.
    let planted = fault(args)?.and(args.set.as_deref()).and_then(|set| set.split_once('=')).map(|(_, name)| name);
    let campaign = Campaign::new(links, "pairs");
    let tried: Vec<Result<Counts, ()>> = pool(args)?.install(|| {
        let seeds = (0..links).into_par_iter().map(|k| args.seed.wrapping_add(k));
        seeds
            .map(|seed| {
                let done = caught(|| one(seed, &args.out, Some(args.rtl), planted));
                let done = done.unwrap_or_else(|panic| Err((args.out.join(format!("link-{seed}")), panic)));
                let done = done.map_err(|(file, why)| campaign.failed(&told(args, seed, &file, &why)));
                campaign.done();
                done
            })
            .collect()
    });
    campaign.end();
    let mut sum = Counts::default();
    let mut failed = 0;
    for done in &tried {
        let Ok(c) = done else {
            failed += 1;
            continue;
        };
        (sum.instructions[0], sum.instructions[1]) =
            (sum.instructions[0] + c.instructions[0], sum.instructions[1] + c.instructions[1]);
        (sum.derived, sum.variants) = (sum.derived + c.derived, sum.variants + c.variants);
        sum.rounded += c.rounded;
        for (what, count) in &c.has {
            *sum.has.entry(what).or_default() += count;
        }
    }
    let of_alone = |linked: u64| 100.0 * linked as f64 / (sum.instructions[0] as f64).max(1.0);
    let saved = of_alone(sum.instructions[0]) - of_alone(sum.instructions[1]);
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

/// All that is printed of a pair that fails.
fn told(args: &FuzzArgs, seed: u64, file: &Path, why: &str) -> String {
    let rtl = if args.rtl == Simulator::RustHdl { " --rtl rust-hdl" } else { "" };
    let set = args.set.as_ref().map_or(String::new(), |set| format!(" --set {set}"));
    let again = format!("quadlock fuzz --links 1 --seed {seed}{rtl}{set}");
    let mut text = format!("seed {seed} fails: {why}\nagain: {again}\n");
    if file.is_file() {
        let fault = set.replacen("fault=", if file.ends_with(SCENE) { "machine.fault=" } else { "fault=" }, 1);
        let waves = quoted_path(&file.with_file_name("waves.fst"));
        let run = format!("quadlock run {} --set link=values{fault} --seed {seed}", quoted_path(file));
        text += &format!("kept; with waves: {run} --fst {waves}\n");
    }
    text + "\n"
}
