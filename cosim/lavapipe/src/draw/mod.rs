//! Scenes on lavapipe: pictures, and each triangle of a draw alone. It is the judge's half of
//! `quadlock fuzz --beside lavapipe` (docs/beside.md).
//!
//! [`images`] are targets and buffers, [`pipeline`] makes programs and state, [`read`] reads
//! samples by `texelFetch`, [`program`] writes SPIR-V. These files call Vulkan, and the argument
//! for their `unsafe` is that of [`crate::vulkan`]. It can be wrong by state that is not the
//! scene's; then lavapipe looks wrong in all scenes.
#![allow(unsafe_code)]

pub mod images;
pub mod pipeline;
pub mod program;
pub mod read;

use std::rc::Rc;

use ash::vk;
use quadlock_beside::scene::{Draw, Format, Scene, Vertex};
use quadlock_beside::wgsl::STAGES;
use quadlock_beside::wire::{Picture, Stage};

use crate::vulkan::{failed, Lavapipe};
use images::{format_of, Buffer, Image};
use pipeline::{Drawing, Pipeline};
use read::{Kind, Readers, Set};

/// Draws scenes.
pub struct Painter {
    on: Rc<Lavapipe>,
    readers: Readers,
}

/// Bytes between two readings in a buffer: what any Vulkan allows.
const ALIGN: u64 = 256;

/// Targets of a scene, or of the stages.
struct Targets {
    colours: Vec<Image>,
    depth: Image,
}

/// The 24 bits of a depth that was read as f32: lavapipe multiplies them by the rounded reciprocal.
fn depth24(bits: u32) -> u32 {
    const MOST: u32 = 0xFF_FFFF;
    let x = f32::from_bits(bits);
    let scale = (1.0 / f64::from(MOST)) as f32;
    let near = (f64::from(x) * f64::from(MOST)).round().clamp(0.0, f64::from(MOST)) as u32;
    // The last two codes are read alike; the last one is that of the far plane.
    let all = (near.saturating_sub(3)..=(near + 3).min(MOST)).rev();
    all.into_iter().find(|&d| d as f32 * scale == x).unwrap_or(near)
}

fn words_of(v: &Vertex) -> [u32; 11] {
    let mut out = [v.number; 11];
    let floats = v.position.iter().chain(&v.colour).chain(&v.pair);
    out.iter_mut().zip(floats).for_each(|(word, x)| *word = x.to_bits());
    out
}

impl Painter {
    /// Finds lavapipe. Errors: none is installed, or it lacks a format.
    pub fn open() -> Result<Painter, String> {
        let on = Rc::new(Lavapipe::open()?);
        let readers = Readers::new(&on)?;
        Ok(Painter { on, readers })
    }

    /// The driver's name.
    pub fn name(&self) -> &str {
        &self.on.name
    }

    fn targets(&self, scene: &Scene, formats: &[vk::Format]) -> Result<Targets, String> {
        let size = [scene.width, scene.height];
        let colour = |f: &vk::Format| Image::new(&self.on, *f, size, scene.samples);
        let colours = formats.iter().map(colour).collect::<Result<_, _>>()?;
        Ok(Targets { colours, depth: Image::new(&self.on, vk::Format::D24_UNORM_S8_UINT, size, scene.samples)? })
    }

    /// The picture of a scene. Errors: the driver's, or a program that naga refuses.
    pub fn picture(&self, scene: &Scene) -> Result<Picture, String> {
        check(scene)?;
        let formats: Vec<vk::Format> = scene.formats.iter().map(|f| format_of(*f)).collect();
        let targets = self.targets(scene, &formats)?;
        let mut draws = vec![];
        for draw in &scene.draws {
            let words: Vec<u32> = draw.vertices.iter().flat_map(words_of).collect();
            let indices = draw.indices.as_ref().map(|i| index_bytes(&i.values, i.bytes));
            draws.push((
                Pipeline::new(&self.on, scene, draw, Drawing::Picture)?,
                Buffer::new(&self.on, &bytes_of(&words))?,
                indices.map(|bytes| Buffer::new(&self.on, &bytes)).transpose()?,
                draw,
            ));
        }
        let count = scene.count();
        let stride = (count as u64 * 16).next_multiple_of(ALIGN);
        let readings = targets.colours.len() as u64 + 2;
        let out = Buffer::new(&self.on, &vec![0; (stride * readings) as usize])?;
        let mut sets = vec![];
        for image in &targets.colours {
            sets.push(Set::new(&self.on, &self.readers, Kind::Float, scene.samples, &[image.read], &out)?);
        }
        sets.push(Set::new(&self.on, &self.readers, Kind::Float, scene.samples, &[targets.depth.read], &out)?);
        let stencil = targets.depth.stencil;
        sets.push(Set::new(&self.on, &self.readers, Kind::Uint, scene.samples, &[stencil], &out)?);
        self.run(|c| {
            targets.begin(&self.on, c);
            targets.render(&self.on, c, scene, scene.clear, scene.clear_depth as f32);
            for (pipeline, vertices, indices, draw) in &draws {
                pipeline.bind(c, vertices);
                self.issue(c, draw, indices.as_ref());
            }
            // SAFETY: rendering has begun in this buffer.
            unsafe { self.on.device.cmd_end_rendering(c) };
            for (k, set) in sets.iter().enumerate() {
                set.read(c, scene, k as u64 * stride);
            }
        })?;
        let words = out.words(&self.on)?;
        let part = |k: usize| {
            let first = k * stride as usize / 4;
            words[first..first + 4 * count].chunks_exact(4).map(|w| [w[0], w[1], w[2], w[3]])
        };
        let n = targets.colours.len();
        let code = |w: [u32; 4]| w.map(|bits| (f32::from_bits(bits) * 255.0).round() as u32);
        let target = |(k, format): (usize, &Format)| match format {
            Format::Unorm8 | Format::Srgb8 => part(k).map(code).collect(),
            Format::Float16 => part(k).collect(),
            Format::Float32 => part(k).map(|w| [w[0], 0, 0, 0]).collect(),
        };
        Ok(Picture {
            targets: scene.formats.iter().enumerate().map(target).collect(),
            depth: part(n).map(|w| depth24(w[0])).collect(),
            stencil: part(n + 1).map(|w| w[0] as u8).collect(),
        })
    }

