//! The programs of a draw, compiled for its attributes and the scene's targets; and the data of its
//! vertex buffers in memory, each attribute in the format that it is stored in.

use std::path::Path;

use quadlock_shader::compile::Uniforms;
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::front::linkage::{Attribute, AttributeFormat, Stored, TargetFormat};
use quadlock_shader::front::Diagnostics;
use quadlock_shader::graphics::{bindings, compile_pipeline, Pipeline, PipelineRequest, StageSource};
use quadlock_shader::Options;

use crate::base::error::{Input, InputError};
use crate::base::files::{read, MOST_TEXT};
use crate::linking::{LinkMode, Variants, Wanted};
use crate::scene::file::mesh::{array, Array};
use crate::scene::file::spec::{DrawSpec, FormatName, ProgramName, Written};
use crate::scene::Scene;

/// A vertex buffer.
#[derive(Clone, Debug)]
pub struct VertexBuffer {
    pub slot: u32,
    pub bytes: Vec<u8>,
}

/// The programs of a draw and its vertex buffers.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub pipeline: Pipeline,
    pub buffers: Vec<VertexBuffer>,
}

/// Locations of attributes that the draw does not name.
const USUAL: [&str; 4] = ["position", "normal", "uv", "colour"];

fn format_of(name: FormatName) -> TargetFormat {
    match name {
        FormatName::Rgba8unorm => TargetFormat::Rgba8Unorm,
        FormatName::Rgba8unormSrgb => TargetFormat::Rgba8UnormSrgb,
        FormatName::Rgba16float => TargetFormat::Rgba16Float,
        FormatName::R32float => TargetFormat::R32Float,
    }
}

/// An element in memory. Components that it has not are 0.
fn bytes_of(element: &[f64], format: AttributeFormat) -> Vec<u8> {
    let all = element.iter().copied().chain([0.0; 4]);
    let mut packed = 0u128;
    for (c, x) in (0..format.count).zip(all) {
        let (at, bits) = format.component_bits(c);
        packed |= u128::from(bits_of(x, format.stored, bits)) << at;
    }
    packed.to_le_bytes()[..format.bytes() as usize].to_vec()
}

/// A number as a component of `bits`.
fn bits_of(x: f64, stored: Stored, bits: u32) -> u32 {
    let all = u32::MAX >> (32 - bits);
    let most = f64::from(all >> 1);
    match stored {
        Stored::Float32 => (x as f32).to_bits(),
        Stored::Float16 => quadlock_golden::float::f32_to_f16((x as f32).to_bits()),
        Stored::Unorm8 | Stored::Unorm16 | Stored::Unorm10_10_10_2 | Stored::Unorm8Bgra => {
            (x.clamp(0.0, 1.0) * f64::from(all)).round_ties_even() as u32
        }
        Stored::Snorm8 | Stored::Snorm16 => (x.clamp(-1.0, 1.0) * most).round_ties_even() as i32 as u32 & all,
        Stored::Uint8 | Stored::Uint16 | Stored::Uint32 => x.clamp(0.0, f64::from(all)) as u32,
        Stored::Sint8 | Stored::Sint16 | Stored::Sint32 => x.clamp(-most - 1.0, most) as i32 as u32 & all,
    }
}

impl Scene {
    /// Compiles a draw.
    ///
    /// # Errors
    /// An attribute that the mesh has not, or what the compiler refuses.
    pub(super) fn drawn(
        &self,
        draw: &DrawSpec,
        formats: &[FormatName],
        options: &Options,
        variants: &mut Variants<Pipeline>,
    ) -> Input<Drawn> {
        let (attributes, buffers) = self.attributes(draw)?;
        let read_program = |name: &toml::Spanned<Written<ProgramName>>| {
            let Written(program) = name.get_ref();
            let (path, entry) = (self.resolve(&program.file), program.entry.clone());
            let data = read(&path, MOST_TEXT).map_err(|e| {
                self.error(name.span(), e.message(), "check the name; paths are relative to the scene file")
            })?;
            Ok::<_, Box<InputError>>((path.display().to_string(), data, entry))
        };
        let v = read_program(&draw.vertex)?;
        let f = draw.fragment.as_ref().map(read_program).transpose()?;
        let request = PipelineRequest {
            vertex: StageSource { path: &v.0, source: &v.1, entry: v.2.as_deref() },
            fragment: f.as_ref().map(|f| StageSource { path: &f.0, source: &f.1, entry: f.2.as_deref() }),
            attributes,
            targets: formats.iter().map(|&f| format_of(f)).collect(),
            written: (0..formats.len())
                .map(|t| draw.state.write.get(t).or(draw.state.write.first()).is_none_or(|w| !w.is_empty()))
                .collect(),
            samples: self.spec.target.samples,
            link: None,
            alpha_to_coverage: draw.state.alpha_to_coverage,
            options: Options { constants: self.constants(), ..options.clone() },
        };
        let own = self.path.display().to_string();
        let text = &self.text;
        let sources = [&v].into_iter().chain(&f).map(|s| (s.0.as_str(), &s.1[..]));
        let sources: Vec<(&str, &[u8])> = sources.chain([(own.as_str(), text.as_bytes())]).collect();
        let known = match self.spec.link {
            LinkMode::Values => {
                // Numbers need no program.
                let named = draw.binding.iter().any(|b| b.get_ref().name.is_some());
                let programs = if named { bindings(&request) } else { Ok(vec![]) };
                self.known(draw, &programs.map_err(|e| self.compiler_error(&sources, &e))?)?
            }
            _ => Uniforms::new(),
        };
        let wanted = Wanted {
            key: if self.spec.link == LinkMode::Off { String::new() } else { format!("{request:?}") },
            known: &known,
            limit: self.spec.variants,
            stale: options.fault == Some(CompilerFault::VariantStale),
        };
        let pipeline =
            variants.get(wanted, &|link| compile_pipeline(&PipelineRequest { link: link.cloned(), ..request.clone() }));
        let pipeline = pipeline.map_err(|e| self.compiler_error(&sources, &e))?;
        Ok(Drawn { pipeline, buffers })
    }

