//! A host of pipelines for tests: records in memory as docs/graphics.md says, drawn by the golden
//! model, and words of targets read back from where the page says they are.
//!
//! It knows nothing of the harness, whose scene files have a host of their own. Wrong would be a
//! record that both read alike; pictures of another renderer are for that (`make image-check`).

use crate::random_spirv::spirv;
use quadlock_golden::{Config, Golden, Memory};
use quadlock_isa::abi::{CONST_BUFFERS, CONST_DEPTH_RANGE, CONST_STACK_BASE, CONST_STACK_SIZE, MAX_BUFFERS};
use quadlock_shader::front::linkage::{Attribute, AttributeFormat, TargetFormat};
use quadlock_shader::graphics::{compile_pipeline, Pipeline, PipelineRequest, StageSource};
use quadlock_shader::{Compiled, Options};

/// Pixels of a target's side.
pub const SIDE: u32 = 16;
/// Bytes of a target in memory, all samples and words.
const TARGET: u32 = 0x1_0000;
const TARGETS: u32 = 0x1_0000;
const DEPTH: u32 = 0x5_0000;
const STORAGE: u32 = 0x6_0000;
const BUFFERS: u32 = 0x7_0000;
/// Bytes of a vertex buffer.
const BUFFER: u32 = 0x1_0000;
pub const STACKS: u32 = 0xB_0000;
const ALL: u32 = 0x10_0000;
/// State word 6: depth is tested, with `always`, and written.
pub const DEPTH_ALWAYS: u32 = 7 << 5 | 1 << 8 | 1 << 9;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum In {
    Wgsl,
    Glsl,
    /// As naga writes it of WGSL.
    Spirv,
}

/// All of them.
pub const LANGUAGES: [In; 3] = [In::Wgsl, In::Glsl, In::Spirv];

/// A program.
#[derive(Clone, Debug)]
pub struct Source {
    path: &'static str,
    bytes: Vec<u8>,
}

impl Source {
    /// The vertex program `main` of one of two texts.
    pub fn vertex(lang: In, wgsl: &str, glsl: &str) -> Source {
        Source::new(lang, "v.vert", wgsl, glsl)
    }

    /// The fragment program `main` of one of two texts.
    pub fn fragment(lang: In, wgsl: &str, glsl: &str) -> Source {
        Source::new(lang, "f.frag", wgsl, glsl)
    }

    /// A SPIR-V module with one entry point.
    pub fn module(bytes: Vec<u8>) -> Source {
        Source { path: "s.spv", bytes }
    }

    /// As a stage of a pipeline.
    pub fn stage(&self) -> StageSource<'_> {
        StageSource { path: self.path, source: &self.bytes, entry: None }
    }

    /// Its text, for messages.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    fn new(lang: In, path: &'static str, wgsl: &str, glsl: &str) -> Source {
        match lang {
            In::Wgsl => Source { path: "w.wgsl", bytes: wgsl.as_bytes().to_vec() },
            In::Glsl => Source { path, bytes: format!("#version 450\n{glsl}").into_bytes() },
            In::Spirv => Source { path: "s.spv", bytes: spirv(wgsl) },
        }
    }
}

/// Attributes of one vertex buffer.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// Location, format, offset.
    pub attributes: Vec<(u32, &'static str, u32)>,
    pub stride: u32,
    pub per_instance: bool,
    pub bytes: Vec<u8>,
}

impl Buffer {
    /// One attribute, elements next to each other.
    pub fn of(location: u32, format: &'static str, bytes: Vec<u8>) -> Buffer {
        let stride = AttributeFormat::from_name(format).map_or(0, AttributeFormat::bytes);
        Buffer { attributes: vec![(location, format, 0)], stride, per_instance: false, bytes }
    }

    /// Four floats for each vertex.
    pub fn vec4(location: u32, all: &[[f32; 4]]) -> Buffer {
        Buffer::of(location, "float32x4", all.iter().flatten().flat_map(|x| x.to_le_bytes()).collect())
    }
}

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Drawing {
    pub vertex: Source,
    pub fragment: Source,
    pub buffers: Vec<Buffer>,
    pub count: u32,
    /// First vertex, or first index and base vertex.
    pub first: u32,
    pub base: u32,
    pub indices: Option<Vec<u16>>,
    /// First instance and how many.
    pub instances: (u32, u32),
    pub targets: Vec<TargetFormat>,
    pub samples: u32,
    pub alpha_to_coverage: bool,
    /// Bits of state word 6 besides those of the pipeline.
    pub flags: u32,
    /// State word of each target: write mask, blending.
    pub write: u32,
    /// Bytes of the buffer at group 0, binding 0.
    pub storage: u32,
    /// Least and greatest depth, of 24 bits.
    pub depth_range: [u32; 2],
    /// The programs are linked, nothing being known of uniforms.
    pub linked: bool,
    /// Choices of the compiler.
    pub options: Options,
}

