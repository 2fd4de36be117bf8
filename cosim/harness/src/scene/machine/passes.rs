//! The passes of a scene: which targets each has, what it loads and stores, its draws, and its
//! record (docs/graphics.md). A file with `[[draw]]`s and no `[[pass]]` has one pass that clears
//! and stores all.
//!
//! A target that a pass discards holds anything afterwards, until a pass that clears and stores
//! it. Who would load or show it is refused here; wrong would be to forget a target, and machine
//! and model would differ in what nobody defines.

use std::ops::Range;

use quadlock_isa::records::pass;
use toml::Spanned;

use super::records::colour;
use crate::base::error::{bad, Input};
use crate::scene::file::spec::{DrawSpec, FormatName, Load, PassSpec, Store};
use crate::scene::Scene;

/// Words of a tile buffer's memories.
const TILE_WORDS: u32 = 1024;
/// Most tiles in each of the two banks of them.
const MOST_SLOTS: u32 = 4;
/// Most tiles of a target.
const MOST_TILES: u32 = 4096;
/// Most passes of a scene.
const MOST_PASSES: usize = 1000;

/// A colour target of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Colour {
    /// Its number among the scene's targets.
    pub number: usize,
    /// How samples are stored.
    pub format: FormatName,
    /// What is in memory is kept, else it is cleared.
    pub load: bool,
    /// It is written at the end.
    pub store: bool,
    /// Red, green, blue, alpha.
    pub clear: [f64; 4],
}

/// Depth and stencil of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    /// Depth is kept, else cleared.
    pub load: bool,
    /// Stencil likewise.
    pub load_stencil: bool,
    /// Both are written at the end.
    pub store: bool,
    /// What depth is cleared to, 0 to 1.
    pub clear: f64,
    /// What stencil is cleared to.
    pub clear_stencil: u8,
}

/// One pass.
#[derive(Clone, Debug)]
pub struct Pass<'a> {
    /// Its place in the file; of a file without passes that of nothing.
    span: Range<usize>,
    /// Its colour targets, by location.
    pub colours: Vec<Colour>,
    /// Depth and stencil, if it has them.
    pub depth: Option<Depth>,
    /// The means of several samples are made at its end.
    pub resolve: bool,
    /// In order.
    pub draws: Vec<&'a Spanned<DrawSpec>>,
}

impl Pass<'_> {
    /// Formats of its targets, by location.
    pub fn formats(&self) -> Vec<FormatName> {
        self.colours.iter().map(|c| c.format).collect()
    }
}

/// Where the scene's targets are in memory: byte addresses.
#[derive(Clone, Debug, Default)]
pub struct TargetsAt {
    /// Of each colour target all samples, and what is resolved; with one sample both are one.
    pub colours: Vec<[u32; 2]>,
    /// Depth and stencil.
    pub depth: Option<u32>,
}

/// Words of a sample in memory.
pub fn words(format: FormatName) -> u32 {
    1 + u32::from(format == FormatName::Rgba16float)
}

fn tests(draw: &Spanned<DrawSpec>) -> bool {
    let state = &draw.get_ref().state;
    state.depth.is_some() || state.stencil.is_some()
}

