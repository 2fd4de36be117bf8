//! Images and buffers that end with their value.

use std::rc::Rc;

use ash::vk;
use quadlock_beside::scene::Format;

use crate::vulkan::{failed, Lavapipe};

/// Vulkan's name of a format.
pub fn format_of(format: Format) -> vk::Format {
    match format {
        Format::Unorm8 => vk::Format::R8G8B8A8_UNORM,
        Format::Srgb8 => vk::Format::R8G8B8A8_SRGB,
        Format::Float16 => vk::Format::R16G16B16A16_SFLOAT,
        Format::Float32 => vk::Format::R32_SFLOAT,
    }
}

/// An image with its views.
pub struct Image {
    on: Rc<Lavapipe>,
    /// The image.
    pub image: vk::Image,
    memory: vk::DeviceMemory,
    /// What is drawn to.
    pub target: vk::ImageView,
    /// What is read: colours as codes, of depth and stencil the depth.
    pub read: vk::ImageView,
    /// Of depth and stencil the stencil.
    pub stencil: vk::ImageView,
    /// Its aspects.
    pub aspects: vk::ImageAspectFlags,
}

impl Drop for Image {
    fn drop(&mut self) {
        if self.on.is_lost() {
            return;
        }
        let d = &self.on.device;
        // SAFETY: the device has ended with it (`Painter::run`). Handles that are null are allowed.
        unsafe {
            d.destroy_image_view(self.target, None);
            d.destroy_image_view(self.read, None);
            d.destroy_image_view(self.stencil, None);
            d.destroy_image(self.image, None);
            d.free_memory(self.memory, None);
        }
    }
}

impl Image {
    /// Makes one. Errors: the driver's.
    pub fn new(on: &Rc<Lavapipe>, format: vk::Format, [width, height]: [u32; 2], samples: u32) -> Result<Self, String> {
        let is_depth = format == vk::Format::D24_UNORM_S8_UINT;
        let (attachment, aspects) = match is_depth {
            true => (
                vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
                vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
            ),
            false => (vk::ImageUsageFlags::COLOR_ATTACHMENT, vk::ImageAspectFlags::COLOR),
        };
        let is_srgb = format == vk::Format::R8G8B8A8_SRGB;
        let flags = if is_srgb { vk::ImageCreateFlags::MUTABLE_FORMAT } else { vk::ImageCreateFlags::empty() };
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::from_raw(samples))
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(attachment | vk::ImageUsageFlags::SAMPLED);
        let null = vk::ImageView::null();
        // SAFETY: see `draw/mod.rs`.
        let image = unsafe { on.device.create_image(&info, None) }.map_err(failed("vkCreateImage"))?;
        let memory = vk::DeviceMemory::null();
        let mut out = Self { on: on.clone(), image, memory, target: null, read: null, stencil: null, aspects };
        // SAFETY: the image is new, and so is its memory.
        unsafe {
            let needs = on.device.get_image_memory_requirements(image);
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(on.memory_type);
            out.memory = on.device.allocate_memory(&info, None).map_err(failed("vkAllocateMemory"))?;
            on.device.bind_image_memory(image, out.memory, 0).map_err(failed("vkBindImageMemory"))?;
        }
        out.target = out.view(format, aspects)?;
        if is_depth {
            out.read = out.view(format, vk::ImageAspectFlags::DEPTH)?;
            out.stencil = out.view(format, vk::ImageAspectFlags::STENCIL)?;
        } else {
            out.read = out.view(if is_srgb { vk::Format::R8G8B8A8_UNORM } else { format }, aspects)?;
        }
        Ok(out)
    }

    fn view(&self, format: vk::Format, aspects: vk::ImageAspectFlags) -> Result<vk::ImageView, String> {
        let range = vk::ImageSubresourceRange::default().aspect_mask(aspects).level_count(1).layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(self.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(range);
        // SAFETY: the format is the image's, or may be its view's.
        unsafe { self.on.device.create_image_view(&info, None) }.map_err(failed("vkCreateImageView"))
    }
}

/// A buffer that the host sees.
pub struct Buffer {
    on: Rc<Lavapipe>,
    /// The buffer.
    pub buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    bytes: usize,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.on.is_lost() {
            return;
        }
        // SAFETY: as of images.
        unsafe {
            self.on.device.destroy_buffer(self.buffer, None);
            self.on.device.free_memory(self.memory, None);
        }
    }
}

impl Buffer {
    /// With these bytes. Errors: the driver's.
    pub fn new(on: &Rc<Lavapipe>, bytes: &[u8]) -> Result<Self, String> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER;
        let info = vk::BufferCreateInfo::default().size(bytes.len().max(16) as u64).usage(usage);
        // SAFETY: see `draw/mod.rs`.
        let buffer = unsafe { on.device.create_buffer(&info, None) }.map_err(failed("vkCreateBuffer"))?;
        let mut out = Self { on: on.clone(), buffer, memory: vk::DeviceMemory::null(), bytes: bytes.len() };
        // SAFETY: the slice that is written is as long as the buffer at most.
        unsafe {
            let needs = on.device.get_buffer_memory_requirements(buffer);
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(on.memory_type);
            out.memory = on.device.allocate_memory(&info, None).map_err(failed("vkAllocateMemory"))?;
            on.device.bind_buffer_memory(buffer, out.memory, 0).map_err(failed("vkBindBufferMemory"))?;
            let at = on.device.map_memory(out.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let at = at.map_err(failed("vkMapMemory"))?;
            std::slice::from_raw_parts_mut(at.cast::<u8>(), bytes.len()).copy_from_slice(bytes);
            on.device.unmap_memory(out.memory);
        }
        Ok(out)
    }

    /// What it holds. Errors: the driver's.
    pub fn words(&self, on: &Lavapipe) -> Result<Vec<u32>, String> {
        on.read(self.memory, self.bytes / 4)
    }
}