impl Drawing {
    /// A list of triangles to four targets of one float.
    pub fn new(vertex: Source, fragment: Source, buffers: Vec<Buffer>, count: u32) -> Drawing {
        Drawing {
            vertex,
            fragment,
            buffers,
            count,
            first: 0,
            base: 0,
            indices: None,
            instances: (0, 1),
            targets: vec![TargetFormat::R32Float; 4],
            samples: 1,
            alpha_to_coverage: false,
            flags: 0,
            write: 15,
            storage: 0,
            depth_range: [0, 0xFF_FFFF],
            linked: false,
            options: Options::default(),
        }
    }

    pub fn compile(&self) -> Result<Pipeline, String> {
        let attributes = (0..).zip(&self.buffers).flat_map(|(slot, b)| {
            b.attributes.iter().map(move |&(location, format, offset)| Attribute {
                location,
                format: AttributeFormat::from_name(format).expect("a format"),
                slot,
                offset,
                stride: b.stride,
                per_instance: b.per_instance,
            })
        });
        compile_pipeline(&PipelineRequest {
            vertex: self.vertex.stage(),
            fragment: Some(self.fragment.stage()),
            attributes: attributes.collect(),
            targets: self.targets.clone(),
            written: vec![],
            samples: self.samples,
            link: self.linked.then(Default::default),
            alpha_to_coverage: self.alpha_to_coverage,
            options: self.options.clone(),
        })
        .map_err(|e| e.to_string())
    }

    /// Draws it; `SHOW` in the environment prints the programs.
    pub fn draw(&self) -> Picture {
        self.draw_with(self.compile().unwrap_or_else(|e| panic!("{e}")))
    }

    /// Draws it with other programs.
    pub fn draw_with(&self, p: Pipeline) -> Picture {
        let fragment = p.fragment.as_ref().expect("a fragment program");
        if std::env::var("SHOW").is_ok() {
            println!("{}\n{}", p.vertex.asm, fragment.asm);
        }
        let mut memory = Host { memory: Memory::new(ALL), at: 0x1000 };
        let mut code = vec![];
        let programs = [&p.vertex, fragment].map(|stage| {
            let first = code.len() as u32;
            code.extend(stage.binary.code_at(first));
            [first, stage.binary.code.len() as u32, memory.constants(stage, self)]
        });
        for (slot, buffer) in (0..).zip(&self.buffers) {
            assert!(
                buffer.bytes.len() <= BUFFER as usize
                    && memory.memory.write_slice(BUFFERS + slot * BUFFER, &buffer.bytes)
            );
        }
        let state = memory.put(&self.state(&p, programs));
        let pass = memory.put(&self.pass());
        let indices: Vec<u32> =
            self.indices.iter().flatten().copied().collect::<Vec<u16>>().chunks(2).map(pair).collect();
        let indices = memory.put(&indices);
        let indexed = u32::from(self.indices.is_some()) << 8;
        let (first_instance, instances) = self.instances;
        let draw = [3 | indexed, self.count, self.first, instances, self.base, first_instance, indices, 0];
        let list = memory.put(&[&[1, pass, 0, 0, 2, state, 0, 0][..], &draw, &[7, 0, 0, 0]].concat());
        let config = Config { graphics: true, ..Config::default() };
        let mut golden = Golden::new(config, code, vec![], memory.memory);
        let stats = golden.run_frame(list, 100_000).unwrap_or_else(|e| panic!("{e}"));
        let faults = (golden.traps(), golden.memory_faults());
        assert!(faults.0 .1 == 0 && faults.1 .1 == 0, "{faults:?}");
        assert!(stats.quads > 0, "{stats:?}");
        Picture { memory: golden.into_memory(), samples: self.samples, pipeline: p }
    }