    /// A compiler's message with its place in the source.
    fn compiler_error(&self, sources: &[(&str, &[u8])], all: &Diagnostics) -> Box<InputError> {
        let Some(first) = all.0.first() else { return Box::new(InputError::new("the compiler refuses a program")) };
        let error = InputError::new(first.message.clone()).help(first.help.clone());
        let Some((path, data)) = sources.iter().find(|s| s.0 == first.file).filter(|_| first.line > 0) else {
            return Box::new(InputError::new(format!("{}: {}", first.file, first.message)).help(first.help.clone()));
        };
        let text = String::from_utf8_lossy(data).into_owned();
        let start: usize = text.split_inclusive('\n').take(first.line as usize - 1).map(str::len).sum();
        let column: usize = text[start..].chars().take(first.column.max(1) as usize - 1).map(char::len_utf8).sum();
        let at = start + column;
        Box::new(error.at(Path::new(path), &text, at..at + 1, "here"))
    }

    /// Attributes of a draw and the buffers that hold them.
    fn attributes(&self, draw: &DrawSpec) -> Input<(Vec<Attribute>, Vec<VertexBuffer>)> {
        let mesh = &self.meshes[draw.mesh.get_ref()];
        let mut instanced = vec![];
        for (name, values) in &draw.instance {
            let array = array(values).map_err(|e| {
                self.error(draw.mesh.span(), format!("instance array `{name}`: {e}"), "write numbers or lists of them")
            })?;
            if let Some(n) = array.numbers.iter().find(|&&n| !(n as f32).is_finite()) {
                let message = format!("instance array `{name}`: {n:?} is no finite f32");
                return Err(self.error(draw.mesh.span(), message, "write smaller numbers"));
            }
            let needed = u64::from(draw.first_instance) + u64::from(draw.instances);
            if (array.elements() as u64) < needed {
                let message = format!("instance array `{name}` has {} elements, {needed} are drawn", array.elements());
                return Err(self.error(draw.mesh.span(), message, "add elements, or draw fewer instances"));
            }
            instanced.push((name.clone(), array));
        }
        let mut chosen: Vec<(u32, AttributeFormat, bool, &Array)> = vec![];
        if draw.attributes.is_empty() {
            for (location, name) in (0..).zip(USUAL) {
                if let Some(array) = mesh.attributes.get(name) {
                    let format = AttributeFormat { stored: Stored::Float32, count: array.components as u32 };
                    chosen.push((location, format, false, array));
                }
            }
        }
        for (name, spec) in &draw.attributes {
            let span = spec.span();
            let Written(spec) = spec.get_ref();
            let by_instance = instanced.iter().find(|i| i.0 == *name).map(|i| &i.1);
            let per_instance = spec.per_instance || by_instance.is_some();
            let Some(array) = by_instance.or(mesh.attributes.get(name)) else {
                let known: Vec<&str> = mesh.attributes.keys().map(String::as_str).collect();
                let help = format!("the mesh has: {}", known.join(", "));
                return Err(self.error(span, format!("the mesh `{}` has no `{name}`", draw.mesh.get_ref()), help));
            };
            let format = match &spec.format {
                None => AttributeFormat { stored: Stored::Float32, count: array.components as u32 },
                Some(text) => match AttributeFormat::from_name(text) {
                    Some(format) => format,
                    None => {
                        return Err(self.error(
                            span,
                            format!("there is no format `{text}`"),
                            "as WebGPU names them: float32x3, unorm8x4, unorm10-10-10-2, ...",
                        ))
                    }
                },
            };
            chosen.push((spec.location, format, per_instance, array));
        }
        let mut buffers = vec![];
        let mut attributes = vec![];
        for (slot, (location, format, per_instance, array)) in (0..).zip(chosen) {
            let stride = format.bytes().next_multiple_of(4);
            let mut bytes = vec![];
            for element in array.numbers.chunks(array.components) {
                bytes.extend(bytes_of(element, format));
                bytes.resize(bytes.len().next_multiple_of(4), 0);
            }
            buffers.push(VertexBuffer { slot, bytes });
            attributes.push(Attribute { location, format, slot, offset: 0, stride, per_instance });
        }
        Ok((attributes, buffers))
    }
}
