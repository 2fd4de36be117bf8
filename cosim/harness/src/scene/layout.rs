//! A scene in memory: code, constants, vertex and index data, records, command list, targets.
//!
//! One straight line from the base up, each part on a line of its own; addresses are the host's
//! free choice. docs/graphics.md says what each record holds.

use std::ops::Range;

use quadlock_isa::abi::{
    CONST_BUFFERS, CONST_STACK_BASE, CONST_STACK_SIZE, LANES, MAX_BUFFERS, MAX_PROGRAM, MAX_UNITS, MAX_WARPS,
    WINDOW_WORDS,
};
use quadlock_shader::binary::ShaderBinary;
use quadlock_shader::interface::BindingKind;
use quadlock_shader::Options;

use super::pipeline::Drawn;
use super::records::{colour, Placed};
use super::spec::{DrawSpec, FormatName};
use super::values;
use super::Scene;
use crate::base::error::{bad, Input};
use crate::machine::layout::BASE;

/// A colour target in memory.
#[derive(Clone, Copy, Debug)]
pub struct TargetAt {
    pub format: FormatName,
    /// Byte address of what a person looks at: of several samples the resolved one.
    pub address: u32,
}

/// A scene that can be run.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Memory from [`BASE`] on.
    pub bytes: Vec<u8>,
    /// The same code, and its byte address.
    pub code: Vec<u64>,
    pub code_address: u32,
    /// Byte address of the command list.
    pub list: u32,
    pub width: u32,
    pub height: u32,
    /// Lines of a row of quads.
    pub row: u32,
    pub targets: Vec<TargetAt>,
    /// All planes of the targets: byte address and number.
    pub planes: Vec<(u32, u32)>,
    /// Byte addresses of the stacks of programs: whose is whose is the machine's choice.
    pub stacks: Vec<Range<u32>>,
    /// Source places of instructions, with the names of their files.
    pub binaries: Vec<(u32, ShaderBinary)>,
}

/// The pass of a frame in memory.
struct PassAt {
    /// Byte address of the record.
    record: u32,
    targets: Vec<TargetAt>,
    /// Lines of a row of quads.
    row: u32,
    /// All planes of the targets: byte address and number.
    planes: Vec<(u32, u32)>,
}

/// Memory that grows.
struct Memory {
    bytes: Vec<u8>,
    /// What is the stacks' of programs.
    stacks: Vec<Range<u32>>,
}

impl Memory {
    fn next(&self) -> u32 {
        BASE + self.bytes.len() as u32
    }

    /// Puts bytes on a line of their own; their address.
    fn put(&mut self, bytes: &[u8]) -> u32 {
        let at = self.next();
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        at
    }

    fn words(&mut self, words: &[u32]) -> u32 {
        self.put(&words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())
    }

    fn zeros(&mut self, bytes: usize) -> u32 {
        self.put(&vec![0; bytes])
    }
}

/// The most bytes of a scene's memory.
const MOST: u64 = 1 << 30;
/// Words of a tile buffer's memories.
const TILE_WORDS: u32 = 1024;
/// Most tiles in each of the two banks of them.
const MOST_SLOTS: u32 = 4;
/// Most tiles of a target.
const MOST_TILES: u32 = 4096;

impl Scene {
    /// Compiles everything and lays it out.
    ///
    /// # Errors
    /// What cannot be drawn, with its place.
    pub fn frame(&self, options: &Options) -> Input<Frame> {
        let mut memory = Memory { bytes: vec![], stacks: vec![] };
        let mut code: Vec<u64> = vec![];
        let mut binaries = vec![];
        let mut drawn = vec![];
        for draw in &self.spec.draw {
            let d = self.drawn(draw.get_ref(), options)?;
            let mut places = vec![];
            for compiled in [&d.pipeline.vertex].into_iter().chain(&d.pipeline.fragment) {
                places.push(code.len() as u32);
                binaries.push((code.len() as u32, compiled.binary.clone()));
                code.extend(compiled.binary.code_at(code.len() as u32));
            }
            drawn.push((draw, d, places));
        }
        if code.len() > MAX_PROGRAM {
            let message = format!("{}: all programs have {} instructions", self.path.display(), code.len());
            return bad(message, format!("at most {MAX_PROGRAM} fit"));
        }
        let bytes: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
        let code_address = memory.put(&bytes);
        let mut commands = vec![];
        for (draw, d, firsts) in &drawn {
            commands.extend(self.draw_commands(draw, d, firsts, &mut memory)?);
        }
        let PassAt { record: pass, targets, row, planes } = self.pass(&drawn, &mut memory)?;
        let mut list = vec![];
        for _ in 0..self.spec.target.frames {
            list.extend([[1, pass, 0, 0]]);
            list.extend(&commands);
            list.extend([[6, 0, 0, 0], [5, 0, 0, 0]]);
        }
        list.push([7, 0, 0, 0]);
        let list = memory.words(&list.concat());
        if memory.bytes.len() as u64 > MOST {
            return bad(format!("{}: more than {MOST} bytes of memory", self.path.display()), "draw less");
        }
        let (width, height) = (self.spec.target.width, self.spec.target.height);
        let Memory { bytes, stacks } = memory;
        Ok(Frame { bytes, code, code_address, list, width, height, row, targets, planes, stacks, binaries })
    }

