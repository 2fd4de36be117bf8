//! A scene on the RTL, alone or in lockstep with the model, and what the event ports add up to.
//!
//! The model draws the frame first, by itself and in order; its log and its memory are what the
//! machine is held to. Wrong would be a count that is taken from the model instead of the machine.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use quadlock_golden::{Config, Golden, Memory};
use quadlock_hdl::config::{GpuConfig, PublicRegisters};
use quadlock_hdl::presets::{self, Preset};
use quadlock_shader::interface::needs_function_unit;

use super::layout::Frame;
use super::run::{self, out_of_range, Drawn, NotStarted, LIMIT};
use super::weave::Points;
use crate::base::error::{bad, Input, InputError};
use crate::engine::Engine;
use crate::job::program::set_skip;
use crate::job::CoreSpec;
use crate::lockstep::replay::Checkpoint;
use crate::lockstep::submitted::Submitted;
use crate::lockstep::{self, End, Observer, Options};
use crate::machine::launch::{FrameLaunch, Launch};
use crate::machine::layout::BASE;
use crate::machine::limits::Limits;
use crate::machine::memory::Image;
use crate::machine::ports::own_lanes;
use crate::report::Report;
use crate::scene::accounts::account::Account;
use crate::scene::accounts::ahead::{AheadCounts, CULL};
use crate::scene::accounts::culls::{visible_samples, CullFigures, Culls};
use crate::scene::accounts::funnel;
use crate::scene::accounts::heat::{Heat, HeatKind};
use crate::scene::accounts::ideal::pairs::most_pairs_of_draws;
use crate::scene::accounts::ideal::IdealFigures;
use crate::scene::accounts::merging::{MergeFigures, Merging};
use crate::scene::accounts::occupancy::Occupancy;
use crate::scene::accounts::report::{SceneReport, Triangles};
use crate::scene::accounts::splitting::Splitting;
use crate::scene::accounts::visits::Visits;
use crate::scene::Scene;
use crate::simulate::AnyFault;

/// Cycles in which nothing may happen, with room: a machine that works shows an event every few
/// thousand (docs/graphics-blocks.md, "Progress").
const SILENT_CYCLES: u64 = 100_000;

/// Side of the groups of pixels in which culls are counted.
const GROUP: u32 = 8;

/// Kind of a vertex warp at the launch port.
const VERTEX: u8 = 1;

/// What became of a triangle with a position out of range, in its event.
const OUT_OF_RANGE: u8 = 1;

/// What `[machine]` of a scene says.
pub(super) struct Machine {
    pub(super) config: GpuConfig,
    /// A planted bug of the model or of the compiler; that of the RTL is in `config`.
    fault: Option<AnyFault>,
    /// Merge and split points at random places, for tests ([`super::weave`]).
    pub(super) points: Option<Points>,
}