    fn state(&self, p: &Pipeline, programs: [[u32; 3]; 2]) -> [u32; 44] {
        let f = |x: f32| x.to_bits();
        let half = SIDE as f32 / 2.0;
        let mut state = [0; 44];
        state[40..42].copy_from_slice(&self.depth_range);
        [state[0], state[1], state[4]] = programs[0];
        [state[2], state[3], state[5]] = programs[1];
        let flags = [
            (11, p.early_tests),
            (12, p.per_sample),
            (16, p.may_discard),
            (17, p.writes_depth),
            (18, p.writes_mask),
            (19, p.stores),
        ];
        state[6] = self.flags | flags.iter().filter(|f| f.1).fold(0, |m, f| m | 1 << f.0);
        state[7] = p.varying_words;
        let hy = if p.y_up { -half } else { half };
        state[8..16].copy_from_slice(&[f(half), f(half), f(half), f(hy), f(0.0), f(1.0), f(1000.0), f(1000.0)]);
        state[17] = SIDE | SIDE << 16;
        state[28..32].fill(self.write);
        state[32] = 15;
        (state[33], state[34]) = (p.flat as u32, (p.flat >> 32) as u32);
        (state[35], state[36]) = (p.linear as u32, (p.linear >> 32) as u32);
        state
    }

    fn pass(&self) -> [u32; 32] {
        let mut pass = [0; 32];
        pass[0] = SIDE | SIDE << 16;
        pass[1] = self.samples.trailing_zeros() | 3 << 4 | (self.targets.len() as u32) << 8 | 1 << 12;
        (pass[2], pass[3]) = (SIDE / 2, PLANE);
        for (t, &format) in self.targets.iter().enumerate() {
            let number = match format {
                TargetFormat::Rgba8Unorm => 0,
                TargetFormat::Rgba8UnormSrgb => 1,
                TargetFormat::Rgba16Float => 2,
                TargetFormat::R32Float => 3,
            };
            let address = TARGETS + t as u32 * TARGET;
            // What is resolved lies behind the samples.
            pass[4 + 4 * t..7 + 4 * t].copy_from_slice(&[address, number | 3 << 5, address + TARGET / 2]);
            pass[24 + 2 * t] = 0xFF00_0000;
        }
        (pass[20], pass[21]) = (DEPTH, 1 << 5);
        pass
    }
}

/// Lines of a plane.
const PLANE: u32 = SIDE / 2 * (SIDE / 2);

fn pair(two: &[u16]) -> u32 {
    u32::from(two[0]) | u32::from(two.get(1).copied().unwrap_or(0)) << 16
}

/// Memory that is filled.
struct Host {
    memory: Memory,
    at: u32,
}

impl Host {
    fn put(&mut self, words: &[u32]) -> u32 {
        let here = self.at;
        for &word in words {
            self.memory.write32(self.at, word);
            self.at += 4;
        }
        self.at = (self.at + 15) & !15;
        here
    }

    fn constants(&mut self, stage: &Compiled, drawing: &Drawing) -> u32 {
        let interface = &stage.binary.interface;
        let mut constants = vec![0; 256];
        constants[CONST_DEPTH_RANGE..CONST_DEPTH_RANGE + 2].copy_from_slice(&drawing.depth_range);
        for b in &interface.bindings {
            let entry = CONST_BUFFERS + 2 * b.index as usize;
            (constants[entry], constants[entry + 1]) = (STORAGE, drawing.storage);
        }
        for slot in 0..4 {
            let entry = CONST_BUFFERS + 2 * (MAX_BUFFERS - 1 - slot as usize);
            (constants[entry], constants[entry + 1]) = (BUFFERS + slot * BUFFER, BUFFER);
        }
        (constants[CONST_STACK_BASE], constants[CONST_STACK_SIZE]) = (STACKS, interface.stack_bytes);
        for &(word, value) in &interface.constants {
            constants[word as usize] = value;
        }
        self.put(&constants)
    }
}

/// What was drawn.
pub struct Picture {
    memory: Memory,
    samples: u32,
    pub pipeline: Pipeline,
}

impl Picture {
    fn word(&self, base: u32, plane: u32, (x, y): (u32, u32)) -> u32 {
        self.memory.read32(base + 16 * (plane * PLANE + y / 2 * (SIDE / 2) + x / 2) + 4 * (2 * (y & 1) + (x & 1)))
    }

    /// Word `n` of a sample of a target.
    pub fn sample(&self, target: u32, n: u32, sample: u32, at: (u32, u32)) -> u32 {
        self.word(TARGETS + target * TARGET, n * self.samples + sample, at)
    }

    /// The only float of a sample of a target.
    pub fn float(&self, target: u32, sample: u32, at: (u32, u32)) -> f32 {
        f32::from_bits(self.sample(target, 0, sample, at))
    }

    /// The mean of the samples of a target of bytes.
    pub fn resolved(&self, target: u32, at: (u32, u32)) -> [u8; 4] {
        let base = TARGETS + target * TARGET + if self.samples > 1 { TARGET / 2 } else { 0 };
        self.word(base, 0, at).to_le_bytes()
    }

    /// Depth of a sample, 24 bits.
    pub fn depth(&self, sample: u32, at: (u32, u32)) -> u32 {
        self.word(DEPTH, sample, at) & 0xFF_FFFF
    }