    /// State and draw of one draw.
    fn draw_commands(
        &self,
        draw: &toml::Spanned<DrawSpec>,
        drawn: &Drawn,
        firsts: &[u32],
        memory: &mut Memory,
    ) -> Input<Vec<[u32; 4]>> {
        let d = draw.get_ref();
        let fail = |message: String, help: &str| Err(self.error(draw.span(), message, help));
        // Buffers, by set and binding: what both stages know is one memory.
        let mut regions = vec![];
        for b in &d.binding {
            let spec = b.get_ref();
            let mut bytes: Vec<u8> = values::words(&spec.values, self.aspect())
                .map_err(|e| self.error(b.span(), e, "docs/scenes.md lists what values can be"))?
                .into_iter()
                .flat_map(u32::to_le_bytes)
                .collect();
            bytes.resize(bytes.len().max(spec.zero.unwrap_or(0) as usize), 0);
            regions.push(((spec.group, spec.binding), memory.put(&bytes), bytes));
        }
        let vertex_buffers: Vec<(u32, u32, u32)> =
            drawn.buffers.iter().map(|b| (b.slot, memory.put(&b.bytes), b.bytes.len() as u32)).collect();
        let mut placed = vec![];
        let stages = [&drawn.pipeline.vertex].into_iter().chain(&drawn.pipeline.fragment);
        for (compiled, &first) in stages.zip(firsts) {
            let interface = &compiled.binary.interface;
            let mut window = [0u32; WINDOW_WORDS];
            let threads = (MAX_UNITS * MAX_WARPS * LANES) as u32;
            if interface.stack_bytes > 0 {
                let all = interface.stack_bytes * threads;
                window[CONST_STACK_BASE] = memory.zeros(all as usize);
                memory.stacks.push(window[CONST_STACK_BASE]..window[CONST_STACK_BASE] + all);
                window[CONST_STACK_SIZE] = interface.stack_bytes;
            }
            for b in &interface.bindings {
                let Some((_, address, bytes)) = regions.iter().find(|r| r.0 == (b.group, b.binding)) else {
                    let message = format!("`{}` (group {}, binding {}) has no data", b.name, b.group, b.binding);
                    return fail(message, "add a [[draw.binding]] for it");
                };
                if (bytes.len() as u32) < b.min_bytes {
                    let message = format!("`{}` needs {} bytes, its binding has {}", b.name, b.min_bytes, bytes.len());
                    return fail(message, "add values; vectors of 3 take the room of 4");
                }
                let entry = CONST_BUFFERS + 2 * b.index as usize;
                (window[entry], window[entry + 1]) = (*address, bytes.len() as u32);
                if b.kind == BindingKind::Uniform {
                    for k in 0..b.const_words as usize {
                        let word =
                            bytes.get(4 * k..4 * k + 4).map_or(0, |w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
                        window[b.const_at as usize + k] = word;
                    }
                }
            }
            for &(slot, address, bytes) in vertex_buffers.iter().filter(|_| placed.is_empty()) {
                let entry = CONST_BUFFERS + 2 * (MAX_BUFFERS - 1 - slot as usize);
                (window[entry], window[entry + 1]) = (address, bytes);
            }
            for &(word, value) in &interface.constants {
                window[word as usize % WINDOW_WORDS] = value;
            }
            placed.push(Placed { first, length: compiled.binary.code.len() as u32, constants: memory.words(&window) });
        }
        let state = self.state(draw, drawn, &placed)?;
        let state = memory.words(&state);
        let mesh = &self.meshes[d.mesh.get_ref()];
        let spec = self.spec.mesh[d.mesh.get_ref()].get_ref();
        let all = mesh.indices.as_ref().map_or(mesh.vertices, Vec::len) as u32;
        let count = d.count.unwrap_or(all.saturating_sub(d.first));
        if u64::from(d.first) + u64::from(count) > u64::from(all) {
            return fail(format!("{count} indices from {} on, the mesh has {all}", d.first), "draw fewer");
        }
        let drawn_indices: Vec<i64> = (d.first..d.first + count)
            .map(|n| {
                mesh.indices.as_ref().map_or(i64::from(n), |i| i64::from(i[n as usize])) + i64::from(d.base_vertex)
            })
            .collect();
        if drawn_indices.iter().any(|&i| i < 0 || i >= mesh.vertices as i64) {
            let message = format!("base-vertex {} leads out of the mesh", d.base_vertex);
            return fail(message, &format!("it has {} vertices", mesh.vertices));
        }
        let mut flags = 3;
        let mut address = 0;
        if let Some(indices) = &mesh.indices {
            let wide = indices.iter().any(|&i| i > 0xFFFF);
            let bytes = spec.index_bytes.unwrap_or(if wide { 4 } else { 2 });
            if !(bytes == 4 || bytes == 2 && !wide) {
                return fail(format!("indices of {bytes} bytes"), "index-bytes is 2 (for numbers up to 65535) or 4");
            }
            flags |= 1 << 8 | u32::from(bytes == 4) << 9;
            let data: Vec<u8> = match bytes {
                4 => indices.iter().flat_map(|i| i.to_le_bytes()).collect(),
                _ => indices.iter().flat_map(|&i| (i as u16).to_le_bytes()).collect(),
            };
            address = memory.put(&data);
        }
        Ok(vec![
            [2, state, 0, 0],
            [flags, count, d.first, d.instances],
            [d.base_vertex as u32, d.first_instance, address, 0],
        ])
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

    /// The pass record, its targets, the lines of a row of quads, and all planes.
    fn pass(&self, drawn: &[(&toml::Spanned<DrawSpec>, Drawn, Vec<u32>)], memory: &mut Memory) -> Input<PassAt> {
        let t = &self.spec.target;
        let (row, rows) = (t.width.div_ceil(2), t.height.div_ceil(2));
        let lines = row * rows;
        let words = |f: FormatName| 1 + u32::from(f == FormatName::Rgba16float);
        let tests = drawn.iter().any(|d| d.0.get_ref().state.depth.is_some() || d.0.get_ref().state.stencil.is_some());
        let depth = t.depth.unwrap_or(tests);
        if tests && !depth {
            return bad(
                format!("{}: a draw tests depth or stencil, and depth = false", self.path.display()),
                "remove one",
            );
        }
        let per_pixel = t.samples * t.formats.iter().map(|&f| words(f)).sum::<u32>().max(1);
        let tile_words = |side: u32| side * side / 4 * per_pixel;
        let fits = |side: u32, tiles: u32| tiles * tile_words(side) <= TILE_WORDS;
        let side = self.tile(&fits)?;
        let slots = match t.keep_tiles {
            true => (TILE_WORDS / tile_words(side).max(1)).clamp(1, MOST_SLOTS).ilog2(),
            false => 0,
        };
        let mut w = [0u32; 32];
        w[0] = t.width | t.height << 16;
        w[1] = t.samples.trailing_zeros()
            | side.trailing_zeros() << 4
            | (t.formats.len() as u32) << 8
            | u32::from(depth) << 12
            | slots << 16
            | u32::from(t.keep_tiles) << 18;
        (w[2], w[3]) = (row, lines);
        let plane = 16 * lines as usize;
        let (mut targets, mut all) = (vec![], vec![]);
        for (k, &format) in t.formats.iter().enumerate() {
            let planes = words(format) as usize;
            let address = memory.zeros(plane * planes * t.samples as usize);
            all.push((address, words(format) * t.samples));
            w[4 + 4 * k] = address;
            w[5 + 4 * k] = format as u32 | 1 << 5;
            let mut seen = address;
            if t.samples > 1 {
                seen = memory.zeros(plane * planes);
                all.push((seen, words(format)));
                w[5 + 4 * k] |= 1 << 6;
                w[6 + 4 * k] = seen;
            }
            let clear = t.clear.get(k).copied().unwrap_or([0.0; 4]);
            w[24 + 2 * k..26 + 2 * k].copy_from_slice(&colour(clear, format, true));
            targets.push(TargetAt { format, address: seen });
        }
        if depth {
            w[20] = memory.zeros(plane * t.samples as usize);
            all.push((w[20], t.samples));
            w[21] = 1 << 5;
            w[22] = (t.clear_depth * f64::from(0xFF_FFFF)).round() as u32 | u32::from(t.clear_stencil) << 24;
        }
        Ok(PassAt { record: memory.words(&w), targets, row, planes: all })
    }
}
