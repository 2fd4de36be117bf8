//! A scene in memory: code, constants, vertex and index data, records, command list, targets.
//!
//! One straight line from the base up, each part on a line of its own; addresses are the host's
//! free choice. docs/graphics.md says what each record holds.

use std::ops::Range;

use quadlock_isa::abi::{EventForm, PrivateSet, PublicRegisters, CONST_DEPTH_RANGE, MAX_PROGRAM, WINDOW_WORDS};
use quadlock_isa::records::{command, draw as draw_command, pass as pass_record};
use quadlock_shader::binary::ShaderBinary;
use quadlock_shader::{Compiled, Options};

use super::bindings::vertex_buffers;
use super::bypass::Driver;
use super::memory::{BufferAt, Placing};
use super::passes::{words, Pass, TargetsAt};
use super::pipeline::Drawn;
use super::records::{depth_range, Placed};
use super::weave::{weave, Broken};
use crate::base::error::{bad, Input};
use crate::linking::{LinkFigures, LinkMode, Variants};
use crate::scene::accounts::ahead::Bypassed;
use crate::scene::file::spec::{DrawSpec, FormatName, Topology};
use crate::scene::Scene;

/// A colour target in memory.
#[derive(Clone, Copy, Debug)]
pub struct TargetAt {
    pub format: FormatName,
    /// Byte address of what a person looks at: of several samples the resolved one.
    pub address: u32,
    /// Byte address of the first plane of its samples.
    pub samples: u32,
    /// Whether memory holds them at the end: the resolved ones, the samples.
    pub kept: [bool; 2],
}

/// Depth and stencil in memory.
#[derive(Clone, Copy, Debug)]
pub struct DepthAt {
    /// Byte address of the first plane.
    pub address: u32,
    /// Memory holds them at the end.
    pub kept: bool,
}

/// A scene that can be run.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Memory from [`BASE`](crate::machine::layout::BASE) on.
    pub bytes: Vec<u8>,
    /// The same code, and its byte address.
    pub code: Vec<u64>,
    pub code_address: u32,
    /// Byte address of the command list.
    pub list: u32,
    pub width: u32,
    pub height: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// Lines of a row of quads.
    pub row: u32,
    pub targets: Vec<TargetAt>,
    /// Depth and stencil, if there are any.
    pub depth: Option<DepthAt>,
    /// All planes of the targets: byte address and number.
    pub planes: Vec<(u32, u32)>,
    /// Byte addresses of what nobody defines: stacks of programs, whose is whose being the
    /// machine's choice, and targets that are not stored.
    pub scratch: Vec<Range<u32>>,
    /// Buffers of the draws, in order.
    pub buffers: Vec<BufferAt>,
    /// The machine merges warps: public registers are what docs/isa.md says.
    pub merges: bool,
    /// Which they are.
    pub public_registers: PublicRegisters,
    /// How it knows merge and split points.
    pub event_form: EventForm,
    /// What the private registers of a merged warp are.
    pub merge_private: PrivateSet,
    /// Helpers end at a merge point in every warp (MS-35).
    pub merge_helpers_end: bool,
    /// Rules of registers that programs break on purpose ([`super::weave`]).
    pub broken: Vec<Broken>,
    /// Of a machine with a cull pipeline: draws that it does not look at.
    pub bypassed: Option<Vec<Bypassed>>,
    /// Of linked programs.
    pub link: Option<LinkFigures>,
    /// Source places of instructions, with the names of their files.
    pub binaries: Vec<(u32, ShaderBinary)>,
    /// What the compiler warned of, each once.
    pub warnings: Vec<String>,
}

/// The most bytes of a scene's memory.
const MOST: u64 = 1 << 30;

/// A command of one line, with the address of its record if it has one.
fn line(code: u64, record: u32) -> [u32; 4] {
    let mut w = command::Words::default();
    w[command::HEAD] = code as u32;
    w[command::RECORD_ADDRESS] = record;
    w.0
}

impl Scene {
    /// The programs of all draws, each with its title.
    ///
    /// # Errors
    /// What cannot be compiled, with its place.
    pub fn programs(&self, options: &Options) -> Input<Vec<(String, Compiled)>> {
        let mut out = vec![];
        let mut variants = Variants::new(self.spec.link);
        let passes = self.passes()?;
        let draws = passes.iter().flat_map(|pass| pass.draws.iter().map(move |draw| (pass, draw)));
        for (n, (pass, draw)) in draws.enumerate() {
            let d = self.drawn(draw.get_ref(), &pass.formats(), options, &mut variants)?;
            out.push((format!("draw {n}, vertex program"), d.pipeline.vertex));
            out.extend(d.pipeline.fragment.map(|f| (format!("draw {n}, fragment program"), f)));
        }
        Ok(out)
    }