impl Scene {
    /// Reads `[machine]`.
    ///
    /// # Errors
    /// A key that does not exist, or a value out of its range.
    pub(super) fn machine(&self) -> Input<Machine> {
        let mut breaks = false;
        let mut machine =
            Machine { config: GpuConfig { graphics: true, ..GpuConfig::default() }, fault: None, points: None };
        let fail = |key: &str, why: String| Err(self.wrong("machine", key, why));
        // The other keys change it, wherever it stands.
        if let Some(preset) = self.preset()? {
            preset.apply(&mut machine.config).map_err(|e| self.wrong("machine", "preset", e))?;
        }
        for (key, value) in self.spec.machine.iter().filter(|(key, _)| *key != "preset") {
            let text = match value {
                toml::Value::Boolean(on) => if *on { "on" } else { "off" }.to_owned(),
                toml::Value::String(word) => word.clone(),
                other => other.to_string(),
            };
            if key == "fault" {
                match text.parse::<AnyFault>() {
                    Ok(AnyFault::Rtl(fault)) => machine.config.fault = Some(fault),
                    Ok(fault) => machine.fault = Some(fault),
                    Err(e) => return fail(key, e),
                }
                continue;
            }
            if key == "core" {
                match value.clone().try_into::<Vec<CoreSpec>>() {
                    Ok(cores) => machine.config.differing = cores.iter().map(CoreSpec::entry).collect(),
                    Err(e) => return fail(key, format!("{}: write [[machine.core]]", e.message())),
                }
                continue;
            }
            if key == "points" {
                let Ok(seed) = text.parse() else {
                    return fail(key, format!("`{text}` is no seed: write a whole number from 0 up"));
                };
                machine.points = Some(Points { seed, ..Points::default() });
                continue;
            }
            if key == "breaks" {
                let Some(on) = value.as_bool() else {
                    return fail(key, format!("`{text}` is neither true nor false"));
                };
                breaks = on;
                continue;
            }
            if let Err(e) = machine.config.set(key, &text) {
                return fail(key, e.to_string());
            }
        }
        match &mut machine.points {
            Some(points) => {
                points.breaks = breaks;
                points.public = machine.config.public_registers;
                points.form = machine.config.event_form;
                points.private = machine.config.merge_private;
            }
            None if breaks => return fail("breaks", "rules are broken at points: write points = SEED, too".into()),
            None => {}
        }
        if machine.points.is_some() && machine.config.public_registers == PublicRegisters::Half {
            return fail("points", "they have cutoffs of their own, which public-registers = half has not".into());
        }
        match machine.config.check() {
            Ok(()) => Ok(machine),
            // It begins with the key that is out of its range.
            Err(e) => match e.split(' ').next().filter(|key| self.spec.machine.contains_key(*key)) {
                Some(key) => {
                    let help = "see [machine] in docs/jobs.md";
                    Err(self.error(self.place_of("machine", key), format!("machine.{e}"), help))
                }
                None => fail("*", e),
            },
        }
    }

