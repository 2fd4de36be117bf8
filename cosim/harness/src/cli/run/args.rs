//! What `quadlock run` is told on its command line, for jobs and scenes.
//!
//! What an option means for both is decided here, and what it does is done by who reads it. Wrong
//! would be an option that nobody reads: scenes refuse those that they do not heed by name.

use std::path::{Path, PathBuf};

use clap::Args;

use super::super::preset::PresetArg;
use crate::base::error::{bad, Input};
use crate::base::files::{check_folder, check_outputs, refuse_input};
use crate::job::constants;
use crate::scene::accounts::heat::HeatKind;
use crate::scene::file::shown::Shown;
use crate::simulate::{EngineKind, Simulator};

#[derive(Args, Debug)]
pub struct RunArgs {
    /// Job file (docs/jobs.md) or scene file (docs/scenes.md)
    pub(super) job: PathBuf,
    #[arg(long, value_enum, default_value = "lockstep")]
    pub(super) engine: EngineKind,
    /// Simulator of the RTL
    #[arg(long, value_enum, default_value = "rtlsim", value_name = "SIMULATOR")]
    pub(super) rtl: Simulator,
    /// Run at the small size given in the file's [small] table, for slow simulators
    #[arg(long)]
    pub(super) small: bool,
    /// Write a VCD trace, and a GTKWave view in the same folder
    #[arg(long, value_name = "FILE")]
    pub(super) vcd: Option<PathBuf>,
    /// Write an FST trace, which is much smaller than VCD, and a GTKWave view in the same folder
    #[arg(long, value_name = "FILE", conflicts_with = "vcd")]
    pub(super) fst: Option<PathBuf>,
    /// Write a Chrome trace (JSON) of threads, waits, hand-overs and semaphore owners, for
    /// ui.perfetto.dev
    #[arg(long, value_name = "FILE")]
    pub(super) perfetto: Option<PathBuf>,
    /// First cycle of the trace (VCD, FST or Chrome)
    #[arg(long, value_name = "CYCLE", default_value_t = 0)]
    pub(super) from: u64,
    /// Last cycle of the trace (VCD, FST or Chrome)
    #[arg(long, value_name = "CYCLE")]
    pub(super) to: Option<u64>,
    /// Trace this scope and every scope inside it, for example quadlock.cores_0.units_0; * and **
    /// match. May be repeated. The semaphore lists are in quadlock.lists
    #[arg(long, value_name = "PATH")]
    pub(super) scope: Vec<String>,
    /// Size limit of the trace in megabytes. The trace ends with the cycle that reaches it
    #[arg(long, value_name = "MB", default_value_t = 48, alias = "vcd-limit", value_parser = clap::value_parser!(u64).range(1..=MOST_WAVES))]
    pub(super) wave_limit: u64,
    #[command(flatten)]
    preset: PresetArg,
    /// Change a setting: units=1, latency=40; of a scene also any key by its path:
    /// target.width=512. `quadlock settings` lists them with values, defaults and meaning. May be
    /// repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// Do not fuse a float product and sum into one operation: short for --set exact=on, applied
    /// before the other settings
    #[arg(long)]
    pub(super) exact: bool,
    #[arg(long, value_name = "NAME=VALUE", help = constants::HELP)]
    pub(super) constant: Vec<String>,
    /// Run the job a second time with this setting changed. Print both reports one after the other,
    /// then a table of the figures that differ; `ratio` is the second run divided by the first. May
    /// be repeated. Outputs of the second run go to the folder `compared` inside the first run's
    #[arg(long, value_name = "KEY=VALUE", conflicts_with_all = ["vcd", "fst", "png", "perfetto"])]
    pub(super) compare: Vec<String>,
    /// Scenes: draw both forms on the golden model with one fusion at a time left out. Trace every
    /// word that differs to the fusions that change it (docs/accuracy.md)
    #[arg(long, requires = "compare")]
    pub(super) trace_roundings: bool,
    /// Output folder [default: out/NAME, with the name that the file gives]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Write the job's picture output to this file too
    #[arg(long, value_name = "FILE")]
    pub(super) png: Option<PathBuf>,
    /// Scenes: write a target as a picture. TARGET is its number, `depth` or `stencil`; a suffix
    /// .SAMPLE selects one sample. May be repeated (docs/scenes.md)
    #[arg(long, value_name = "TARGET=FILE", conflicts_with = "compare")]
    pub(super) image: Vec<String>,
    /// Scenes: write the number of quads shaded per pixel as a picture. Other counts: helpers=FILE,
    /// merged=FILE, split=FILE, culls=FILE, reloads=FILE (docs/scenes.md)
    #[arg(long, value_name = "[WHAT=]FILE", conflicts_with = "compare")]
    pub(super) heatmap: Option<String>,
    /// Scenes: draw, as SVG, what remains after each stage that can cull (docs/scenes.md)
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    pub(super) funnel: Option<PathBuf>,
    /// Scenes: count which groups of 8 by 8 pixels windows of 1,024 triangles could hide, whatever
    /// the machine's windows are. A machine with Hi-Z in lockstep counts them anyway; this is for
    /// --engine golden
    #[arg(long)]
    pub(super) oracle: bool,
    /// Write the report as JSON (docs/report.md)
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Seed of the memory timing; the same as --set seed=N
    #[arg(long)]
    pub(super) seed: Option<u64>,
}