    /// Compiles everything and lays it out.
    ///
    /// # Errors
    /// What cannot be drawn, with its place.
    pub fn frame(&self, options: &Options) -> Input<Frame> {
        let mut memory = Placing::default();
        let mut code: Vec<u64> = vec![];
        let mut binaries = vec![];
        let mut broken = vec![];
        let mut warnings = self.mesh_warnings();
        let passes = self.passes()?;
        let machine = self.machine()?;
        let merges = machine.config.merges();
        let mut variants = Variants::new(self.spec.link);
        let mut drawn = vec![];
        for (n, pass) in passes.iter().enumerate() {
            for draw in &pass.draws {
                let mut d = self.drawn(draw.get_ref(), &pass.formats(), options, &mut variants)?;
                let splits = d.pipeline.per_sample && machine.config.splits();
                if let (Some(points), Some(fragment)) = (machine.points, &mut d.pipeline.fragment) {
                    if splits || merges {
                        broken.extend(weave(&mut fragment.binary, points, splits).into_iter().flatten());
                    }
                }
                for warning in d.pipeline.fragment.iter().flat_map(|f| &f.report.warnings) {
                    if !warnings.contains(warning) {
                        warnings.push(warning.clone());
                    }
                }
                let mut places = vec![];
                for compiled in [&d.pipeline.vertex].into_iter().chain(&d.pipeline.fragment) {
                    places.push(code.len() as u32);
                    binaries.push((code.len() as u32, compiled.binary.clone()));
                    code.extend(compiled.binary.code_at(code.len() as u32));
                }
                drawn.push((n, *draw, d, places));
            }
        }
        self.all_taken(drawn.iter().map(|d| &d.2.pipeline))?;
        // A record has 16 bits for the instructions of a vertex program.
        if code.len() > MAX_PROGRAM || drawn.iter().any(|d| d.2.pipeline.vertex.binary.code.len() >= MAX_PROGRAM) {
            let message = format!("{}: all programs have {} instructions", self.path.display(), code.len());
            return bad(message, format!("at most {MAX_PROGRAM} fit"));
        }
        let bytes: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
        let code_address = memory.put(&bytes);
        let at = self.place_targets(&mut memory);
        let bins = if machine.config.bins() { machine.config.tbimr_area as u32 } else { 0 };
        let bounds = if machine.config.spills() { self.bytes_of_bounds() } else { 0 };
        let area = memory.area(bins, bounds);
        let mut commands = vec![];
        let mut driver = Driver::new(&machine.config);
        for (n, pass) in passes.iter().enumerate() {
            let draws = pass.draws.iter().map(|draw| draw.get_ref());
            driver.pass(draws.map(|d| (&d.state, u64::from(self.count(d)) * u64::from(d.instances))));
            let mut record = self.pass_record(pass, &at)?;
            record[pass_record::BIN_AREA] = area;
            commands.push(line(command::PASS, memory.words(&record.0)));
            for (k, (_, draw, d, firsts)) in drawn.iter().enumerate().filter(|d| d.1 .0 == n) {
                commands.extend(self.draw_commands((k, pass), draw, d, firsts, &mut memory, &mut driver)?);
            }
            // What the next pass loads is in memory.
            commands.extend([line(command::END_PASS, 0), line(command::WAIT, 0)]);
        }
        let mut list = commands.repeat(self.spec.target.frames as usize);
        list.push(line(command::END, 0));
        let list = memory.words(&list.concat());
        if memory.bytes.len() as u64 > MOST {
            return bad(format!("{}: more than {MOST} bytes of memory", self.path.display()), "draw less");
        }
        let t = &self.spec.target;
        let mut frame = Frame {
            bytes: vec![],
            code,
            broken,
            code_address,
            list,
            width: t.width,
            height: t.height,
            samples: t.samples,
            row: t.width.div_ceil(2),
            targets: vec![],
            depth: None,
            planes: vec![],
            scratch: memory.scratch,
            buffers: memory.buffers,
            merges,
            public_registers: machine.config.public_registers,
            event_form: machine.config.event_form,
            merge_private: machine.config.merge_private,
            merge_helpers_end: machine.config.merge_helpers_end,
            link: (self.spec.link != LinkMode::Off).then_some(variants.figures),
            bypassed: machine.config.culls().then_some(driver.bypassed),
            binaries,
            warnings,
        };
        frame.take_targets(self, &passes, &at);
        Ok(Frame { bytes: memory.bytes, ..frame })
    }

