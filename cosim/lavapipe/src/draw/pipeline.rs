//! A draw's programs and state as a pipeline of Vulkan.

use std::rc::Rc;

use ash::vk;
use quadlock_beside::scene::{Compare, Draw, Factor, Operation, Scene, StencilFace, StencilOp};
use quadlock_beside::wgsl;

use super::images::{format_of, Buffer};
use super::program::module;
use crate::vulkan::{failed, Lavapipe};

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// The draw, with its state.
    Picture,
    /// Triangles without tests and blending, four words to float targets: this run.
    Stage(usize),
}

/// A pipeline that ends with its value.
pub struct Pipeline {
    on: Rc<Lavapipe>,
    layout: vk::PipelineLayout,
    module: vk::ShaderModule,
    pipeline: vk::Pipeline,
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if self.on.is_lost() {
            return;
        }
        let d = &self.on.device;
        // SAFETY: the device has ended with it. Handles that are null are allowed.
        unsafe {
            d.destroy_pipeline(self.pipeline, None);
            d.destroy_shader_module(self.module, None);
            d.destroy_pipeline_layout(self.layout, None);
        }
    }
}

fn compare(c: Compare) -> vk::CompareOp {
    vk::CompareOp::from_raw(c as i32)
}

fn stencil_op(op: StencilOp) -> vk::StencilOp {
    match op {
        StencilOp::Keep => vk::StencilOp::KEEP,
        StencilOp::Zero => vk::StencilOp::ZERO,
        StencilOp::Replace => vk::StencilOp::REPLACE,
        StencilOp::Invert => vk::StencilOp::INVERT,
        StencilOp::IncrementClamp => vk::StencilOp::INCREMENT_AND_CLAMP,
        StencilOp::DecrementClamp => vk::StencilOp::DECREMENT_AND_CLAMP,
        StencilOp::IncrementWrap => vk::StencilOp::INCREMENT_AND_WRAP,
        StencilOp::DecrementWrap => vk::StencilOp::DECREMENT_AND_WRAP,
    }
}

fn factor(f: Factor, alpha: bool) -> vk::BlendFactor {
    match (f, alpha) {
        (Factor::Zero, _) => vk::BlendFactor::ZERO,
        (Factor::One, _) => vk::BlendFactor::ONE,
        (Factor::Src, false) => vk::BlendFactor::SRC_COLOR,
        (Factor::OneMinusSrc, false) => vk::BlendFactor::ONE_MINUS_SRC_COLOR,
        (Factor::Src | Factor::SrcAlpha, _) => vk::BlendFactor::SRC_ALPHA,
        (Factor::OneMinusSrc | Factor::OneMinusSrcAlpha, _) => vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        (Factor::Dst, false) => vk::BlendFactor::DST_COLOR,
        (Factor::OneMinusDst, false) => vk::BlendFactor::ONE_MINUS_DST_COLOR,
        (Factor::Dst | Factor::DstAlpha, _) => vk::BlendFactor::DST_ALPHA,
        (Factor::OneMinusDst | Factor::OneMinusDstAlpha, _) => vk::BlendFactor::ONE_MINUS_DST_ALPHA,
        (Factor::SrcAlphaSaturated, _) => vk::BlendFactor::SRC_ALPHA_SATURATE,
        (Factor::Constant, false) => vk::BlendFactor::CONSTANT_COLOR,
        (Factor::Constant, true) => vk::BlendFactor::CONSTANT_ALPHA,
        (Factor::OneMinusConstant, false) => vk::BlendFactor::ONE_MINUS_CONSTANT_COLOR,
        (Factor::OneMinusConstant, true) => vk::BlendFactor::ONE_MINUS_CONSTANT_ALPHA,
    }
}

fn operation(op: Operation) -> vk::BlendOp {
    match op {
        Operation::Add => vk::BlendOp::ADD,
        Operation::Subtract => vk::BlendOp::SUBTRACT,
        Operation::ReverseSubtract => vk::BlendOp::REVERSE_SUBTRACT,
        Operation::Min => vk::BlendOp::MIN,
        Operation::Max => vk::BlendOp::MAX,
    }
}

fn blends(scene: &Scene, draw: &Draw, drawing: Drawing) -> Vec<vk::PipelineColorBlendAttachmentState> {
    if drawing != Drawing::Picture {
        let all = vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
        return vec![all; 4];
    }
    let of = |k: usize| {
        let write = draw.state.writes[k];
        let out = vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::from_raw(u32::from(write.mask) & 15));
        let Some([c, a]) = write.blend else { return out };
        out.blend_enable(true)
            .src_color_blend_factor(factor(c.src, false))
            .dst_color_blend_factor(factor(c.dst, false))
            .color_blend_op(operation(c.operation))
            .src_alpha_blend_factor(factor(a.src, true))
            .dst_alpha_blend_factor(factor(a.dst, true))
            .alpha_blend_op(operation(a.operation))
    };
    (0..scene.formats.len()).map(of).collect()
}

fn depth_stencil(draw: &Draw, drawing: Drawing) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let state = &draw.state;
    let out = vk::PipelineDepthStencilStateCreateInfo::default();
    if drawing != Drawing::Picture {
        return out.depth_test_enable(true).depth_write_enable(true).depth_compare_op(vk::CompareOp::ALWAYS);
    }
    let out = match state.depth {
        Some(c) => out.depth_test_enable(true).depth_write_enable(state.depth_write).depth_compare_op(compare(c)),
        None => out,
    };
    let Some(s) = state.stencil else { return out };
    let side = |f: StencilFace| vk::StencilOpState {
        fail_op: stencil_op(f.fail),
        pass_op: stencil_op(f.pass),
        depth_fail_op: stencil_op(f.depth_fail),
        compare_op: compare(f.compare),
        compare_mask: s.read.into(),
        write_mask: s.write.into(),
        reference: s.reference.into(),
    };
    out.stencil_test_enable(true).front(side(s.front)).back(side(s.back))
}