impl RunArgs {
    /// Puts what has an option of its own in front of the settings.
    pub fn settle(mut self) -> Self {
        if self.exact {
            self.set.insert(0, "exact=on".into());
        }
        self.set = self.preset.before(&self.set);
        self
    }
    pub fn file(&self) -> &Path {
        &self.job
    }
    pub fn is_small(&self) -> bool {
        self.small
    }
    pub fn traces_roundings(&self) -> bool {
        self.trace_roundings
    }
    pub fn sets(&self) -> &[String] {
        &self.set
    }
    pub fn engine(&self) -> EngineKind {
        self.engine
    }
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }
    pub fn png_file(&self) -> Option<&Path> {
        self.png.as_deref()
    }
    /// What `--heatmap` counts, and the file that it is written to.
    pub fn heat(&self) -> Input<Option<(HeatKind, PathBuf)>> {
        let Some(text) = &self.heatmap else { return Ok(None) };
        // What is no word belongs to the path.
        let word = |what: &str| what.chars().all(char::is_alphabetic);
        let alone = HeatKind::by_name(text).map(|_| (text.as_str(), ""));
        let pair = text.split_once('=').filter(|(what, _)| word(what));
        let (what, file) = alone.or(pair).unwrap_or(("quads", text));
        match HeatKind::by_name(what) {
            Some(kind) if !file.is_empty() => Ok(Some((kind, file.into()))),
            Some(_) => bad(format!("--heatmap {text}: no file"), format!("for example --heatmap {what}={what}.png")),
            None => bad(
                format!("--heatmap {text}: nothing is called {what}"),
                format!("WHAT is one of {}", HeatKind::names()),
            ),
        }
    }
    pub fn funnel_file(&self) -> Option<&Path> {
        self.funnel.as_deref()
    }
    pub fn asks_oracle(&self) -> bool {
        self.oracle
    }
    pub fn compared(&self) -> &[String] {
        &self.compare
    }
    pub fn constants(&self) -> &[String] {
        &self.constant
    }
    /// Pictures of `--image`.
    pub fn images(&self) -> Input<Vec<(Shown, PathBuf)>> {
        let one = |text: &String| {
            let help = "for example --image 1=colour.png, --image depth=depth.png, --image 0.3=sample.png";
            let Some((target, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
                return bad(format!("--image {text}: not TARGET=FILE"), help);
            };
            let shown = target.parse().or_else(|e| bad(format!("--image {text}: {e}"), help))?;
            Ok((shown, PathBuf::from(path)))
        };
        self.image.iter().map(one).collect()
    }
    /// Files of all pictures that are asked for.
    pub fn pictures(&self) -> Input<Vec<PathBuf>> {
        let images = self.images()?.into_iter().map(|(_, path)| path);
        let heat = self.heat()?.map(|(_, path)| path);
        Ok(images.chain(self.png.clone()).chain(heat).collect())
    }
    /// Folder of the outputs of a scene of that name.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| Path::new("out").join(name))
    }
    /// The option of the trace that is asked for.
    pub fn traced(&self) -> Option<&'static str> {
        let given = [("vcd", self.vcd.is_some()), ("fst", self.fst.is_some()), ("perfetto", self.perfetto.is_some())];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
    /// What can be known to be wrong before anything is read: a trace that ends before it begins,
    /// an output that cannot be written, a `--compare` that is no setting.
    pub fn check(&self) -> Input<()> {
        self.check_window()?;
        if let Some(text) = self.compare.iter().find(|text| !text.contains('=')) {
            return bad(format!("--compare {text}: not KEY=VALUE"), "for example --compare units=1");
        }
        let (images, heat) = (self.images()?, self.heat()?);
        let given = [
            ("--vcd", &self.vcd),
            ("--fst", &self.fst),
            ("--perfetto", &self.perfetto),
            ("--png", &self.png),
            ("--funnel", &self.funnel),
            ("--report", &self.report),
        ];
        let mut outputs: Vec<(&str, &Path)> = vec![];
        outputs.extend(given.iter().filter_map(|(option, path)| Some((*option, path.as_deref()?))));
        outputs.extend(images.iter().map(|(_, path)| ("--image", path.as_path())));
        outputs.extend(heat.iter().map(|(_, path)| ("--heatmap", path.as_path())));
        let views: Vec<PathBuf> =
            [&self.vcd, &self.fst].into_iter().flatten().map(|waves| waves.with_extension("gtkw")).collect();
        outputs.extend(views.iter().map(|view| ("the view of the waves", view.as_path())));
        check_outputs(&outputs)?;
        outputs.iter().try_for_each(|(option, path)| refuse_input(option, path, &self.job))?;
        self.out.as_ref().map_or(Ok(()), |folder| check_folder("--out", folder))
    }
    /// The trace does not end before it begins.
    fn check_window(&self) -> Input<()> {
        if self.to.is_some_and(|to| to < self.from) {
            return bad("--to is before --from", "give the first and the last cycle of the trace in order");
        }
        Ok(())
    }
    /// A part of a trace is asked for.
    pub fn is_windowed(&self) -> bool {
        self.from > 0 || self.to.is_some() || !self.scope.is_empty()
    }
    pub fn report_file(&self) -> Option<&Path> {
        self.report.as_deref()
    }
}

/// Most megabytes of a trace.
const MOST_WAVES: u64 = 1 << 20;