    /// Bytes of Hi-Z's bounds in memory: 8 for each group of 8 by 8 pixels, in rows of a power of
    /// two.
    fn bytes_of_bounds(&self) -> u32 {
        let t = &self.spec.target;
        8 * t.width.div_ceil(8).next_power_of_two() * t.height.div_ceil(8)
    }

    /// Room for all targets.
    fn place_targets(&self, memory: &mut Placing) -> TargetsAt {
        let t = &self.spec.target;
        let plane = 16 * (t.width.div_ceil(2) * t.height.div_ceil(2)) as usize;
        let mut at = TargetsAt::default();
        for &format in &t.formats {
            let planes = words(format) as usize;
            let samples = memory.zeros(plane * planes * t.samples as usize);
            let seen = if t.samples > 1 { memory.zeros(plane * planes) } else { samples };
            at.colours.push([samples, seen]);
        }
        at.depth = self.has_depth().then(|| memory.zeros(plane * t.samples as usize));
        at
    }

    /// State and draw of one draw.
    fn draw_commands(
        &self,
        (number, pass): (usize, &Pass<'_>),
        draw: &toml::Spanned<DrawSpec>,
        drawn: &Drawn,
        firsts: &[u32],
        memory: &mut Placing,
        driver: &mut Driver,
    ) -> Input<Vec<[u32; 4]>> {
        let d = draw.get_ref();
        let fail = |message: String, help: &str| Err(self.error(draw.span(), message, help));
        let stages: Vec<&Compiled> = [&drawn.pipeline.vertex].into_iter().chain(&drawn.pipeline.fragment).collect();
        let regions = self.regions(number, d, &stages, memory)?;
        let buffers: Vec<(u32, u32, u32)> =
            drawn.buffers.iter().map(|b| (b.slot, memory.put(&b.bytes), b.bytes.len() as u32)).collect();
        let mut placed = vec![];
        for (compiled, &first) in stages.into_iter().zip(firsts) {
            let mut window = self.window(&draw.span(), compiled, &regions, memory)?;
            if placed.is_empty() {
                vertex_buffers(&mut window, &buffers);
            } else {
                let range = depth_range(drawn.pipeline.y_up, d.state.depth_range);
                window[CONST_DEPTH_RANGE..CONST_DEPTH_RANGE + 2].copy_from_slice(&range);
            }
            for &(word, value) in &compiled.binary.interface.constants {
                window[word as usize % WINDOW_WORDS] = value;
            }
            let position = match compiled.binary.interface.position {
                0 => 0,
                part => first + part,
            };
            let length = compiled.binary.code.len() as u32;
            placed.push(Placed { first, length, constants: memory.words(&window), position });
        }
        let record = self.state(&pass.formats(), draw, drawn, &placed)?;
        let state = memory.words(&record.0);
        let mesh = &self.meshes[d.mesh.get_ref()];
        let spec = self.spec.mesh[d.mesh.get_ref()].get_ref();
        let all = mesh.indices.as_ref().map_or(mesh.vertices, Vec::len) as u32;
        let count = self.count(d);
        if u64::from(d.first) + u64::from(count) > u64::from(all) {
            return fail(format!("{count} indices from {} on, the mesh has {all}", d.first), "draw fewer");
        }
        let wrong = |bytes: u32| {
            let help = "index-bytes is 2 (for numbers up to 65535) or 4";
            self.error(draw.span(), format!("indices of {bytes} bytes"), help)
        };
        let bytes = spec.bytes_of_index(mesh.indices.as_deref()).map_err(wrong)?;
        let joining = d.joining(spec, mesh.indices.as_deref()).map_err(wrong)?;
        let strip = d.state.topology == Topology::Strip;
        if d.state.restart == Some(true) && !strip {
            let message = "`restart` of a list of triangles".to_owned();
            return Err(self.error(self.key_of(draw.span(), "restart"), message, "only strips restart: remove it"));
        }
        if d.state.restart == Some(true) && mesh.indices.is_none() {
            let message = "`restart` of a mesh without indices".to_owned();
            return Err(self.error(
                self.key_of(draw.span(), "restart"),
                message,
                "only indices end a strip: remove it",
            ));
        }
        let mark = if bytes == 4 { u32::MAX } else { 0xFFFF };
        let mut triangles = 0u64;
        let mut run = 0u64;
        for n in d.first..d.first + count {
            let index = mesh.indices.as_ref().map_or(n, |i| i[n as usize]);
            if joining.restart == Some(index) {
                run = 0;
                continue;
            }
            let vertex = i64::from(index) + i64::from(d.base_vertex);
            if vertex < 0 || vertex >= mesh.vertices as i64 {
                let message = match d.base_vertex {
                    0 => format!("index {index} of the mesh, which has {} vertices", mesh.vertices),
                    base => format!("base-vertex {base} leads out of the mesh"),
                };
                let again = match strip && index == mark {
                    true => "`restart = true` in the draw's state begins a new strip there".to_owned(),
                    false => format!("only strips restart at {mark}"),
                };
                let help = format!("it has {} vertices; {again}", mesh.vertices);
                return fail(message, &help);
            }
            run += 1;
            triangles += u64::from(run >= 3 && (strip || run.is_multiple_of(3)));
        }
        let mut w = draw_command::Words::default();
        w[draw_command::HEAD] = command::DRAW as u32;
        w.set(draw_command::RESTART, joining.restart.is_some().into());
        if let Some(indices) = &mesh.indices {
            w.set(draw_command::INDEXED, 1);
            w.set(draw_command::WIDE_INDICES, (bytes == 4).into());
            let data: Vec<u8> = match bytes {
                4 => indices.iter().flat_map(|i| i.to_le_bytes()).collect(),
                _ => indices.iter().flat_map(|&i| (i as u16).to_le_bytes()).collect(),
            };
            w[draw_command::INDEX_ADDRESS] = memory.put(&data);
        }
        let bypass = driver.draw(number, d.bypass, drawn, &record, triangles * u64::from(d.instances));
        w.set(draw_command::BYPASS, bypass.into());
        w[draw_command::COUNT] = count;
        w[draw_command::FIRST] = d.first;
        w[draw_command::INSTANCES] = d.instances;
        w[draw_command::BASE_VERTEX] = d.base_vertex as u32;
        w[draw_command::FIRST_INSTANCE] = d.first_instance;
        Ok(vec![line(command::STATE, state), w.array(0), w.array(4)])
    }

    /// Indices or vertices that a draw names.
    fn count(&self, d: &DrawSpec) -> u32 {
        let mesh = &self.meshes[d.mesh.get_ref()];
        let all = mesh.indices.as_ref().map_or(mesh.vertices, Vec::len) as u32;
        d.count.unwrap_or(all.saturating_sub(d.first))
    }
}

impl Frame {
    /// Draws other indices or vertices with the first draw of the list: so many from there on.
    #[cfg(feature = "beside")]
    pub(crate) fn cut_first_draw(&mut self, first: u32, count: u32) {
        // A pass, a state, then the draw with its count and first index.
        let at = (self.list - crate::machine::layout::BASE) as usize + 2 * 16;
        for (word, value) in [(draw_command::COUNT, count), (draw_command::FIRST, first)] {
            self.bytes[at + 4 * word as usize..][..4].copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Which memory is a target's, and what of it is defined at the end.
    fn take_targets(&mut self, scene: &Scene, passes: &[Pass<'_>], at: &TargetsAt) {
        let t = &scene.spec.target;
        let (kept, depth_kept) = scene.kept(passes);
        let plane = 16 * self.row * self.height.div_ceil(2);
        let mut add = |address: u32, planes: u32, kept: bool| {
            self.planes.push((address, planes));
            if !kept {
                self.scratch.push(address..address + planes * plane);
            }
        };
        for ((&format, &[samples, seen]), [stored, shown]) in t.formats.iter().zip(&at.colours).zip(kept) {
            add(samples, words(format) * t.samples, stored);
            if t.samples > 1 {
                add(seen, words(format), shown);
            }
            self.targets.push(TargetAt { format, address: seen, samples, kept: [shown, stored] });
        }
        if let Some(address) = at.depth {
            add(address, t.samples, depth_kept);
            self.depth = Some(DepthAt { address, kept: depth_kept });
        }
    }
}