    /// A word of memory.
    pub fn memory(&self, at: u32) -> u32 {
        self.memory.read32(at)
    }

    /// A word of the storage buffer.
    pub fn stored(&self, n: u32) -> u32 {
        self.memory.read32(STORAGE + 4 * n)
    }
}

/// Positions of a triangle that covers the whole target, in clip space of WGSL.
pub const WHOLE: [[f32; 4]; 3] = [[-1.0, 1.0, 0.5, 1.0], [3.0, 1.0, 0.5, 1.0], [-1.0, -3.0, 0.5, 1.0]];

/// The same with y as the language has it: WGSL's points up.
pub fn in_clip_space(lang: In, mut all: Vec<[f32; 4]>) -> Vec<[f32; 4]> {
    if lang != In::Wgsl {
        all.iter_mut().for_each(|p| p[1] = -p[1]);
    }
    all
}

/// Blocks that [`blocks`] draws.
pub const BLOCKS: u32 = 8;

/// Positions of a triangle for each block of two columns, over those of the blocks before: block k
/// shows the value of triangle k.
pub fn blocks(lang: In) -> Vec<[f32; 4]> {
    let triangle = |k: u32| {
        let x = k as f32 / 4.0 - 1.0;
        [[x, 1.0, 0.5, 1.0], [x + 8.0, 1.0, 0.5, 1.0], [x, -7.0, 0.5, 1.0]]
    };
    in_clip_space(lang, (0..BLOCKS).flat_map(triangle).collect())
}

/// A triangle whose corners are at known places of the pixel grid, and what is exact of it.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Corners in 1/256 of a pixel.
    pub at: [[i64; 2]; 3],
    pub w: [f32; 3],
}

/// In sixteenths of a pixel, by number of samples.
pub fn places(samples: u32) -> &'static [[i64; 2]] {
    match samples {
        1 => &[[8, 8]],
        2 => &[[12, 12], [4, 4]],
        _ => &[[6, 2], [14, 6], [2, 10], [10, 14]],
    }
}

impl Known {
    /// One that leaves pixels on all sides, with corners nearer and farther.
    pub const SLANTED: Known = Known { at: [[323, 131], [3969, 771], [1213, 3907]], w: [1.0, 4.0, 0.5] };

    /// Positions in clip space; exact, because each w is a power of two.
    pub fn positions(&self, lang: In) -> Vec<[f32; 4]> {
        let half = 128.0 * SIDE as f32;
        let one = |k: usize| {
            let [x, y] = [0, 1].map(|axis| self.at[k][axis] as f32 / half - 1.0);
            [x, -y, 0.5, 1.0].map(|c| c * self.w[k])
        };
        in_clip_space(lang, (0..3).map(one).collect())
    }

    /// Edge functions at a place of a pixel, in sixteenths: positive inside.
    pub fn edges(&self, (x, y): (u32, u32), place: [i64; 2]) -> [i64; 3] {
        let p = [i64::from(x) * 256 + 16 * place[0], i64::from(y) * 256 + 16 * place[1]];
        let cross =
            |a: [i64; 2], b: [i64; 2], c: [i64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        let sign = cross(self.at[0], self.at[1], self.at[2]).signum();
        [0, 1, 2].map(|k| sign * cross(self.at[(k + 1) % 3], self.at[(k + 2) % 3], p))
    }

    /// Covered samples of a pixel, bit k of sample k. No sample is on an edge, so no rule of edges
    /// is in it.
    pub fn covered(&self, at: (u32, u32), samples: u32) -> u32 {
        let inside = |place: [i64; 2]| {
            let e = self.edges(at, place);
            assert!(e.iter().all(|&e| e != 0), "a sample on an edge");
            e.iter().all(|&e| e > 0)
        };
        (0..).zip(places(samples)).map(|(k, &p)| u32::from(inside(p)) << k).sum()
    }

    /// A value of the corners at a place, in perspective or linear.
    pub fn value(&self, v: [f32; 3], at: (u32, u32), place: [i64; 2], perspective: bool) -> f64 {
        let e = self.edges(at, place);
        let q = [0, 1, 2].map(|k| e[k] as f64 / if perspective { f64::from(self.w[k]) } else { 1.0 });
        (0..3).map(|k| q[k] * f64::from(v[k])).sum::<f64>() / q.iter().sum::<f64>()
    }
}

/// All pixels of a target.
pub fn pixels() -> impl Iterator<Item = (u32, u32)> {
    (0..SIDE * SIDE).map(|k| (k % SIDE, k / SIDE))
}