    /// The preset that `[machine]` names.
    fn preset(&self) -> Input<Option<&'static Preset>> {
        let Some(value) = self.spec.machine.get("preset") else { return Ok(None) };
        let found = match value {
            toml::Value::String(name) => presets::by_name(name),
            other => Err(format!("preset = {other}: not a name in quotes")),
        };
        found.map(Some).map_err(|e| self.error(self.place_of("machine", "preset"), e, presets::help()))
    }

    /// What a key of a table may not be; with the key `*` what its keys may not be together.
    fn wrong(&self, table: &str, key: &str, why: String) -> Box<InputError> {
        let at = self.place_of(table, key);
        let name = if key == "*" { table.to_owned() } else { format!("{table}.{key}") };
        self.error(at, format!("{name}: {why}"), format!("see [{table}] in docs/jobs.md"))
    }

    /// Where a table gives a key, in the table or by the key's path.
    fn place_of(&self, table: &str, key: &str) -> Range<usize> {
        let at = self.key(&format!("[{table}]"), key);
        if at.is_empty() {
            self.key("", &format!("{table}.{key}"))
        } else {
            at
        }
    }

    /// The machine and the memory of the scene.
    ///
    /// # Errors
    /// A key of `[machine]` that does not exist, or a value out of its range.
    pub fn options(&self, model: bool, seed: Option<u64>) -> Input<Options> {
        let Machine { config, fault, .. } = self.machine()?;
        let model_fault = fault.and_then(|f| if let AnyFault::Model(f) = f { Some(f) } else { None });
        let fail = |key: &str, why: String| Err(self.wrong("machine", key, why));
        if !config.trace {
            return fail("trace", "off: a scene is followed by its event ports".into());
        }
        let off_by_preset = self.preset()?.filter(|_| !self.spec.machine.contains_key("graphics"));
        if let Some(preset) = off_by_preset.filter(|_| !config.graphics) {
            let message = format!("the preset `{}` has no graphics, so its machine draws nothing", preset.name);
            let help = "choose another preset, for example graphics or full, or set graphics = true in [machine]";
            return Err(self.error(self.place_of("machine", "preset"), message, help));
        }
        if !config.graphics {
            return fail("graphics", "off: a machine without graphics draws nothing".into());
        }
        self.check_pass_limits(&config)?;
        let mut memory = self.spec.memory;
        memory.seed = seed.unwrap_or(memory.seed);
        let limits = self.limits(&config);
        memory.check().map_err(|e| self.wrong("memory", "*", e))?;
        limits.check().map_err(|e| self.wrong("limits", "*", e))?;
        Ok(Options { config, memory, limits, model, model_fault })
    }

    /// The machine is built for the samples of the scene, and for the targets of each of its
    /// passes.
    fn check_pass_limits(&self, config: &GpuConfig) -> Input<()> {
        let target = &self.spec.target;
        let fail = |at: Range<usize>, what: String, key: &str, most: usize| {
            let help = format!("set {key} = 4 in [machine], choose another preset, or draw with {most}");
            Err(self.error(at, format!("{what}, on a machine with {key} = {most}"), help))
        };
        if target.samples as usize > config.max_samples {
            let what = format!("{} samples", target.samples);
            return fail(self.place_of("target", "samples"), what, "max-samples", config.max_samples);
        }
        let passes = self.spec.pass.iter().map(|pass| {
            let count = pass.get_ref().targets.as_ref().map_or(target.formats.len(), Vec::len);
            (count, self.key_of(pass.span(), "targets"))
        });
        let whole = self.spec.pass.is_empty().then_some((target.formats.len(), 0..0));
        for (count, at) in passes.chain(whole) {
            if count > config.max_targets {
                let at = if at.is_empty() { self.place_of("target", "formats") } else { at };
                return fail(at, format!("{count} colour targets"), "max-targets", config.max_targets);
            }
        }
        Ok(())
    }

    /// When a run is given up. Without `idle` it is much longer than a machine that works shows
    /// nothing, however slow the memory.
    fn limits(&self, config: &GpuConfig) -> Limits {
        let memory = &self.spec.memory;
        let answer = (memory.latency + memory.jitter) * 100 / (100 - memory.stall.min(95));
        let slots = config.total_slots() as u64;
        let idle = SILENT_CYCLES + slots * u64::from(answer) * 16;
        Limits { cycles: self.spec.limits.cycles, idle: self.spec.limits.idle.unwrap_or(idle) }
    }

    /// What the programs are compiled with: a bug may be planted in the compiler.
    ///
    /// # Errors
    /// As [`Self::options`].
    pub fn compiler(&self) -> Input<quadlock_shader::Options> {
        let Machine { config, fault, points } = self.machine()?;
        let fault = fault.and_then(|f| if let AnyFault::Compiler(f) = f { Some(f) } else { None });
        // Points at random places come later, and in a program without others.
        let free = points.is_none();
        let mut options = quadlock_shader::Options {
            fault,
            merge: config.merges() && free,
            split: config.splits() && free,
            merge_split: config.twins() && free,
            // Two instructions are a line. Two programs that the cache cannot hold would cost more
            // than one.
            alone: if config.merge_alone { 2 * config.icache_lines } else { 0 },
            public_registers: config.public_registers,
            event_form: config.event_form,
            merge_private: config.merge_private,
            merge_helpers_end: config.merge_helpers_end,
            position: config.culls(),
            exact: self.spec.exact,
            ..Default::default()
        };
        if let Some(skip) = &self.spec.skip {
            set_skip(&mut options, skip.get_ref()).map_err(|e| self.place(skip.span(), *e))?;
        }
        Ok(options)
    }
}

impl Frame {
    /// Words outside of the targets' pixels: byte addresses, ascending.
    fn undefined(&self) -> Vec<u32> {
        let rows = self.height.div_ceil(2);
        let mut out = vec![];
        for &(address, planes) in &self.planes {
            let quads = (0..planes * rows).flat_map(|line| (0..self.row).map(move |x| (line, x)));
            for (line, x) in quads {
                let y = line % rows;
                for lane in 0..4 {
                    if 2 * x + (lane & 1) >= self.width || 2 * y + (lane >> 1) >= self.height {
                        out.push(address + 16 * (line * self.row + x) + 4 * lane);
                    }
                }
            }
        }
        out.sort_unstable();
        out
    }

