//! A frame: the model executes a command list, one triangle after the other, one quad after the
//! other. It knows no tiles, no bins and no order but that of submission.
//!
//! Programs run in slot 0 of unit 0, alone, four vertices or one quad at a time. What it can get
//! wrong is its reading of docs/graphics.md; another renderer draws the same scenes for that.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use quadlock_isa::abi::{LANES, WINDOW_WORDS};
use quadlock_isa::records::{command, draw as draw_command};

use crate::config::Fault;
use crate::frame_log::{FrameLog, LoggedCover, LoggedProgram, LoggedQuad, LoggedSample, LoggedTriangle};
use crate::graphics::primitive::{assemble, Cull, Primitive, Vertex};
use crate::graphics::records::{Pass, ProgramAt, State};
use crate::graphics::samples::Samples;
use crate::graphics::target::{Targets, Tested};
use crate::graphics::triangle::Triangle;
use crate::grid::{Launch, Tags, NO_MERGE_POINT};
use crate::model::Golden;
use crate::program::Program;
use crate::run::RunStats;

/// What a frame took and gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // Names of the report, explained on docs/report.md.
pub struct FrameStats {
    pub draws: u64,
    pub triangles: u64,
    pub culled_range: u64,
    pub culled_frustum: u64,
    pub culled_area: u64,
    pub culled_face: u64,
    pub clipped: u64,
    pub set_up: u64,
    /// Quads that are shaded; of samples that are shaded one by one each counts.
    pub quads: u64,
    /// Lanes of shaded quads that cover nothing at their start.
    pub helper_lanes: u64,
    /// Lanes of shaded quads that cover something at their start.
    pub fragments_shaded: u64,
    /// Samples whose colour, depth or stencil was written, or would have been but for its value.
    pub samples_written: u64,
    /// Vertices shaded, each once for a draw.
    pub vertices_shaded: u64,
    /// What all programs did.
    pub programs: RunStats,
}

/// Why a frame ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The message of each variant says what it and its fields mean.
pub enum FrameError {
    #[error("command list at {address:#010x}: {why}")]
    List { address: u32, why: String },
    #[error("{what} does not end within {limit} instructions; pc {pc}")]
    Endless { what: String, limit: u64, pc: u16 },
}

/// Programs of the context that is set.
const VERTEX: usize = 1;
const FRAGMENT: usize = 2;
/// Words of a constant window.
const WINDOW: usize = WINDOW_WORDS;

/// What is drawn with.
struct Context {
    state: Rc<State>,
    targets: Targets,
}

/// Indices of a draw.
struct Draw {
    count: u32,
    first: u32,
    instances: u32,
    base: u32,
    first_instance: u32,
    /// Byte address and bytes of an index; `None` counts up.
    indices: Option<(u32, u32)>,
    /// The index of all ones ends a strip.
    restart: bool,
}

impl Golden {
    /// Executes the command list at a byte address; a program may take `limit` warp instructions.
    ///
    /// # Errors
    /// The list or a record is malformed, or a program does not end.
    pub fn run_frame(&mut self, list: u32, limit: u64) -> Result<FrameStats, FrameError> {
        let mut frame = Frame {
            golden: self,
            limit,
            stats: FrameStats::default(),
            state: None,
            targets: None,
            log: None,
            covers: false,
        };
        frame.run(list)?;
        Ok(frame.stats)
    }

    /// The same, and all that a machine can be held to; with `covers` also what primitives cover.
    ///
    /// # Errors
    /// As [`Golden::run_frame`].
    pub fn log_frame(&mut self, list: u32, limit: u64, covers: bool) -> Result<(FrameStats, FrameLog), FrameError> {
        let log = Some(FrameLog::default());
        let (stats, state, targets) = (FrameStats::default(), None, None);
        let mut frame = Frame { golden: self, limit, stats, state, targets, log, covers };
        frame.run(list)?;
        Ok((frame.stats, frame.log.unwrap_or_default()))
    }
}

struct Frame<'g> {
    golden: &'g mut Golden,
    limit: u64,
    stats: FrameStats,
    state: Option<Rc<State>>,
    targets: Option<Targets>,
    log: Option<FrameLog>,
    /// What primitives cover is logged, too.
    covers: bool,
}