    fn issue(&self, c: vk::CommandBuffer, draw: &Draw, indices: Option<&Buffer>) {
        let all = draw.indices.as_ref().map_or(draw.vertices.len(), |i| i.values.len()) as u32;
        let count = all.saturating_sub(draw.first);
        let d = &self.on.device;
        // SAFETY: a pipeline and its vertices are bound; indices were checked (`check`).
        unsafe {
            match (&draw.indices, indices) {
                (Some(i), Some(buffer)) => {
                    let kind = if i.bytes == 2 { vk::IndexType::UINT16 } else { vk::IndexType::UINT32 };
                    d.cmd_bind_index_buffer(c, buffer.buffer, 0, kind);
                    d.cmd_draw_indexed(c, count, 1, draw.first, draw.base_vertex, 0);
                }
                _ => d.cmd_draw(c, count, 1, draw.first, 0),
            }
        }
    }

    /// Every triangle of a draw alone. Errors: as of [`Self::picture`].
    pub fn stages(&self, scene: &Scene, number: usize) -> Result<Vec<Stage>, String> {
        check(scene)?;
        let draw = scene.draws.get(number).ok_or("no such draw")?;
        let triangles = draw.triangles();
        let corners = triangles.iter().flatten().map(|&v| words_of(&draw.vertices[v as usize]));
        let words: Vec<u32> = corners.flatten().collect();
        let vertices = Buffer::new(&self.on, &bytes_of(&words))?;
        let targets = self.targets(scene, &[vk::Format::R32_SFLOAT; 4])?;
        let (count, readings) = (scene.count(), STAGES + 1);
        let stride = (count as u64 * 16).next_multiple_of(ALIGN);
        let out = Buffer::new(&self.on, &vec![0; (stride as usize * readings * triangles.len()).max(16)])?;
        let views: Vec<vk::ImageView> = targets.colours.iter().map(|image| image.read).collect();
        let four = Set::new(&self.on, &self.readers, Kind::Four, scene.samples, &views, &out)?;
        let depth = Set::new(&self.on, &self.readers, Kind::Float, scene.samples, &[targets.depth.read], &out)?;
        let mut pipelines = vec![];
        for run in 0..STAGES {
            pipelines.push(Pipeline::new(&self.on, scene, draw, Drawing::Stage(run))?);
        }
        self.run(|c| {
            targets.begin(&self.on, c);
            for k in 0..triangles.len() {
                for (run, pipeline) in pipelines.iter().enumerate() {
                    targets.render(&self.on, c, scene, [0.0; 4], 0.0);
                    pipeline.bind(c, &vertices);
                    // SAFETY: a pipeline and its vertices are bound; rendering has begun.
                    unsafe {
                        self.on.device.cmd_draw(c, 3, 1, 3 * k as u32, 0);
                        self.on.device.cmd_end_rendering(c);
                    }
                    four.read(c, scene, (k * readings + run) as u64 * stride);
                }
                depth.read(c, scene, (k * readings + STAGES) as u64 * stride);
            }
        })?;
        let words = out.words(&self.on)?;
        let part = |k: usize, run: usize| {
            let first = (k * readings + run) * stride as usize / 4;
            words[first..first + 4 * count].chunks_exact(4).map(|w| [w[0], w[1], w[2], w[3]])
        };
        let stage = |k: usize| Stage {
            words: std::array::from_fn(|run| part(k, run).collect()),
            depth: part(k, STAGES).map(|w| depth24(w[0])).collect(),
        };
        Ok((0..triangles.len()).map(stage).collect())
    }