    /// Binary logarithm of the side of a tile in pixels, of the first pass: the first command of a
    /// list opens one.
    fn tile_side(&self) -> u32 {
        let word = |address: u32| {
            let at = address.checked_sub(BASE)? as usize;
            Some(u32::from_le_bytes(self.bytes.get(at..at + 4)?.try_into().ok()?))
        };
        let record = word(self.list + 4).and_then(|pass| word(pass + 4));
        record.map_or(5, |flags| flags >> 4 & 15)
    }

    /// Byte addresses of all planes of the targets.
    fn drawn(&self) -> Vec<Range<u32>> {
        let plane = 16 * self.row * self.height.div_ceil(2);
        self.planes.iter().map(|&(address, planes)| address..address + plane * planes).collect()
    }

    /// What the machine is started with. If the model finds a program without an end, the machine
    /// is not started: then it is the run's end.
    ///
    /// # Errors
    /// The model cannot draw the frame.
    pub fn start(&self, name: &str, path: &Path, options: &Options) -> Input<Result<Launch, Box<Drawn>>> {
        match self.launch(name, options) {
            Ok(launch) => Ok(Ok(launch)),
            Err(NotStarted::Endless(problem)) => Ok(Err(Box::new(run::endless(name, self, problem)))),
            Err(NotStarted::Model(e)) => bad(format!("{}: {e}", path.display()), "correct the scene"),
        }
    }

    /// What the machine is started with; with the model's log if there is a model.
    ///
    /// # Errors
    /// The model cannot draw the frame.
    pub fn launch(&self, name: &str, options: &Options) -> Result<Launch, NotStarted> {
        let config = &options.config;
        let lacks = !config.function_unit || config.differing.values().any(|core| core.function_unit == Some(false));
        if lacks && needs_function_unit(&self.code) {
            let why = "a program divides or needs a root or a table, and function-unit = off leaves out what does";
            return Err(NotStarted::Model(why.into()));
        }
        let mut launch = Launch::bare(name, self.code.clone(), 16 + 8 * self.code.len() as u32);
        launch.code_base = self.code_address;
        launch.image = Image { base: BASE, bytes: self.bytes.clone() };
        launch.functions = true;
        launch.constants_given = self.constants_given();
        launch.warnings.clone_from(&self.warnings);
        launch.lines = (0..self.code.len()).map(|pc| self.position(pc as u16)).collect();
        let mut frame = FrameLaunch {
            list: self.list,
            log: None,
            instructions: None,
            after: vec![],
            undefined: self.undefined(),
            drawn: self.drawn(),
            scratch: self.scratch.clone(),
            ahead: options.config.ahead(),
        };
        if options.model {
            let mut bytes = vec![0; BASE as usize];
            bytes.extend_from_slice(&self.bytes);
            let config = Config {
                units: 1,
                graphics: true,
                merge: config.merges(),
                public_registers: config.public_registers,
                event_form: config.event_form,
                merge_private: config.merge_private,
                merge_helpers_end: config.merge_helpers_end,
                fault: options.model_fault,
                ..Config::default()
            };
            let mut golden = Golden::new(config, self.code.clone(), vec![], Memory::from_bytes(bytes));
            let (stats, log) =
                golden.log_frame(self.list, LIMIT, options.config.cullers() > 0).map_err(|e| self.not_started(&e))?;
            frame.log = Some(Arc::new(log));
            frame.instructions = Some(stats.programs.warp_instructions);
            frame.after = golden.into_memory().into_bytes();
        }
        launch.frame = Some(Arc::new(frame));
        Ok(launch)
    }
}

/// What the event ports add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    vertices: u64,
    triangles: Triangles,
    quads: u64,
    helpers: u64,
    fragments: u64,
    samples: u64,
    reloads: u64,
    tiles: u64,
    states: u64,
    /// Pieces of the triangle that is being told of are set up.
    piece: bool,
}

/// Counts, and passes everything on.
struct Counting<'a> {
    counts: Counts,
    heat: Heat,
    occupancy: Occupancy,
    account: Account,
    merging: Merging,
    splitting: Splitting,
    culls: Culls,
    visits: Visits,
    ahead: AheadCounts,
    next: &'a mut dyn Observer,
}