impl Frame<'_> {
    fn run(&mut self, list: u32) -> Result<(), FrameError> {
        let mut address = list;
        loop {
            let word = |golden: &Golden, n: u64| golden.memory.read32(address.wrapping_add(4 * n as u32));
            let fail = |why: String| FrameError::List { address, why };
            let (head, record) = (word(self.golden, command::HEAD), word(self.golden, command::RECORD_ADDRESS));
            let mut lines = 1;
            match command::CODE.of(head).into() {
                command::PASS => {
                    let mut pass = Pass::read(&self.golden.memory, record).map_err(fail)?;
                    self.forget_loads(&mut pass);
                    self.close();
                    self.targets = Some(Targets::open(pass, &self.golden.memory));
                }
                command::STATE => {
                    let mut state = State::read(&self.golden.memory, record).map_err(fail)?;
                    state.fault = self.golden.config.fault;
                    self.set_programs(&state).map_err(fail)?;
                    self.state = Some(Rc::new(state));
                }
                command::DRAW => {
                    lines = 2;
                    let w = |n| word(self.golden, n);
                    let bytes = if draw_command::WIDE_INDICES.is_set(head) { 4 } else { 2 };
                    let indices = draw_command::INDEXED.is_set(head);
                    let draw = Draw {
                        count: w(draw_command::COUNT),
                        first: w(draw_command::FIRST),
                        instances: w(draw_command::INSTANCES),
                        base: w(draw_command::BASE_VERTEX),
                        first_instance: w(draw_command::FIRST_INSTANCE),
                        indices: indices.then_some((w(draw_command::INDEX_ADDRESS), bytes)),
                        restart: draw_command::RESTART.is_set(head),
                    };
                    if draw.restart && (draw.indices.is_none() || !self.state.as_ref().is_some_and(|s| s.strip)) {
                        return Err(fail("strips restart, and this draw has none or no indices".into()));
                    }
                    let (Some(state), Some(targets)) = (self.state.clone(), self.targets.take()) else {
                        return Err(fail("a draw without pass or state".into()));
                    };
                    let mut context = Context { state, targets };
                    self.draw(&draw, &mut context)?;
                    self.targets = Some(context.targets);
                }
                command::WAIT => {}
                command::END_PASS => self.close(),
                command::END => {
                    self.close();
                    return Ok(());
                }
                n => return Err(fail(format!("command {n} does not exist"))),
            }
            address = address.wrapping_add(16 * lines);
        }
    }

    /// That bug is planted.
    fn has(&self, fault: Fault) -> bool {
        self.golden.config.fault == Some(fault)
    }

    /// Planted bugs of what a pass loads.
    fn forget_loads(&self, pass: &mut Pass) {
        if self.has(Fault::FrameLoad) {
            pass.targets.iter_mut().for_each(|t| t.load = false);
        }
        if self.has(Fault::FrameLoadDepth) {
            pass.depth.iter_mut().for_each(|d| d.load_depth = false);
        }
    }

    fn close(&mut self) {
        if let Some(targets) = self.targets.take() {
            targets.close(&mut self.golden.memory);
        }
    }

    fn set_programs(&mut self, state: &State) -> Result<(), String> {
        for (number, at) in [(VERTEX, state.vertex), (FRAGMENT, state.fragment)] {
            let none = number == FRAGMENT && !state.has_fragments();
            let mut program = if none { Program::new(vec![], &[], &self.golden.config) } else { self.program(at)? };
            let alone = state.alone.filter(|_| self.golden.config.merge && self.golden.config.merge_alone);
            if let (FRAGMENT, false, Some(alone)) = (number, none, alone) {
                if !(at.first..at.first + at.length).contains(&alone) {
                    return Err(format!("state record: instruction {alone} is not in the fragment program"));
                }
                program.alone = Some(alone as u16);
            }
            let part = state.position.filter(|_| number == VERTEX);
            if part.is_some_and(|part| !(at.first..at.first + at.length).contains(&part)) {
                return Err(format!("state record: instruction {part:?} is not in the vertex program"));
            }
            if let Some(log) = &mut self.log {
                let paired = program.alone.map(|_| state.cutoff);
                let (program, fragments) = (program.clone(), number == FRAGMENT);
                log.programs.push(LoggedProgram { program, fragments, paired, position: part.map(|part| part as u16) });
            }
            self.golden.set_program(number, program);
        }
        Ok(())
    }

    fn program(&self, at: ProgramAt) -> Result<Program, String> {
        let golden = &*self.golden;
        let last = at.first.checked_add(at.length).filter(|_| at.length > 0);
        let code = last.and_then(|last| golden.code().get(at.first as usize..last as usize));
        let (Some(code), Ok(first)) = (code, u16::try_from(at.first)) else {
            return Err(format!("state record: instructions {} to {:?} are not in the code", at.first, last));
        };
        let constants: Vec<u32> =
            (0..WINDOW as u32).map(|k| golden.memory.read32(at.constants.wrapping_add(4 * k))).collect();
        let mut program = Program::new(code.to_vec(), &constants, &golden.config);
        program.first = first;
        Ok(program)
    }

    fn draw(&mut self, draw: &Draw, context: &mut Context) -> Result<(), FrameError> {
        self.stats.draws += 1;
        // Lists of vertices: one, or the strips that the index of all ones separates.
        let mut lists = vec![vec![]];
        for n in 0..draw.count {
            match self.index(draw, n) {
                Some(index) => lists.last_mut().into_iter().for_each(|list| list.push(index)),
                None => lists.push(vec![]),
            }
        }
        for instance in 0..draw.instances {
            let first = if self.has(Fault::FrameInstance) { 0 } else { draw.first_instance };
            let instance = first.wrapping_add(instance);
            let shaded = self.vertices(&lists.concat(), instance)?;
            let mut before = 0;
            for list in &lists {
                let triangles = if context.state.strip { list.len().saturating_sub(2) } else { list.len() / 3 };
                for k in 0..triangles {
                    let odd = if self.has(Fault::RuleRestart) { (before + k) & 1 } else { k & 1 };
                    let turned = if self.has(Fault::FrameStrip) { 0 } else { odd };
                    let at = match (context.state.strip, turned) {
                        (false, _) => [3 * k, 3 * k + 1, 3 * k + 2],
                        (true, 0) => [k, k + 1, k + 2],
                        (true, _) if self.has(Fault::RuleStripOrder) => [k + 1, k, k + 2],
                        (true, _) => [k, k + 2, k + 1],
                    };
                    self.triangle(at.map(|n| &*shaded[&list[n]]), context)?;
                }
                before += triangles;
            }
        }
        Ok(())
    }

    /// Index `n` of a draw, with its base; `None` ends a strip.
    fn index(&self, draw: &Draw, n: u32) -> Option<u32> {
        let n = draw.first.wrapping_add(n);
        let base = if self.has(Fault::FrameBase) { 0 } else { draw.base };
        let Some((address, bytes)) = draw.indices else { return Some(n.wrapping_add(base)) };
        let at = address.wrapping_add(n.wrapping_mul(bytes));
        let word = self.golden.memory.read32(at & !3);
        let index = if bytes == 4 { word } else { word >> (8 * (at & 2)) & 0xFFFF };
        let ends = draw.restart && index == if bytes == 4 { u32::MAX } else { 0xFFFF };
        (!ends).then(|| index.wrapping_add(base))
    }

    /// The shaded vertices of one instance, by index.
    fn vertices(&mut self, indices: &[u32], instance: u32) -> Result<HashMap<u32, Rc<Vertex>>, FrameError> {
        let mut unique: Vec<u32> = indices.to_vec();
        unique.sort_unstable();
        unique.dedup();
        let mut shaded: HashMap<u32, Rc<Vertex>> = HashMap::new();
        let has_part = self.state.as_ref().is_some_and(|s| s.position.is_some());
        for four in unique.chunks(LANES) {
            let lane = |k: usize| four[k.min(four.len() - 1)];
            let tags = Tags {
                program: VERTEX,
                vertex: std::array::from_fn(lane),
                instance: [instance; LANES],
                ..Tags::default()
            };
            let mask = (1u8 << four.len()) - 1;
            self.shade(mask, tags)?;
            for (k, &index) in four.iter().enumerate() {
                let slot = self.golden.warp(0, 0);
                let words: Vertex = std::array::from_fn(|w| slot.output(w)[k]);
                if let Some(log) = self.log.as_mut().filter(|_| has_part) {
                    let state = log.programs.len() / 2 - 1;
                    log.positions.insert((state, instance, index), std::array::from_fn(|w| words[w]));
                }
                shaded.insert(index, Rc::new(words));
            }
            self.stats.vertices_shaded += four.len() as u64;
        }
        Ok(shaded)
    }

    /// Runs one warp to its end.
    fn shade(&mut self, mask: u8, tags: Tags) -> Result<(), FrameError> {
        let fragments = tags.fragments;
        // The model shades one quad after the other: none is a member of a pair.
        let program = &self.golden.programs[tags.program];
        let pc = program.alone.unwrap_or(program.first);
        let launch = Launch { mask, pc, warps_in_group: 1, graphics: Some(Box::new(tags)), ..Launch::default() };
        let launched = self.golden.launch(&launch);
        debug_assert_eq!(launched, Ok(()));
        let mut stats = RunStats { warps: 1, ..RunStats::default() };
        self.golden.run_warp(0, self.limit, &mut stats);
        self.stats.programs += stats;
        match self.golden.warp(0, 0).standing() {
            None => Ok(()),
            Some(pc) => {
                let what = if fragments { "a fragment program" } else { "a vertex program" }.to_owned();
                Err(FrameError::Endless { what, limit: self.limit, pc })
            }
        }
    }

    fn triangle(&mut self, vertices: [&Vertex; 3], context: &mut Context) -> Result<(), FrameError> {
        self.stats.triangles += 1;
        let assembled = assemble(vertices, &context.state);
        self.stats.clipped += u64::from(assembled.clipped);
        match assembled.culled {
            Some(Cull::Range) => self.stats.culled_range += 1,
            Some(Cull::Frustum) => self.stats.culled_frustum += 1,
            Some(Cull::Area) => self.stats.culled_area += 1,
            Some(Cull::Face) => self.stats.culled_face += 1,
            None => {}
        }
        if let Some(log) = &mut self.log {
            let (culled, clipped) = (assembled.culled, assembled.clipped);
            log.triangles.push(LoggedTriangle {
                culled,
                clipped,
                primitives: log.primitives.len()..log.primitives.len(),
            });
        }
        for primitive in assembled.primitives {
            self.stats.set_up += 1;
            if let Some(log) = &mut self.log {
                log.primitives.push(Arc::new(primitive.clone()));
                if let Some(last) = log.triangles.last_mut() {
                    last.primitives.end += 1;
                }
            }
            self.golden.set_primitive(0, primitive);
            self.rasterise(context)?;
        }
        Ok(())
    }

    /// Every quad of the primitive in place 0.
    fn rasterise(&mut self, context: &mut Context) -> Result<(), FrameError> {
        let Some(p) = self.golden.primitive(0) else { return Ok(()) };
        let pass = context.targets.pass();
        let [left, top, right, bottom] = context.state.scissor;
        let right = right + u32::from(self.has(Fault::FrameScissor));
        let edge = [right.min(pass.width), bottom.min(pass.height)];
        let bounds = p.triangle.bounds().map(|b| b.div_euclid(256));
        let least = |bound: i64, limit: u32| bound.max(i64::from(limit)) as u32;
        let most = |bound: i64, limit: u32| (bound + 1).clamp(0, i64::from(limit)) as u32;
        let (x0, x1) = (least(bounds[0], left), most(bounds[1], edge[0]));
        let (y0, y1) = (least(bounds[2], top), most(bounds[3], edge[1]));
        let area = [x0, y0, x1, y1];
        for y in (y0 & !1..y1).step_by(2) {
            for x in (x0 & !1..x1).step_by(2) {
                self.quad((x, y), area, context)?;
            }
        }
        Ok(())
    }

    fn quad(&mut self, quad: (u32, u32), area: [u32; 4], context: &mut Context) -> Result<(), FrameError> {
        let samples = context.targets.pass().samples;
        let count = samples.places().len();
        let Some(p) = self.golden.primitive(0) else { return Ok(()) };
        let front = p.front;
        let pixel = |lane: usize| (quad.0 + (lane as u32 & 1), quad.1 + (lane as u32 >> 1));
        let mut coverage = [0u32; LANES];
        let mut depth = [[0u32; LANES]; 4];
        for lane in 0..LANES {
            let (x, y) = pixel(lane);
            if x < area[0] || x >= area[2] || y < area[1] || y >= area[3] {
                continue;
            }
            for (s, depth) in depth.iter_mut().enumerate().take(count) {
                let pixel = (i64::from(x), i64::from(y));
                let place = self.sample_place(samples, pixel, s);
                let taken = context.state.sample_mask >> s & 1 == 1 || self.has(Fault::FrameSampleMask);
                if taken && self.covers(&p.triangle, place) {
                    coverage[lane] |= 1 << s;
                    let centre = Samples::One.at(pixel, 0);
                    depth[lane] = p.triangle.depth(if self.has(Fault::RuleDepthCentre) { centre } else { place });
                }
            }
        }
        if coverage == [0; LANES] {
            return Ok(());
        }
        if self.covers {
            self.log_covers(quad, coverage, &depth, context);
        }
        if context.state.early {
            for (lane, covered) in coverage.iter_mut().enumerate() {
                for s in (0..count).filter(|s| *covered >> s & 1 == 1).collect::<Vec<_>>() {
                    let (x, y) = pixel(lane);
                    let tested = context.targets.test(&context.state, front, (x, y, s), depth[s][lane]);
                    mark(&mut self.log, quad, tested);
                    if !tested.passes {
                        *covered &= !(1 << s);
                    }
                }
            }
            if coverage == [0; LANES] {
                return Ok(());
            }
        }
        if context.state.per_sample {
            for s in 0..count {
                let one = coverage.map(|c| c & 1 << s);
                if one != [0; LANES] {
                    self.fragments(quad, one, Some(s), &depth, context)?;
                }
            }
            return Ok(());
        }
        self.fragments(quad, coverage, None, &depth, context)
    }

    /// Where a sample is.
    fn sample_place(&self, samples: Samples, pixel: (i64, i64), sample: usize) -> (i64, i64) {
        let (x, y) = samples.at(pixel, sample);
        if self.has(Fault::RuleSamplePlaces) {
            let (left, top) = (256 * pixel.0, 256 * pixel.1);
            return (left + y - top, top + x - left);
        }
        (x, y)
    }

    fn covers(&self, triangle: &Triangle, place: (i64, i64)) -> bool {
        let on_edge = || triangle.edges(place).iter().all(|&e| e >= 0);
        triangle.covers(place) || self.has(Fault::RuleTopLeft) && on_edge()
    }

    /// What is covered of a quad, before its tests.
    fn log_covers(&mut self, quad: (u32, u32), coverage: [u32; LANES], depth: &[[u32; LANES]; 4], context: &Context) {
        let Some(log) = &mut self.log else { return };
        let (triangle, primitive) = ((log.triangles.len() - 1) as u32, (log.primitives.len() - 1) as u32);
        for (lane, covered) in coverage.into_iter().enumerate() {
            let (x, y) = (quad.0 + (lane as u32 & 1), quad.1 + (lane as u32 >> 1));
            for s in (0..4).filter(|s| covered >> s & 1 == 1) {
                let z = depth[s][lane];
                let passes = context.targets.depth_passes(&context.state, (x, y, s), z);
                let (x, y, sample) = (x as u16, y as u16, s as u8);
                log.covers.push(LoggedCover { triangle, primitive, x, y, sample, passes, depth: z });
            }
        }
    }

    /// Shades a quad, or one sample of it, and writes what is left.
    fn fragments(
        &mut self,
        quad: (u32, u32),
        coverage: [u32; LANES],
        sample: Option<usize>,
        depth: &[[u32; LANES]; 4],
        context: &mut Context,
    ) -> Result<(), FrameError> {
        let samples = context.targets.pass().samples;
        let Some(p) = self.golden.primitive(0) else { return Ok(()) };
        let front = p.front;
        let x: [u32; LANES] = std::array::from_fn(|lane| quad.0 + (lane as u32 & 1));
        let y: [u32; LANES] = std::array::from_fn(|lane| quad.1 + (lane as u32 >> 1));
        let centre = |lane: usize| {
            let pixel = (i64::from(x[lane]), i64::from(y[lane]));
            let place = sample.map_or(Samples::One.at(pixel, 0), |s| samples.at(pixel, s));
            p.triangle.depth(place)
        };
        let own = self.golden.programs[FRAGMENT].alone.is_some();
        let tags = Tags {
            program: FRAGMENT,
            fragments: true,
            x,
            y,
            samples,
            sample: [sample.unwrap_or(0) as u32; LANES],
            coverage,
            facing: [u32::from(front != self.has(Fault::FrameFacing)); LANES],
            depth: std::array::from_fn(centre),
            cutoff: if own { NO_MERGE_POINT } else { context.state.cutoff },
            bitmap: context.state.bitmap,
            splits: context.state.splits,
            apart: context.state.apart,
            events: context.state.events,
            ..Tags::default()
        };
        let runs = context.state.has_fragments();
        if !runs && self.has(Fault::FrameBypass) {
            return Ok(());
        }
        if runs {
            let shaded = coverage.iter().filter(|c| **c != 0).count() as u64;
            self.stats.quads += 1;
            self.stats.fragments_shaded += shaded;
            self.stats.helper_lanes += LANES as u64 - shaded;
        }
        if let Some(log) = &mut self.log {
            let (primitive, first) = (log.primitives.len() - 1, log.samples.len());
            let triangle = log.triangles.len() - 1;
            let program = log.programs.len() - 1;
            let targets = context.targets.pass().targets.len();
            let (tags, samples) = (tags.clone(), first..first);
            log.quads.push(LoggedQuad { triangle, primitive, program, targets, tags, samples });
        }
        if runs {
            self.shade(15, tags)?;
        }
        let slot = self.golden.warp(0, 0);
        let fault = self.golden.config.fault;
        let left = if !runs || fault == Some(Fault::FrameDiscard) { 15 } else { slot.covered() };
        let writes_depth = context.state.writes_depth && fault != Some(Fault::FrameDepth);
        for lane in (0..LANES).filter(|&l| left >> l & 1 == 1) {
            // Without a program the words are 0.
            let words: [u32; 8] = std::array::from_fn(|w| if runs { slot.output(w)[lane] } else { 0 });
            let mut covered = coverage[lane];
            if context.state.writes_mask && fault != Some(Fault::FrameMask) {
                covered &= slot.output(9)[lane];
            }
            for s in (0..samples.places().len()).filter(|s| covered >> s & 1 == 1) {
                let place = (x[lane], y[lane], s);
                if let Some(log) = &mut self.log {
                    let z = if writes_depth { slot.output(8)[lane] & 0xFF_FFFF } else { depth[s][lane] };
                    log.samples.push(LoggedSample { lane, sample: s, depth: z, words, lost: false });
                    if let Some(quad) = log.quads.last_mut() {
                        quad.samples.end += 1;
                    }
                }
                if !context.state.early && fault != Some(Fault::FrameLate) {
                    let z = if writes_depth { slot.output(8)[lane] } else { depth[s][lane] };
                    let tested = context.targets.test(&context.state, front, place, z & 0xFF_FFFF);
                    mark(&mut self.log, quad, tested);
                    if !tested.passes {
                        if let Some(last) = self.log.as_mut().and_then(|log| log.samples.last_mut()) {
                            last.lost = true;
                        }
                        continue;
                    }
                }
                context.targets.write(&context.state, place, &words);
                if fault == Some(Fault::FrameTwice) {
                    context.targets.write(&context.state, place, &words);
                }
                self.stats.samples_written += 1;
            }
        }
        Ok(())
    }
}