impl Scene {
    /// The scene's passes, in order.
    ///
    /// # Errors
    /// A pass that cannot be, with its place.
    pub fn passes(&self) -> Input<Vec<Pass<'_>>> {
        let spec = &self.spec;
        if let (Some(_), Some(draw)) = (spec.pass.first(), spec.draw.first()) {
            let help = "write [[pass.draw]] below the pass that it belongs to";
            return Err(self.error(draw.span(), "a [[draw]] outside of the passes", help));
        }
        if spec.pass.len() > MOST_PASSES {
            return bad(format!("{}: more than {MOST_PASSES} passes", self.path.display()), "draw fewer");
        }
        let whole = PassSpec::default();
        let passes = match spec.pass.as_slice() {
            [] => vec![self.pass(0..0, &whole, &spec.draw)?],
            all => all
                .iter()
                .map(|p| self.pass(p.span(), p.get_ref(), &p.get_ref().draw))
                .collect::<Input<Vec<Pass<'_>>>>()?,
        };
        self.defined(&passes)?;
        Ok(passes)
    }

    /// Whether the scene has depth and stencil at all.
    pub fn has_depth(&self) -> bool {
        self.spec.target.depth.unwrap_or(self.spec.draws().any(tests))
    }

    fn pass<'a>(&self, span: Range<usize>, p: &PassSpec, draws: &'a [Spanned<DrawSpec>]) -> Input<Pass<'a>> {
        let target = &self.spec.target;
        let fail = |message: String, help: &str| Err(self.error(span.clone(), message, help));
        let all = target.formats.len();
        let numbers: Vec<usize> = p.targets.clone().unwrap_or_else(|| (0..all).collect());
        if let Some(n) = numbers.iter().find(|&&n| n >= all) {
            return fail(format!("the pass has target {n}, and there are {all}"), "targets count from 0");
        }
        if (1..numbers.len()).any(|k| numbers[..k].contains(&numbers[k])) {
            return fail("the pass has a target twice".into(), "name each once");
        }
        let counts = [("load", p.load.len()), ("store", p.store.len()), ("clear", p.clear.len())];
        for (key, entries) in counts {
            let most = if key == "clear" { numbers.len() } else { numbers.len().max(1) };
            if entries > most {
                let message = format!("`{key}` has {entries} entries, and the pass {} colour targets", numbers.len());
                return fail(message, "one entry of `load` or `store` is for all; else each target has its own");
            }
        }
        let tested = draws.iter().find(|d| tests(d));
        let has_depth = self.has_depth() && p.depth != Some(false);
        if p.depth == Some(true) && !self.has_depth() {
            return fail("the pass has depth, and the target none".into(), "set depth = true of [target]");
        }
        if let (Some(draw), false) = (tested, has_depth) {
            let help = "remove the test, or depth = false";
            return Err(self.error(draw.span(), "a draw tests depth or stencil, and depth = false", help));
        }
        let clear_depth = p.clear_depth.unwrap_or(target.clear_depth);
        if !(0.0..=1.0).contains(&clear_depth) {
            return fail(format!("clear-depth {clear_depth}"), "it is 0 to 1");
        }
        if numbers.is_empty() && !has_depth {
            return fail("a pass without targets".into(), "give it a colour target, or depth");
        }
        let pick = |k: usize, all: usize| if all == 1 { 0 } else { k };
        let colours = numbers.iter().enumerate().map(|(k, &number)| Colour {
            number,
            format: target.formats[number],
            load: p.load.get(pick(k, p.load.len())) == Some(&Load::Load),
            store: p.store.get(pick(k, p.store.len())) != Some(&Store::Discard),
            clear: p.clear.get(k).or(target.clear.get(number)).copied().unwrap_or([0.0; 4]),
        });
        let depth = has_depth.then_some(Depth {
            load: p.depth_load == Load::Load,
            load_stencil: p.stencil_load == Load::Load,
            store: p.depth_store == Store::Store,
            clear: clear_depth,
            clear_stencil: p.clear_stencil.unwrap_or(target.clear_stencil),
        });
        Ok(Pass { colours: colours.collect(), depth, resolve: p.resolve, draws: draws.iter().collect(), span })
    }

    /// Nobody loads what a pass before it discards; frames follow one another.
    fn defined(&self, passes: &[Pass<'_>]) -> Input<()> {
        // Of each target, and last of depth: the pass that has discarded it.
        let mut discarded: Vec<Option<usize>> = vec![None; self.spec.target.formats.len() + 1];
        let last = discarded.len() - 1;
        for _ in 0..self.spec.target.frames.min(2) {
            for (n, pass) in passes.iter().enumerate() {
                let colours = pass.colours.iter().map(|c| (c.number, c.load, c.store));
                let depth = pass.depth.iter().map(|d| (last, d.load || d.load_stencil, d.store));
                for (target, load, store) in colours.chain(depth) {
                    if let (true, Some(by)) = (load, discarded[target]) {
                        let name = if target == last { "depth".into() } else { format!("target {target}") };
                        let message = format!("pass {n} loads {name}, which pass {by} discards");
                        let help = "store it there, or clear it here; passes count from 0";
                        return Err(self.error(pass.span.clone(), message, help));
                    }
                    discarded[target] = (!store).then_some(n);
                }
            }
        }
        Ok(())
    }

    /// What is defined after the last pass: of each colour target its samples, and what a person
    /// looks at; then of depth and stencil.
    pub fn kept(&self, passes: &[Pass<'_>]) -> (Vec<[bool; 2]>, bool) {
        let (mut colours, mut depth) = (vec![[true; 2]; self.spec.target.formats.len()], true);
        for pass in passes {
            for c in &pass.colours {
                let resolved = self.spec.target.samples > 1;
                colours[c.number] = [c.store, c.store || resolved];
            }
            depth = pass.depth.map_or(depth, |d| d.store);
        }
        (colours, depth)
    }

    /// The pass record.
    ///
    /// # Errors
    /// The tile's side does not fit.
    pub(super) fn pass_record(&self, pass: &Pass<'_>, at: &TargetsAt) -> Input<pass::Words> {
        let t = &self.spec.target;
        let (row, rows) = (t.width.div_ceil(2), t.height.div_ceil(2));
        let per_pixel = t.samples * pass.colours.iter().map(|c| words(c.format)).sum::<u32>().max(1);
        let tile_words = |side: u32| side * side / 4 * per_pixel;
        let fits = |side: u32, tiles: u32| tiles * tile_words(side) <= TILE_WORDS;
        let side = self.tile(&fits)?;
        let slots = match t.keep_tiles {
            true => (TILE_WORDS / tile_words(side).max(1)).clamp(1, MOST_SLOTS).ilog2(),
            false => 0,
        };
        let mut w = pass::Words::default();
        w.set(pass::WIDTH, t.width);
        w.set(pass::HEIGHT, t.height);
        w.set(pass::SAMPLES, t.samples.trailing_zeros());
        w.set(pass::TILE_SIDE, side.trailing_zeros());
        w.set(pass::TARGETS, pass.colours.len() as u32);
        w.set(pass::HAS_DEPTH, pass.depth.is_some().into());
        w.set(pass::BANK_SLOTS, slots);
        w.set(pass::KEEPS_TILES, t.keep_tiles.into());
        w[pass::ROW_LINES] = row;
        w[pass::PLANE_LINES] = row * rows;
        for (k, c) in (0..).zip(&pass.colours) {
            let ([samples, resolved], after) = (at.colours[c.number], pass::TARGET_STEP * k);
            w[pass::TARGET_ADDRESS + after] = samples;
            w.set(pass::TARGET_FORMAT.after(after), c.format as u32);
            w.set(pass::TARGET_LOADS.after(after), c.load.into());
            w.set(pass::TARGET_STORES.after(after), c.store.into());
            if t.samples > 1 && pass.resolve {
                w.set(pass::TARGET_RESOLVES.after(after), 1);
                w[pass::RESOLVE_ADDRESS + after] = resolved;
            }
            w.replace(pass::CLEAR_COLOUR + pass::CLEAR_STEP * k, &colour(c.clear, c.format, true));
        }
        if let (Some(d), Some(address)) = (pass.depth, at.depth) {
            w[pass::DEPTH_ADDRESS] = address;
            w.set(pass::DEPTH_LOADS, d.load.into());
            w.set(pass::DEPTH_STORES, d.store.into());
            w.set(pass::STENCIL_LOADS, d.load_stencil.into());
            w.set(pass::CLEAR_DEPTH, (d.clear * f64::from(0xFF_FFFF)).round() as u32);
            w.set(pass::CLEAR_STENCIL, d.clear_stencil.into());
        }
        Ok(w)
    }

    /// Tiles of the target with tiles of that side.
    fn tiles(&self, side: u32) -> u32 {
        self.spec.target.width.div_ceil(side) * self.spec.target.height.div_ceil(side)
    }

    /// Side of a tile in pixels. `fits` tells whether that many tiles of a side fit in a bank.
    fn tile(&self, fits: &dyn Fn(u32, u32) -> bool) -> Input<u32> {
        let few = |side: u32| self.tiles(side) <= MOST_TILES;
        // Large tiles have less overhead, small ones leave room for more of them.
        let roomy = [32, 16, 8].into_iter().find(|&s| fits(s, MOST_SLOTS) && few(s));
        let small = [8, 16, 32].into_iter().find(|&s| fits(s, 1) && few(s));
        // None has few enough: of the largest that fits it is told.
        let large = [32, 16, 8].into_iter().find(|&s| fits(s, 1));
        let side = self.spec.target.tile.or(roomy).or(small).or(large).unwrap_or(8);
        let path = self.path.display();
        if !fits(side, 1) {
            return bad(
                format!("{path}: a tile of {side} x {side} pixels does not fit"),
                "choose a smaller one, or fewer targets or samples",
            );
        }
        if !few(side) {
            let tiles = self.tiles(side);
            let message = format!("{path}: {tiles} tiles of {side} x {side} pixels, at most {MOST_TILES} are possible");
            let help = match small {
                Some(side) => format!("set target.tile to {side}, or leave it out"),
                None if side == 32 => "choose a smaller target".into(),
                None => "choose a smaller target, or fewer samples or formats, for larger tiles".into(),
            };
            return bad(message, help);
        }
        Ok(side)
    }
}