impl Observer for Counting<'_> {
    fn cycle(&mut self, cycle: u64, engine: &mut dyn Engine) {
        let (events, counts) = (&engine.outputs().graphics, &mut self.counts);
        if let Some(t) = &events.triangle {
            counts.triangles.drawn += u64::from(t.last);
            counts.triangles.clipped += u64::from(t.last && t.clipped);
            counts.triangles.set_up += u64::from(matches!(t.what, 0 | 5));
            counts.piece |= matches!(t.what, 0 | 5);
            counts.triangles.range += u64::from(t.what == OUT_OF_RANGE);
            if t.last {
                counts.triangles.culled += u64::from(!std::mem::take(&mut counts.piece));
            }
        }
        match &events.launch {
            Some(l) if l.kind == VERTEX => counts.vertices += u64::from(l.mask.count_ones()),
            Some(l) if l.kind == CULL => {}
            Some(l) => {
                counts.quads += 1;
                let covered = u64::from(own_lanes(l).count_ones());
                counts.fragments += covered;
                counts.helpers += 4 - covered;
            }
            None => {}
        }
        if let Some(c) = events.commit.as_ref().filter(|c| c.target == 0) {
            counts.samples += u64::from(c.coverage.count_ones());
        }
        if let Some(t) = &events.tile {
            counts.tiles += u64::from(t.written);
            counts.reloads += u64::from(t.reloaded);
        }
        counts.states += u64::from(events.state.is_some());
        self.heat.cycle(engine.outputs());
        self.occupancy.cycle(cycle, engine.outputs());
        self.account.cycle(engine.outputs());
        self.merging.cycle(cycle, engine.outputs());
        self.splitting.cycle(cycle, engine.outputs());
        self.culls.cycle(&engine.outputs().graphics);
        self.visits.cycle(&engine.outputs().graphics);
        self.ahead.cycle(&engine.outputs().graphics);
        self.next.cycle(cycle, engine);
    }

    fn tail(&self) -> u64 {
        self.next.tail()
    }
}

/// Draws on the RTL what `frame` is launched as, with the model beside it if `options.model`. If it
/// fails, also the state to go back to.
pub fn on_rtl<'a>(
    engine: &mut dyn Engine,
    frame: &Frame,
    launch: &'a Launch,
    options: &'a Options,
    observer: &mut dyn Observer,
) -> (Drawn, Option<Checkpoint<'a>>) {
    on_rtl_with(engine, frame, launch, options, HeatKind::Quads, observer)
}