    /// Records commands and runs them to their end.
    fn run(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), String> {
        let d = &self.on.device;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.on.pool).command_buffer_count(1);
        // SAFETY: see the file's head.
        let commands = unsafe { d.allocate_command_buffers(&info) }.map_err(failed("vkAllocateCommandBuffers"))?;
        let c = commands[0];
        // SAFETY: the buffer is new; what it uses outlives this call.
        unsafe { d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default()) }
            .map_err(failed("vkBeginCommandBuffer"))?;
        record(c);
        // SAFETY: as above; nothing is destroyed before the device has ended, or it is lost.
        let done = unsafe { d.end_command_buffer(c) }
            .map_err(failed("vkEndCommandBuffer"))
            .and_then(|()| self.on.submit(&commands));
        if !self.on.is_lost() {
            // SAFETY: the device has ended with it.
            unsafe { d.free_command_buffers(self.on.pool, &commands) };
        }
        done
    }
}

/// Numbers that a driver is not to be given: sizes, formats, indices.
fn check(scene: &Scene) -> Result<(), String> {
    let small = (1..=256).contains(&scene.width) && (1..=256).contains(&scene.height);
    if !small || ![1, 4].contains(&scene.samples) || scene.formats.len() > 4 || scene.clear_depth > 1 {
        return Err("a scene of a size that is not drawn".into());
    }
    for draw in &scene.draws {
        let state = &draw.state;
        let [x, y, width, height] = state.scissor;
        let fits = |at: u32, size: u32, most: u32| at.checked_add(size).is_some_and(|end| end <= most);
        let vertices = draw.triangles().iter().flatten().all(|&v| (v as usize) < draw.vertices.len());
        let fine = vertices
            && fits(x, width, scene.width)
            && fits(y, height, scene.height)
            && state.writes.len() == scene.formats.len()
            && state.viewport[2] > 0.0
            && state.viewport[3] > 0.0
            && state.range.iter().all(|z| (0.0..=1.0).contains(z));
        if !fine {
            return Err("a draw that goes beyond its scene".into());
        }
    }
    Ok(())
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn index_bytes(values: &[u32], bytes: u32) -> Vec<u8> {
    match bytes {
        2 => values.iter().flat_map(|&i| (i as u16).to_le_bytes()).collect(),
        _ => bytes_of(values),
    }
}

impl Targets {
    /// Gives all images their layout.
    fn begin(&self, on: &Lavapipe, c: vk::CommandBuffer) {
        let barrier = |image: &Image| {
            let range = vk::ImageSubresourceRange::default().aspect_mask(image.aspects).level_count(1).layer_count(1);
            vk::ImageMemoryBarrier::default()
                .new_layout(vk::ImageLayout::GENERAL)
                .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
                .image(image.image)
                .subresource_range(range)
        };
        let all: Vec<_> = self.colours.iter().chain([&self.depth]).map(barrier).collect();
        let (from, to) = (vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::ALL_COMMANDS);
        // SAFETY: see the file's head.
        unsafe { on.device.cmd_pipeline_barrier(c, from, to, vk::DependencyFlags::empty(), &[], &[], &all) };
    }

    /// Begins rendering, with all targets cleared.
    fn render(&self, on: &Lavapipe, c: vk::CommandBuffer, scene: &Scene, clear: [f32; 4], depth: f32) {
        read::barrier(on, c);
        let attachment = |view: vk::ImageView, value: vk::ClearValue| {
            vk::RenderingAttachmentInfo::default()
                .image_view(view)
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(value)
        };
        let colour = vk::ClearValue { color: vk::ClearColorValue { float32: clear } };
        let colours: Vec<_> = self.colours.iter().map(|image| attachment(image.target, colour)).collect();
        let stencil = u32::from(scene.clear_stencil);
        let value = vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth, stencil } };
        let depth = attachment(self.depth.target, value);
        let extent = vk::Extent2D { width: scene.width, height: scene.height };
        let info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D { extent, ..Default::default() })
            .layer_count(1)
            .color_attachments(&colours)
            .depth_attachment(&depth)
            .stencil_attachment(&depth);
        // SAFETY: the images have that layout, by `begin`.
        unsafe { on.device.cmd_begin_rendering(c, &info) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_come_back() {
        let scale = (1.0 / f64::from(0xFF_FFFFu32)) as f32;
        for d in (0..=0xFF_FFFDu32).step_by(997).chain([0xFF_FFFF, 0x80_0000, 0x7F_FFFF]) {
            assert_eq!(depth24((d as f32 * scale).to_bits()), d);
        }
    }
}