/// A sample of a quad is tested: it may fail, and change the stencil.
fn mark(log: &mut Option<FrameLog>, quad: (u32, u32), tested: Tested) {
    if let Some(log) = log.as_mut().filter(|_| tested.written && !tested.passes) {
        log.marked.insert((log.triangles.len() - 1, (quad.0 / 2, quad.1 / 2)));
    }
}

impl Golden {
    /// Gives a program its number; 0 is the compute program.
    pub(crate) fn set_program(&mut self, number: usize, program: Program) {
        while self.programs.len() <= number {
            self.programs.push(Program::new(vec![], &[], &self.config));
        }
        self.programs[number] = program;
    }

    /// Gives a program of a logged frame its number.
    pub fn set_logged_program(&mut self, number: usize, program: &LoggedProgram) {
        self.set_program(number, program.program.clone());
    }

    /// Puts a logged triangle at a handle.
    pub fn set_shared_primitive(&mut self, handle: usize, primitive: &Primitive) {
        self.set_primitive(handle, primitive.clone());
    }

    /// Puts a triangle at a handle.
    pub fn set_primitive(&mut self, handle: usize, primitive: Primitive) {
        if self.primitives.len() <= handle {
            self.primitives.resize(handle + 1, None);
        }
        self.primitives[handle] = Some(Box::new(primitive));
    }

    /// The triangle at a handle.
    pub fn primitive(&self, handle: usize) -> Option<&Primitive> {
        self.primitives.get(handle)?.as_deref()
    }
}
