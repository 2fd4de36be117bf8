//! Samples of images into a buffer, by a compute program with `texelFetch`: a copy has no samples.

use std::rc::Rc;

use ash::vk;
use quadlock_beside::scene::Scene;

use super::images::Buffer;
use super::program::module;
use crate::vulkan::{failed, Lavapipe};

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Four components of an image of floats.
    Float,
    /// Of integers.
    Uint,
    /// The first component of four images of floats.
    Four,
}

const KINDS: [Kind; 3] = [Kind::Float, Kind::Uint, Kind::Four];
/// Binding of the buffer; images have those before it.
const BUFFER: u32 = 4;

impl Kind {
    fn images(self) -> u32 {
        if self == Kind::Four {
            4
        } else {
            1
        }
    }

    fn text(self, several: bool) -> String {
        let element = if self == Kind::Uint { "u32" } else { "f32" };
        let ty = if several { "texture_multisampled_2d" } else { "texture_2d" };
        let images: String =
            (0..self.images()).map(|k| format!("@group(0) @binding({k}) var image{k}: {ty}<{element}>;\n")).collect();
        let number = if several { "textureNumSamples(image0)" } else { "1u" };
        let load = |k: u32| format!("textureLoad(image{k}, id.xy, i32(s))");
        let value = match self {
            Kind::Float => format!("bitcast<vec4u>({})", load(0)),
            Kind::Uint => load(0),
            Kind::Four => {
                let all: Vec<String> = (0..4).map(|k| format!("{}.x", load(k))).collect();
                format!("bitcast<vec4u>(vec4f({}))", all.join(", "))
            }
        };
        format!(
            "{images}@group(0) @binding({BUFFER}) var<storage, read_write> words: array<vec4u>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {{
    let size = textureDimensions(image0);
    if (any(id.xy >= size)) {{ return; }}
    let count = {number};
    for (var s = 0u; s < count; s++) {{
        words[(id.y * size.x + id.x) * count + s] = {value};
    }}
}}
"
        )
    }
}

/// A program that reads.
struct Reader {
    set: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    module: vk::ShaderModule,
    pipeline: vk::Pipeline,
}

/// All of them: each kind for one sample, then for several.
pub struct Readers {
    on: Rc<Lavapipe>,
    all: Vec<Reader>,
}

impl Drop for Readers {
    fn drop(&mut self) {
        if self.on.is_lost() {
            return;
        }
        let d = &self.on.device;
        for r in &self.all {
            // SAFETY: the device has ended with them. Handles that are null are allowed.
            unsafe {
                d.destroy_pipeline(r.pipeline, None);
                d.destroy_shader_module(r.module, None);
                d.destroy_pipeline_layout(r.layout, None);
                d.destroy_descriptor_set_layout(r.set, None);
            }
        }
    }
}

impl Readers {
    /// Compiles them. Errors: the driver's.
    pub fn new(on: &Rc<Lavapipe>) -> Result<Self, String> {
        let mut out = Self { on: on.clone(), all: vec![] };
        for several in [false, true] {
            for kind in KINDS {
                out.add(kind, several)?;
            }
        }
        Ok(out)
    }

    fn add(&mut self, kind: Kind, several: bool) -> Result<(), String> {
        let d = &self.on.device;
        let binding = |(k, ty): (u32, vk::DescriptorType)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(k)
                .descriptor_type(ty)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let images = (0..kind.images()).map(|k| (k, vk::DescriptorType::SAMPLED_IMAGE));
        let all = images.chain([(BUFFER, vk::DescriptorType::STORAGE_BUFFER_DYNAMIC)]);
        let bindings: Vec<_> = all.map(binding).collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let words = module(&kind.text(several))?;
        // SAFETY: see `draw/mod.rs`. What is made is kept at once, so that it is destroyed.
        unsafe {
            let set = d.create_descriptor_set_layout(&info, None).map_err(failed("vkCreateDescriptorSetLayout"))?;
            let (layout, module, pipeline) = Default::default();
            self.all.push(Reader { set, layout, module, pipeline });
            let Some(r) = self.all.last_mut() else { return Err("no reader".into()) };
            let sets = [set];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
            r.layout = d.create_pipeline_layout(&info, None).map_err(failed("vkCreatePipelineLayout"))?;
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            r.module = d.create_shader_module(&info, None).map_err(failed("vkCreateShaderModule"))?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(r.module)
                .name(c"main");
            let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(r.layout);
            let made = d.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            r.pipeline = made.map_err(|e| failed("vkCreateComputePipelines")(e.1))?[0];
        }
        Ok(())
    }

