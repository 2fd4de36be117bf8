//! Inputs and outputs of vertex and fragment programs, as docs/graphics.md states them: attributes
//! loaded by format, varyings interpolated by the machine's own operations, colours packed for
//! their target, depth rounded to 24 bits.
//!
//! Inputs are computed at the start of the program; what nobody uses is removed later, attributes
//! and all. Which outputs there are is known from their declarations, before the program is
//! lowered. Their values are collected and given away where the program ends. It can be wrong in an
//! order of operations that the page does not have; images of another renderer and the golden model
//! show it.

use super::cx::{Emit, Res};
use super::stage_io::{Declared, Input, Output, Place, Taken};
use crate::fault::CompilerFault;
use crate::front::linkage::{Attribute, Linkage, Rule, Stored, TargetFormat, MOST_WORDS};
use crate::interface::{Interpolation, Numbers, Stage, Varying};
use crate::ssa::{How, Kind, Role, Space, Value, Width};
use quadlock_isa::abi::{CONST_BUFFERS, CONST_DEPTH_RANGE, MAX_BUFFERS};
use quadlock_isa::{Op, Special};

/// First output word of a varying.
const FIRST_VARYING: u32 = 4;
/// The most before linking: more than locations that a program can name.
const MOST_BEFORE: u32 = 1 << 12;
/// Word of the position whose reciprocal is an input of fragments.
const W: u32 = 3;
/// Colour targets of a fragment program.
const MAX_TARGETS: usize = 4;
/// Output words of a fragment behind those of the targets.
const DEPTH_WORD: u32 = 8;
const MASK_WORD: u32 = 9;