/// The same, with what the heat map counts.
pub fn on_rtl_with<'a>(
    engine: &mut dyn Engine,
    frame: &Frame,
    launch: &'a Launch,
    options: &'a Options,
    heat: HeatKind,
    observer: &mut dyn Observer,
) -> (Drawn, Option<Checkpoint<'a>>) {
    let list = Submitted::read(&launch.image, frame.list);
    let mut counting = Counting {
        counts: Counts::default(),
        heat: Heat::new(frame.width, frame.height, heat).with_list(list.clone()),
        occupancy: Occupancy::default(),
        account: Account::default(),
        merging: Merging::new(&options.config, frame.tile_side()).with_programs(&frame.binaries),
        splitting: Splitting::default(),
        culls: Culls::default(),
        visits: Visits::default(),
        ahead: AheadCounts::default(),
        next: observer,
    };
    let (result, checkpoint) = lockstep::run_kept(engine, launch, options, &mut counting);
    let Counting { counts, mut heat, occupancy, account, merging, splitting, culls, visits, ahead, .. } = counting;
    let (fragment_cycles, fragment_issues) = occupancy.figures();
    let mut run = Report::of_run(launch, options.model, &result);
    // A frame is no grid: it has no work groups, and its programs run as often as its draws want.
    (run.groups, run.dispatches) = (0, 0);
    run.link.clone_from(&frame.link);
    run.warnings.splice(0..0, launch.warnings.iter().cloned().chain(out_of_range(counts.triangles.range)));
    let log = launch.frame.as_ref().and_then(|frame| Some((frame.log.clone()?, list)));
    let culled = log.as_ref().filter(|_| options.config.hides()).map(|(log, list)| {
        let unseen = visits.unseen(log, list);
        if heat.kind() == HeatKind::Culls {
            culls.squares(log, list, &unseen).into_iter().for_each(|first| heat.square(first, GROUP));
        }
        CullFigures { update: options.config.hi_z_update.name(), ..culls.figures(log, list, &unseen) }
    });
    let ideal_pairs = log
        .as_ref()
        .filter(|_| options.config.merges())
        .map(|(log, list)| most_pairs_of_draws(&options.config, log, list));
    let visible = log.as_ref().map(|(log, list)| visible_samples(log, list));
    let mut bytes = vec![0; BASE as usize];
    bytes.extend_from_slice(&result.image.bytes);
    let drawn = Drawn {
        report: SceneReport {
            draws: counts.states,
            vertices_shaded: counts.vertices,
            triangles: counts.triangles,
            quads: counts.quads,
            helper_lanes: counts.helpers,
            fragments_shaded: counts.fragments,
            samples_written: counts.samples,
            tile_reloads: Some(counts.reloads),
            tiles_written: Some(counts.tiles),
            tile_visits: log
                .as_ref()
                .filter(|_| matches!(result.end, End::Finished))
                .and_then(|(log, list)| visits.figures(log, list, options.config.tbimr)),
            windows: options.config.sorts().then(|| visits.windows()),
            fragment_cycles: Some(fragment_cycles),
            fragment_issues: Some(fragment_issues),
            account: Some(account.figures()),
            merge: Some(MergeFigures { pairs_ideal: ideal_pairs, ..merging.figures() }),
            culls: culled,
            ideal: culled.map(|culls| IdealFigures { pairs: ideal_pairs, ..culls.ideal }),
            visible_samples: visible,
            funnel: culled.zip(visible).map(|(culls, visible)| funnel::stages(&culls, counts.fragments, visible)),
            cull_pipeline: frame
                .bypassed
                .clone()
                .map(|b| ahead.figures(&Submitted::read(&launch.image, frame.list), b)),
            split: options.config.splits().then(|| splitting.figures()),
            bytes: Some(result.counters.graphics_bytes()),
            png: None,
            heatmap: None,
            run,
        },
        memory: Memory::from_bytes(bytes),
        heat,
    };
    (drawn, checkpoint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The machine of a scene whose file ends so, with these settings.
    fn machine(file: &str, small: bool, sets: &[&str]) -> GpuConfig {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("scene.toml");
        let scene = "name = \"s\"\ntarget = { width = 8, height = 8 }\n";
        std::fs::write(&path, format!("{scene}{file}")).unwrap();
        let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
        let scene = Scene::read(&path, small, &sets).unwrap_or_else(|e| panic!("{e}"));
        scene.options(false, None).unwrap_or_else(|e| panic!("{e}")).config
    }

    #[test]
    fn keys_of_a_scene_win_over_presets_and_settings_over_the_file() {
        let shape = |file: &str, sets: &[&str]| {
            let config = machine(file, false, sets);
            (config.units, config.warps, config.merges())
        };
        assert_eq!(shape("", &[]), (2, 8, false), "the default of scenes");
        assert_eq!(shape("[machine]\npreset = \"graphics\"", &[]), (1, 4, false), "the file's preset");
        assert_eq!(shape("machine.preset = \"graphics\"", &["preset=full"]), (2, 8, true), "that of --set replaces it");
        // A key before `preset` in the alphabet, and one behind it.
        let keys = "[machine]\nmerge = false\npreset = \"full\"\nwarps = 16";
        assert_eq!(shape(keys, &[]), (2, 16, false), "the file's keys win over its preset");
        assert_eq!(shape(keys, &["machine.preset=graphics"]), (1, 16, false), "and over that of --set");
        assert_eq!(shape(keys, &["merge=on", "preset=graphics", "units=3"]), (3, 16, true), "--set wins over all");
        assert_eq!(shape("", &["preset=full", "preset=graphics"]), (1, 4, false), "the last preset counts");
        assert!(machine("machine.graphics = true", false, &["preset=small"]).graphics);
        let small = "[machine]\npreset = \"full\"\n[small]\nmachine.preset = \"graphics\"";
        assert_eq!(machine(small, true, &[]).warps, 4);
    }
}