impl Pipeline {
    /// Compiles one. Errors: the driver's, or a program that naga refuses.
    pub fn new(on: &Rc<Lavapipe>, scene: &Scene, draw: &Draw, drawing: Drawing) -> Result<Self, String> {
        let d = &on.device;
        let (layout, module_of, pipeline) = Default::default();
        let mut out = Self { on: on.clone(), layout, module: module_of, pipeline };
        let words = module(&wgsl::text(draw, &scene.formats))?;
        // SAFETY: see `draw/mod.rs`; the module is naga's, which writes valid ones.
        unsafe {
            let info = vk::PipelineLayoutCreateInfo::default();
            out.layout = d.create_pipeline_layout(&info, None).map_err(failed("vkCreatePipelineLayout"))?;
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            out.module = d.create_shader_module(&info, None).map_err(failed("vkCreateShaderModule"))?;
        }
        let stage = |flag, name| vk::PipelineShaderStageCreateInfo::default().stage(flag).module(out.module).name(name);
        let mut stages = vec![stage(vk::ShaderStageFlags::VERTEX, c"vertex")];
        match drawing {
            Drawing::Picture if !wgsl::has_fragments(draw, &scene.formats) => {}
            Drawing::Picture => stages.push(stage(vk::ShaderStageFlags::FRAGMENT, c"picture")),
            Drawing::Stage(0) => stages.push(stage(vk::ShaderStageFlags::FRAGMENT, c"stage0")),
            Drawing::Stage(1) => stages.push(stage(vk::ShaderStageFlags::FRAGMENT, c"stage1")),
            Drawing::Stage(_) => stages.push(stage(vk::ShaderStageFlags::FRAGMENT, c"stage2")),
        }
        out.pipeline = out.made(scene, draw, drawing, &stages)?;
        Ok(out)
    }

    fn made(
        &self,
        scene: &Scene,
        draw: &Draw,
        drawing: Drawing,
        stages: &[vk::PipelineShaderStageCreateInfo],
    ) -> Result<vk::Pipeline, String> {
        let (state, picture) = (&draw.state, drawing == Drawing::Picture);
        let bindings = [vk::VertexInputBindingDescription::default().stride(44)];
        let forms = [
            (0, vk::Format::R32G32B32A32_SFLOAT, 0),
            (1, vk::Format::R32G32B32A32_SFLOAT, 16),
            (2, vk::Format::R32G32_SFLOAT, 32),
            (3, vk::Format::R32_UINT, 40),
        ];
        let attributes = forms.map(|(location, format, offset)| {
            vk::VertexInputAttributeDescription::default().location(location).format(format).offset(offset)
        });
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let strip = picture && draw.strip;
        let topology = if strip { vk::PrimitiveTopology::TRIANGLE_STRIP } else { vk::PrimitiveTopology::TRIANGLE_LIST };
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(topology)
            .primitive_restart_enable(strip && draw.restart);
        let [x, y, width, height] = state.viewport;
        let viewports = [vk::Viewport { x, y, width, height, min_depth: state.range[0], max_depth: state.range[1] }];
        let [x, y, width, height] = state.scissor;
        let offset = vk::Offset2D { x: x as i32, y: y as i32 };
        let scissors = [vk::Rect2D { offset, extent: vk::Extent2D { width, height } }];
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
        let cull = match state.cull {
            Some(true) if picture => vk::CullModeFlags::FRONT,
            Some(false) if picture => vk::CullModeFlags::BACK,
            _ => vk::CullModeFlags::NONE,
        };
        // WebGPU holds depth to the viewport's depths and still clips.
        let mut clip = vk::PipelineRasterizationDepthClipStateCreateInfoEXT::default().depth_clip_enable(true);
        let front = if state.front_clockwise { vk::FrontFace::CLOCKWISE } else { vk::FrontFace::COUNTER_CLOCKWISE };
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .depth_clamp_enable(true)
            .polygon_mode(vk::PolygonMode::FILL)
            .cull_mode(cull)
            .front_face(front)
            .depth_bias_enable(state.bias != [0.0; 3])
            .depth_bias_constant_factor(state.bias[0])
            .depth_bias_slope_factor(state.bias[1])
            .depth_bias_clamp(state.bias[2])
            .line_width(1.0)
            .push_next(&mut clip);
        let masks = [if picture { state.mask } else { 15 }];
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(scene.samples))
            .sample_mask(&masks);
        let depth = depth_stencil(draw, drawing);
        let attachments = blends(scene, draw, drawing);
        let blend =
            vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments).blend_constants(state.constant);
        let formats: Vec<vk::Format> = match picture {
            true => scene.formats.iter().map(|f| format_of(*f)).collect(),
            false => vec![vk::Format::R32_SFLOAT; 4],
        };
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&formats)
            .depth_attachment_format(vk::Format::D24_UNORM_S8_UINT)
            .stencil_attachment_format(vk::Format::D24_UNORM_S8_UINT);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(self.layout)
            .push_next(&mut rendering);
        // SAFETY: see `draw/mod.rs`; all that the structure points to lives until here.
        let made = unsafe { self.on.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        Ok(made.map_err(|e| failed("vkCreateGraphicsPipelines")(e.1))?[0])
    }

    /// Binds it, and the vertices.
    pub fn bind(&self, c: vk::CommandBuffer, vertices: &Buffer) {
        let d = &self.on.device;
        // SAFETY: see `draw/mod.rs`.
        unsafe {
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            d.cmd_bind_vertex_buffers(c, 0, &[vertices.buffer], &[0]);
        }
    }
}