impl Emit<'_> {
    /// Whether inputs and outputs are those of a pipeline.
    pub fn is_linked(&self) -> bool {
        self.p.linkage.is_some()
    }

    /// That bug is planted.
    pub(super) fn has(&self, fault: CompilerFault) -> bool {
        self.p.linkage.as_ref().is_some_and(|l| l.fault == Some(fault))
    }

    fn stage(&self) -> Option<Stage> {
        self.p.io.stage
    }

    /// Words of an input by location: those of components `component` on.
    pub fn location_input(
        &mut self,
        (location, component): (u32, u32),
        words: u32,
        numbers: Option<Numbers>,
        taken: Taken,
        name: &str,
    ) -> Res<Vec<Value>> {
        let Some(numbers) = numbers else {
            return Err(self.refuse(format!("input `{name}` is no number")));
        };
        self.p.io.interface.input_names.entry(location).or_insert_with(|| name.to_string());
        match self.stage() {
            Some(Stage::Vertex) => self.attribute((location, component), words, numbers, name),
            _ => {
                self.same_size(location, component + words, name)?;
                (component..component + words).map(|c| self.varying((location, c), numbers, taken, name)).collect()
            }
        }
    }

    /// Of two WGSL programs an input takes all components of its output.
    fn same_size(&self, location: u32, words: u32, name: &str) -> Res<()> {
        let Some(linkage) = self.p.linkage.as_ref().filter(|l| l.rule == Rule::WebGpu) else { return Ok(()) };
        let given = linkage.varyings.iter().filter(|v| v.location == location).count() as u32;
        if given <= words {
            return Ok(());
        }
        let message = format!(
            "input `{name}` at location {location} has {words} components, and {} gives {given}",
            linkage.vertex
        );
        Err(self.refuse_help(message, "make both the same type"))
    }

    fn attribute(&mut self, at: (u32, u32), words: u32, numbers: Numbers, name: &str) -> Res<Vec<Value>> {
        let known = self.p.linkage.as_ref().map(|l| l.attributes.clone()).unwrap_or_default();
        let assumed = self.p.linkage.as_ref().is_some_and(|l| l.assumed);
        let assumed = assumed.then(|| Attribute::assumed(at.0, at.1 + words, numbers));
        let Some(a) = known.iter().find(|a| a.location == at.0).or(assumed.as_ref()) else {
            let have: Vec<String> = known.iter().map(|a| a.location.to_string()).collect();
            let message = format!("no vertex buffer has an attribute for input `{name}` at location {}", at.0);
            let help = format!("add one; there are attributes for the locations {}", list(&have));
            return Err(self.refuse_help(message, &help));
        };
        let stored = match a.format.stored {
            Stored::Uint8 | Stored::Uint16 | Stored::Uint32 => Numbers::Uint,
            Stored::Sint8 | Stored::Sint16 | Stored::Sint32 => Numbers::Int,
            _ => Numbers::Float,
        };
        if stored != numbers {
            let message = format!("input `{name}` is {} and its attribute is {}", named(numbers), named(stored));
            return Err(
                self.refuse_help(message, "choose another format of the attribute or another type of the input")
            );
        }
        let loc = self.b.loc;
        self.b.loc = loc.with(Role::Fetch);
        let all = self.fetch_attribute(a);
        self.b.loc = loc;
        Ok((at.1..at.1 + words)
            .map(|c| match all.get(c as usize) {
                Some(&value) => value,
                None if c == 3 => self.b.constant(if numbers == Numbers::Float { 1f32.to_bits() } else { 1 }),
                None => self.b.constant(0),
            })
            .collect())
    }

    /// Loads an attribute's components and converts them.
    fn fetch_attribute(&mut self, a: &Attribute) -> Vec<Value> {
        let entry = MAX_BUFFERS as u32 - 1 - a.slot;
        let base = self.b.const_word(CONST_BUFFERS as u32 + 2 * entry);
        let index = self.b.special(if a.per_instance { Special::InstanceIndex } else { Special::VertexIndex });
        let addr = self.b.multiply_add(index, a.stride, Some(base));
        let space = Space::ReadOnly;
        let (bits, count) = (a.format.component_bits(0).1, a.format.count);
        let aligned = |bytes: u32| a.offset.is_multiple_of(bytes) && a.stride.is_multiple_of(bytes);
        let mut load = |width: Width, at: u32| {
            self.b.push(Kind::Load { space, width, addr, offset: (a.offset + at) as i32 }, width.words())
        };
        if bits == 32 {
            let mut words = vec![];
            while (words.len() as u32) < count {
                let left = count - words.len() as u32;
                let at = 4 * words.len() as u32;
                words.extend(match left {
                    4 if aligned(16) => load(Width::W128, at),
                    2.. if aligned(8) && at.is_multiple_of(8) => load(Width::W64, at),
                    _ => load(Width::W32, at),
                });
            }
            return words;
        }
        // Words if they are whole, else each component. WebGPU aligns elements that are one word.
        let whole = a.format.is_packed() || aligned(4) && a.format.bytes().is_multiple_of(4);
        let packed: Vec<(Value, u32)> = if whole {
            let words: Vec<Value> = (0..a.format.bytes() / 4).flat_map(|w| load(Width::W32, 4 * w)).collect();
            let places = (0..count).map(|c| a.format.component_bits(c).0);
            places.map(|bit| (words[(bit / 32) as usize], bit % 32)).collect()
        } else {
            let width = if bits == 8 { Width::U8 } else { Width::U16 };
            (0..count).flat_map(|c| load(width, c * bits / 8)).map(|v| (v, 0)).collect()
        };
        let fields = (0..).zip(packed).map(|(c, (word, shift))| (word, shift, a.format.component_bits(c).1));
        fields.map(|(word, shift, bits)| self.component(a.format.stored, word, shift, bits)).collect()
    }

    /// A component of `bits` at `shift` of a word.
    fn component(&mut self, stored: Stored, word: Value, shift: u32, bits: u32) -> Value {
        let op = match stored {
            Stored::Sint8 | Stored::Sint16 if !self.has(CompilerFault::AttributeInteger) => Op::SBfe,
            _ => Op::UBfe,
        };
        let field = self.b.constant(shift | bits << 8);
        let raw = self.b.alu2(op, word, field);
        match stored {
            Stored::Float16 => self.b.alu1(Op::UpkF16, raw),
            Stored::Unorm8 | Stored::Unorm8Bgra => self.b.alu1(Op::UN2F8, raw),
            Stored::Snorm8 if self.has(CompilerFault::AttributeSign) => self.b.alu1(Op::UN2F8, raw),
            Stored::Snorm8 => self.b.alu1(Op::SN2F8, raw),
            Stored::Unorm16 => self.b.alu1(Op::UN2F16, raw),
            Stored::Snorm16 => self.b.alu1(Op::SN2F16, raw),
            Stored::Unorm10_10_10_2 if bits == 2 => {
                // n / 3 is 85 n / 255.
                let bytes = self.b.alu_imm(Op::IMul, raw, 85);
                self.b.alu1(Op::UN2F8, bytes)
            }
            Stored::Unorm10_10_10_2 => self.unorm10(raw),
            _ => raw,
        }
    }

    /// n / 1023, rounded once. 1 / 1023 is 2^-10 + 2^-20 + 2^-30, an f32, and 2^-40 and less. That
    /// product alone is a tie for some n that the rest takes upwards: so the rest is added to it.
    fn unorm10(&mut self, n: Value) -> Value {
        let n = self.b.alu1(Op::U2F, n);
        let (most, rest) = (1.0f32 / 1023.0, 2f32.powi(-40));
        let [most, rest] = [most, rest].map(|x| self.b.constant(x.to_bits()));
        let rest = self.b.alu2(Op::FMul, n, rest);
        self.b.alu3(Op::FFma, n, most, rest)
    }

    /// One component of a varying.
    fn varying(&mut self, (location, component): (u32, u32), numbers: Numbers, taken: Taken, name: &str) -> Res<Value> {
        let linkage = self.p.linkage.clone().unwrap_or_default();
        let found = linkage.varyings.iter().find(|v| (v.location, v.component) == (location, component));
        let Some(found) = found else {
            let mut have: Vec<String> = linkage.varyings.iter().map(|v| v.location.to_string()).collect();
            have.dedup();
            let message = match have.contains(&location.to_string()) {
                true => {
                    format!("input `{name}` at location {location} has more components than {} gives", linkage.vertex)
                }
                false => format!("{} gives no output for input `{name}` at location {location}", linkage.vertex),
            };
            let help = format!("give it one, or remove the input; its outputs have the locations {}", list(&have));
            return Err(self.refuse_help(message, &help));
        };
        if found.numbers != numbers {
            let (here, there) = (named(numbers), named(found.numbers));
            let message = format!("input `{name}` is {here}, and its output of {} is {there}", linkage.vertex);
            return Err(self.refuse_help(message, "make both the same type"));
        }
        if numbers != Numbers::Float && taken.interpolation != Interpolation::Flat {
            return Err(self.refuse_help(format!("input `{name}` is an integer and not flat"), "make it flat"));
        }
        self.same_way(&linkage, *found, taken, name)?;
        if linkage.unwritten.contains(&(location, component)) {
            let message = format!(
                "input `{name}` at location {location} is 0: {} declares its output and never writes it",
                linkage.vertex
            );
            self.warn(message, "write the output, or remove the input");
        }
        let word = found.word;
        let Taken { interpolation, place: sampling } = taken;
        self.p.io.varying(Varying { location, component, word, numbers, interpolation, sampling });
        let how = match interpolation {
            Interpolation::Flat => How::Flat,
            Interpolation::Perspective => How::Perspective(sampling as u32),
            Interpolation::Linear => How::Linear(sampling as u32),
        };
        Ok(self.b.push(Kind::Input { word, how }, 1)[0])
    }

    /// An input and its output have to say the same of interpolation and sampling. Between programs
    /// of Vulkan the input's word counts; that the output says another is a warning.
    fn same_way(&mut self, linkage: &Linkage, output: Varying, taken: Taken, name: &str) -> Res<()> {
        let given = Taken { interpolation: output.interpolation, place: output.sampling };
        // GLSL and SPIR-V need not say of a vertex program's integers that they are flat.
        if output.numbers != Numbers::Float || way(given) == way(taken) {
            return Ok(());
        }
        let (here, there) = (way(taken), way(given));
        let message = format!(
            "input `{name}` at location {} is {here}, and {} gives it {there}",
            output.location, linkage.vertex
        );
        let help = format!("say the same of both: make the input {there}, or the output {here}");
        if linkage.rule != Rule::Vulkan {
            return Err(self.refuse_help(message, &help));
        }
        if given != (Taken { interpolation: Interpolation::Perspective, place: Place::Centre }) {
            self.warn(message, &format!("the input decides, as in Vulkan; {help}"));
        }
        Ok(())
    }

    /// Warns at the current position: once for all components.
    fn warn(&mut self, message: String, help: &str) {
        let warning = self.refuse_help(message, help).to_string();
        if !self.p.io.warnings.contains(&warning) {
            self.p.io.warnings.push(warning);
        }
    }

    /// Whether a fragment program has a target at a location, which the draw writes.
    pub fn draws_to(&self, location: u32) -> bool {
        let Some(l) = &self.p.linkage else { return false };
        let targets = if l.assumed { MAX_TARGETS } else { l.targets.len() };
        (location as usize) < targets && l.written.get(location as usize).copied().unwrap_or(true)
    }

    /// Every target that the draw writes has an output; `declared` are the outputs' locations.
    pub fn check_targets(&self, declared: &[u32]) -> Res<()> {
        if self.stage() != Some(Stage::Fragment) {
            return Ok(());
        }
        let targets = self.p.linkage.as_ref().map_or(0, |l| l.targets.len() as u32);
        match (0..targets).find(|t| self.draws_to(*t) && !declared.contains(t)) {
            None => Ok(()),
            Some(t) => {
                let message = format!("the fragment program has no output for target {t}, which the draw writes");
                let help = format!(
                    "give it an output at location {t}, or write nothing there: \"\" as entry {t} of the state's `write`"
                );
                Err(self.refuse_help(message, &help))
            }
        }
    }

    /// Words of a built-in input.
    pub fn stage_input(&mut self, input: Input) -> Vec<Value> {
        match input {
            Input::VertexIndex => vec![self.b.special(Special::VertexIndex)],
            Input::InstanceIndex => vec![self.b.special(Special::InstanceIndex)],
            Input::FrontFacing => vec![self.b.special(Special::Facing)],
            Input::SampleIndex => vec![self.b.special(Special::Sample)],
            Input::SampleMask => vec![self.b.special(Special::SampleCoverage)],
            Input::Helper => vec![self.is_helper()],
            Input::SamplePosition => [0, 1].map(|axis| self.in_pixel(axis)).to_vec(),
            Input::Position => self.fragment_position(),
        }
    }

    /// Where in its pixel a lane is, along an axis: the sample's place, or the centre.
    fn in_pixel(&mut self, axis: usize) -> Value {
        let samples = self.p.linkage.as_ref().map_or(1, |l| l.samples);
        // Sixteenths, four bits for each sample.
        let places = match samples {
            2 => [0x4C, 0x4C][axis],
            4 => [0xA2E6, 0xEA62][axis],
            _ => return self.b.float(0.5),
        };
        if !self.p.io.interface.per_sample {
            return self.b.float(0.5);
        }
        let sample = self.b.special(Special::Sample);
        let shift = self.b.alu_imm(Op::Shl, sample, 2);
        let table = self.b.constant(places);
        let shifted = self.b.alu2(Op::Shr, table, shift);
        let sixteenths = self.b.alu_imm(Op::And, shifted, 15);
        let number = self.b.alu1(Op::U2F, sixteenths);
        let scale = self.b.float(1.0 / 16.0);
        self.b.alu2(Op::FMul, number, scale)
    }

    fn fragment_position(&mut self) -> Vec<Value> {
        let mut out = vec![];
        let loc = self.b.loc;
        self.b.loc = loc.with(Role::Interpolation);
        for (axis, pixel) in [Special::PixelX, Special::PixelY].into_iter().enumerate() {
            let pixel = self.b.special(pixel);
            let corner = self.b.alu1(Op::U2F, pixel);
            let inside = if self.has(CompilerFault::PositionCorner) { self.b.float(0.0) } else { self.in_pixel(axis) };
            out.push(self.b.alu2(Op::FAdd, corner, inside));
        }
        let depth = self.b.special(Special::Depth);
        let depth = self.b.alu1(Op::U2F, depth);
        let unit = self.b.float(1.0 / 16_777_215.0);
        out.push(self.b.alu2(Op::FMul, depth, unit));
        let place = if self.p.io.interface.per_sample { Place::Sample } else { Place::Centre };
        out.extend(self.b.push(Kind::Input { word: W, how: How::Perspective(place as u32) }, 1));
        self.b.loc = loc;
        out
    }

    /// An output by location is there, whether the program stores to it or not.
    pub fn declare_output(&mut self, output: &Declared) -> Res<()> {
        let name = output.name;
        self.p.io.interface.output_names.entry(output.at.0).or_insert_with(|| name.to_string());
        match self.stage() {
            Some(Stage::Vertex) => self.declare_varying(output),
            _ => self.declare_colour(output),
        }
    }

    fn declare_varying(&mut self, output: &Declared) -> Res<()> {
        let Declared { at: (location, first), words, numbers, taken, name, written } = *output;
        let Taken { interpolation, place: sampling } = taken;
        let Some(numbers) = numbers else {
            return Err(self.refuse(format!("output `{name}` is no number")));
        };
        let wide = self.p.linkage.as_ref().is_some_and(|l| l.wide);
        let most = if wide { MOST_BEFORE } else { MOST_WORDS };
        for component in first..first + words {
            let word = FIRST_VARYING + self.p.io.interface.varyings.len() as u32;
            // The number of the reciprocals is left out.
            let word = word + u32::from(word >= MOST_WORDS);
            if word >= most {
                let message = format!("output `{name}`: more than {} words", most - FIRST_VARYING);
                return Err(self.refuse_help(message, "pass on less from vertices to fragments"));
            }
            self.p.io.varying(Varying { location, component, word, numbers, interpolation, sampling });
            if !written {
                self.p.io.unwritten.insert((location, component));
            }
        }
        Ok(())
    }

    fn declare_colour(&mut self, output: &Declared) -> Res<()> {
        let Declared { at: (location, _), numbers, name, written, .. } = *output;
        let targets = self.p.linkage.as_ref().map_or(0, |l| l.targets.len());
        let assumed = self.p.linkage.as_ref().is_some_and(|l| l.assumed);
        if location as usize >= if assumed { MAX_TARGETS } else { targets } {
            let message = format!("output `{name}` at location {location}: there is no such target");
            return Err(self.refuse_help(message, &format!("the scene has {targets}; add one, or remove the output")));
        }
        if numbers != Some(Numbers::Float) {
            return Err(self.refuse_help(format!("output `{name}` is no float"), "every target's colours are floats"));
        }
        if !written {
            let message = format!("output `{name}` at location {location} is 0: it is declared and never written");
            self.warn(message, "write the output, or remove it and leave the target out of the state's `write`");
        }
        Ok(())
    }

    /// Takes an output's words; they are given away by [`Self::finish_outputs`].
    pub fn stage_output(&mut self, output: Output, words: &[Value]) {
        let vertex = self.stage() == Some(Stage::Vertex);
        match output {
            Output::Nothing => {}
            Output::Position => (0..).zip(words).for_each(|(k, &w)| {
                self.p.io.outputs.insert(k, w);
            }),
            Output::Depth => self.p.io.depth = words.first().copied(),
            Output::SampleMask => self.p.io.mask = words.first().copied(),
            Output::Location(location, component) => {
                for (component, &value) in (component..).zip(words) {
                    let is = |v: &&Varying| (v.location, v.component) == (location, component);
                    let word = match vertex {
                        true => self.p.io.interface.varyings.iter().find(is).map(|v| v.word),
                        false => Some(4 * location + component),
                    };
                    self.p.io.outputs.extend(word.map(|word| (word, value)));
                }
            }
        }
    }

    /// Gives the outputs away, where the program ends.
    pub fn finish_outputs(&mut self) -> Res<()> {
        let outputs = std::mem::take(&mut self.p.io.outputs);
        let (depth, mask) = (self.p.io.depth.take(), self.p.io.mask.take());
        self.b.loc = self.b.loc.with(Role::Export);
        match self.stage() {
            Some(Stage::Vertex) => {
                if !(0..4).all(|k| outputs.contains_key(&k)) {
                    return Err(self.refuse_help("the vertex program gives no position", "write its built-in position"));
                }
                outputs.into_iter().for_each(|(word, value)| self.output(word, value));
            }
            Some(Stage::Fragment) => {
                let mut linkage = self.p.linkage.clone().unwrap_or_default();
                if linkage.assumed {
                    let words = outputs.keys().last().map_or(0, |w| w / 4 + 1);
                    linkage.targets = vec![TargetFormat::Rgba8Unorm; words as usize];
                }
                for (t, &format) in (0..).zip(&linkage.targets) {
                    let turned = self.has(CompilerFault::OutputOrder);
                    let place = |c: u32| if turned && c < 2 { 1 - c } else { c };
                    let component = |c: u32| outputs.get(&(4 * t + place(c))).copied();
                    self.colour(t, format, [0, 1, 2, 3].map(component));
                }
                if let Some(f) = depth {
                    let mut depth = self.depth_of(f);
                    if linkage.holds_depth && !self.has(CompilerFault::DepthRange) {
                        let [least, most] = [0, 1].map(|k| self.b.const_word(CONST_DEPTH_RANGE as u32 + k));
                        depth = self.b.alu2(Op::UMax, depth, least);
                        depth = self.b.alu2(Op::UMin, depth, most);
                    }
                    self.output(DEPTH_WORD, depth);
                    self.p.io.interface.writes_depth = true;
                }
                let alpha = outputs.get(&3).copied().filter(|_| linkage.alpha_to_coverage && linkage.samples > 1);
                let by_alpha = alpha.map(|a| self.alpha_mask(a, linkage.samples));
                let mask = match (mask, by_alpha) {
                    (Some(a), Some(b)) => Some(self.b.alu2(Op::And, a, b)),
                    (a, b) => a.or(b),
                };
                if let Some(mask) = mask.filter(|_| !self.has(CompilerFault::MaskLost)) {
                    self.output(MASK_WORD, mask);
                    self.p.io.interface.writes_mask = true;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn output(&mut self, word: u32, value: Value) {
        // What a fragment program gives away is a colour's form, no longer the value itself.
        let invariant = &self.p.io.invariant;
        let any = self.stage() == Some(Stage::Fragment) && !invariant.is_empty();
        let exact = any || invariant.contains(&value);
        self.b.output(word, value, exact);
    }

    /// A colour in its target's form.
    fn colour(&mut self, target: u32, format: TargetFormat, components: [Option<Value>; 4]) {
        let none = components == [None; 4];
        let c: Vec<Value> = components
            .into_iter()
            .enumerate()
            .map(|(k, c)| c.unwrap_or_else(|| self.b.float(if k == 3 && !none { 1.0 } else { 0.0 })))
            .collect();
        let mut pair = |low: Value, high: Value, op: Op| {
            if op == Op::PkF16 {
                return self.b.alu2(op, low, high);
            }
            let (low, high) = (self.b.alu1(op, low), self.b.alu1(op, high));
            let bits = if op == Op::F2UN8 { 8 } else { 16 };
            let high = self.b.alu_imm(Op::Shl, high, bits);
            self.b.alu2(Op::Or, low, high)
        };
        let words = match format {
            TargetFormat::Rgba8Unorm => {
                let (low, high) = (pair(c[0], c[1], Op::F2UN8), pair(c[2], c[3], Op::F2UN8));
                let high = self.b.alu_imm(Op::Shl, high, 16);
                vec![self.b.alu2(Op::Or, low, high)]
            }
            TargetFormat::Rgba8UnormSrgb => vec![pair(c[0], c[1], Op::F2UN16), pair(c[2], c[3], Op::F2UN16)],
            TargetFormat::Rgba16Float => vec![pair(c[0], c[1], Op::PkF16), pair(c[2], c[3], Op::PkF16)],
            TargetFormat::R32Float => vec![c[0]],
        };
        (2 * target..).zip(words).for_each(|(word, value)| self.output(word, value));
    }

    /// floor(1/2 + (2^24 - 1) f), f held in [0, 1], NaN 0. With f 2^24 = i + r, which is exact, it
    /// is i + floor(1/2 + r - f); and r is 0 where f is 1/2 or more.
    fn depth_of(&mut self, f: Value) -> Value {
        let (zero, one, half) = (self.b.float(0.0), self.b.float(1.0), self.b.float(0.5));
        let f = self.b.alu2(Op::FMax, f, zero);
        let f = self.b.alu2(Op::FMin, f, one);
        let scale = self.b.float(if self.has(CompilerFault::DepthScale) { 8_388_608.0 } else { 16_777_216.0 });
        let scaled = self.b.alu2(Op::FMul, f, scale);
        let whole = self.b.alu1(Op::F2U, scaled);
        let rest = self.b.alu1(Op::FFract, scaled);
        let above = self.b.alu2(Op::FSub, rest, half);
        let up = self.b.alu2(Op::FSetGe, above, f);
        let down = self.b.alu2(Op::FSetGt, f, half);
        let sum = self.b.alu2(Op::IAdd, whole, up);
        self.b.alu2(Op::ISub, sum, down)
    }

    /// Sample k is kept if floor(1/2 + n a) > k, which is a >= (k + 1/2) / n.
    fn alpha_mask(&mut self, alpha: Value, samples: u32) -> Value {
        let mut mask = self.b.constant(0);
        for k in 0..samples {
            let half = if self.has(CompilerFault::AlphaMask) { 0.0 } else { 0.5 };
            let least = self.b.float((k as f32 + half) / samples as f32);
            let kept = self.b.alu2(Op::FSetGe, alpha, least);
            let bit = self.b.alu_imm(Op::Shl, kept, k);
            mask = self.b.alu2(Op::Or, mask, bit);
        }
        mask
    }
}

/// How a varying is taken, in words; of a flat one no place counts.
fn way(taken: Taken) -> &'static str {
    match (taken.interpolation, taken.place) {
        (Interpolation::Flat, _) => "flat",
        (Interpolation::Perspective, Place::Centre) => "perspective (at the centre)",
        (Interpolation::Perspective, Place::Centroid) => "perspective at the centroid",
        (Interpolation::Perspective, Place::Sample) => "perspective at the sample",
        (Interpolation::Linear, Place::Centre) => "linear (at the centre)",
        (Interpolation::Linear, Place::Centroid) => "linear at the centroid",
        (Interpolation::Linear, Place::Sample) => "linear at the sample",
    }
}

fn named(numbers: Numbers) -> &'static str {
    match numbers {
        Numbers::Float => "of floats",
        Numbers::Int => "of signed integers",
        Numbers::Uint => "of unsigned integers",
    }
}

fn list(all: &[String]) -> String {
    if all.is_empty() {
        return "(none)".into();
    }
    all.join(", ")
}