    fn of(&self, kind: Kind, samples: u32) -> &Reader {
        let first = if samples > 1 { KINDS.len() } else { 0 };
        let number = KINDS.iter().position(|k| *k == kind).unwrap_or(0);
        &self.all[first + number]
    }
}

/// What a program reads from and writes to.
pub struct Set {
    on: Rc<Lavapipe>,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

impl Drop for Set {
    fn drop(&mut self) {
        if !self.on.is_lost() {
            // SAFETY: the device has ended with it.
            unsafe { self.on.device.destroy_descriptor_pool(self.pool, None) };
        }
    }
}

impl Set {
    /// Of these images. Errors: the driver's.
    pub fn new(
        on: &Rc<Lavapipe>,
        readers: &Readers,
        kind: Kind,
        samples: u32,
        views: &[vk::ImageView],
        to: &Buffer,
    ) -> Result<Self, String> {
        let d = &on.device;
        let reader = readers.of(kind, samples);
        let sizes = [(vk::DescriptorType::SAMPLED_IMAGE, 4), (vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, 1)]
            .map(|(ty, count)| vk::DescriptorPoolSize::default().ty(ty).descriptor_count(count));
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: see `draw/mod.rs`.
        let pool = unsafe { d.create_descriptor_pool(&info, None) }.map_err(failed("vkCreateDescriptorPool"))?;
        let mut out = Self {
            on: on.clone(),
            pool,
            set: vk::DescriptorSet::null(),
            layout: reader.layout,
            pipeline: reader.pipeline,
        };
        let layouts = [reader.set];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: see `draw/mod.rs`.
        let sets = unsafe { d.allocate_descriptor_sets(&info) }.map_err(failed("vkAllocateDescriptorSets"))?;
        out.set = sets[0];
        let images: Vec<[vk::DescriptorImageInfo; 1]> = views
            .iter()
            .map(|v| [vk::DescriptorImageInfo::default().image_view(*v).image_layout(vk::ImageLayout::GENERAL)])
            .collect();
        let write = |(k, image)| {
            vk::WriteDescriptorSet::default()
                .dst_set(out.set)
                .dst_binding(k)
                .descriptor_type(vk::DescriptorType::SAMPLED_IMAGE)
                .image_info(image)
        };
        let mut writes: Vec<_> = (0..).zip(&images).map(|(k, image)| write((k, image))).collect();
        let range = [vk::DescriptorBufferInfo::default().buffer(to.buffer).range(vk::WHOLE_SIZE)];
        writes.push(
            vk::WriteDescriptorSet::default()
                .dst_set(out.set)
                .dst_binding(BUFFER)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER_DYNAMIC)
                .buffer_info(&range),
        );
        // SAFETY: the set has these bindings, of these kinds.
        unsafe { d.update_descriptor_sets(&writes, &[]) };
        Ok(out)
    }

    /// Reads what was drawn to a place in the buffer.
    pub fn read(&self, c: vk::CommandBuffer, scene: &Scene, offset: u64) {
        let (d, point) = (&self.on.device, vk::PipelineBindPoint::COMPUTE);
        barrier(&self.on, c);
        // SAFETY: see `draw/mod.rs`; the buffer has room behind the offset.
        unsafe {
            d.cmd_bind_pipeline(c, point, self.pipeline);
            d.cmd_bind_descriptor_sets(c, point, self.layout, 0, &[self.set], &[offset as u32]);
            d.cmd_dispatch(c, scene.width.div_ceil(8), scene.height.div_ceil(8), 1);
        }
    }
}

/// All commands before are seen by all that follow.
pub fn barrier(on: &Lavapipe, c: vk::CommandBuffer) {
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let memory = [vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
        .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)];
    // SAFETY: see `draw/mod.rs`.
    unsafe { on.device.cmd_pipeline_barrier(c, all, all, vk::DependencyFlags::empty(), &memory, &[], &[]) };
}
