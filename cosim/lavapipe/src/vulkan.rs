//! Compute shaders on Mesa's lavapipe, by Vulkan.
//!
//! This file and those of [`crate::draw`] have `unsafe`: every call of Vulkan is one. The argument
//! is the same for all: handles come from this device and live as long as the value that owns them,
//! the structures are what Vulkan's specification demands, and the device is used by one thread.
//! Where more is needed it stands beside the block. A module that is not valid is undefined
//! behaviour in Vulkan: callers give valid ones, or run in a process of their own.
#![allow(unsafe_code)]

use std::cell::Cell;

use ash::vk;

/// What is bound to a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Descriptor set.
    pub set: u32,
    /// Number of the binding in its set.
    pub binding: u32,
    /// A uniform buffer, not a storage buffer.
    pub uniform: bool,
    /// Contents.
    pub words: Vec<u32>,
}

/// A run of one shader.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch<'a> {
    /// The valid module.
    pub module: &'a [u32],
    /// Its entry point.
    pub entry: &'a str,
    /// Work groups along x, y, z.
    pub groups: [u32; 3],
    /// What is bound.
    pub buffers: &'a [Buffer],
    /// Push constants.
    pub push: &'a [u32],
}

/// Seconds that a shader may take.
const PATIENCE: u64 = 20;

/// Mesa's device on the processor.
pub struct Lavapipe {
    /// Keeps the library loaded.
    _entry: ash::Entry,
    instance: ash::Instance,
    pub(crate) device: ash::Device,
    queue: vk::Queue,
    pub(crate) pool: vk::CommandPool,
    pub(crate) memory_type: u32,
    /// The device did not end in time, and still works on what it was given.
    lost: Cell<bool>,
    /// Name and version of the driver, for reports.
    pub name: String,
}

impl Drop for Lavapipe {
    fn drop(&mut self) {
        if self.is_lost() {
            return;
        }
        // SAFETY: runs borrow `self` and wait for the device, so nothing is in use any more.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

pub(crate) fn failed(what: &str) -> impl Fn(vk::Result) -> String + '_ {
    move |e| format!("{what}: {e}")
}

impl Lavapipe {
    /// Finds the device. Errors: no Vulkan loader, no device of that kind.
    pub fn open() -> Result<Lavapipe, String> {
        // SAFETY: the system's Vulkan loader is trusted, as any program that uses Vulkan does.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|e| format!("no Vulkan loader ({e}): install libvulkan1 and mesa-vulkan-drivers"))?;
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: see the file's head.
        let instance = unsafe { entry.create_instance(&info, None) }.map_err(failed("vkCreateInstance"))?;
        match Lavapipe::choose(&instance) {
            Ok((physical, name)) => Lavapipe::with(entry, instance, physical, name),
            Err(e) => {
                // SAFETY: nothing was made from it.
                unsafe { instance.destroy_instance(None) };
                Err(e)
            }
        }
    }

    fn choose(instance: &ash::Instance) -> Result<(vk::PhysicalDevice, String), String> {
        // SAFETY: see the file's head.
        let all = unsafe { instance.enumerate_physical_devices() }.map_err(failed("vkEnumeratePhysicalDevices"))?;
        for physical in all {
            let mut driver = vk::PhysicalDeviceDriverProperties::default();
            let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
            // SAFETY: the chain has structures of Vulkan 1.2 only.
            unsafe { instance.get_physical_device_properties2(physical, &mut all) };
            let kind = all.properties.device_type;
            let info = driver.driver_info_as_c_str().map_or_else(|_| "?".into(), |c| c.to_string_lossy().into_owned());
            if kind == vk::PhysicalDeviceType::CPU && driver.driver_id == vk::DriverId::MESA_LLVMPIPE {
                return Ok((physical, format!("lavapipe, {info}")));
            }
        }
        Err("Vulkan has no lavapipe device: install mesa-vulkan-drivers".into())
    }

    fn with(
        entry: ash::Entry,
        instance: ash::Instance,
        physical: vk::PhysicalDevice,
        name: String,
    ) -> Result<Lavapipe, String> {
        let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
        // Every feature that it has, accesses within bounds among them.
        let mut features =
            vk::PhysicalDeviceFeatures2::default().push_next(&mut v11).push_next(&mut v12).push_next(&mut v13);
        // SAFETY: the device is one of Vulkan 1.3, whose structures these are.
        unsafe { instance.get_physical_device_features2(physical, &mut features) };
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
        // WebGPU clips and holds depth at the same time, which Vulkan has as an extension.
        let mut clip = vk::PhysicalDeviceDepthClipEnableFeaturesEXT::default().depth_clip_enable(true);
        // SAFETY: see the file's head.
        let known = unsafe { instance.enumerate_device_extension_properties(physical) };
        let known = known.map_err(failed("vkEnumerateDeviceExtensionProperties"))?;
        let extension = ash::ext::depth_clip_enable::NAME;
        let has = known.iter().any(|e| e.extension_name_as_c_str() == Ok(extension));
        let names: Vec<_> = has.then_some(extension.as_ptr()).into_iter().collect();
        let mut info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(&mut features);
        if has {
            info = info.push_next(&mut clip);
        }
        // SAFETY: lavapipe has one queue family, which computes; it is number 0.
        let device = unsafe { instance.create_device(physical, &info, None) }.map_err(failed("vkCreateDevice"))?;
        // SAFETY: see the file's head.
        let (queue, memory) =
            unsafe { (device.get_device_queue(0, 0), instance.get_physical_device_memory_properties(physical)) };
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let memory_type =
            memory.memory_types_as_slice().iter().position(|t| t.property_flags.contains(wanted)).unwrap_or(0) as u32;
        let info = vk::CommandPoolCreateInfo::default();
        // SAFETY: see the file's head.
        let pool = unsafe { device.create_command_pool(&info, None) }.map_err(failed("vkCreateCommandPool"))?;
        Ok(Lavapipe { _entry: entry, instance, device, queue, pool, memory_type, lost: Cell::new(false), name })
    }

    /// Runs a shader and gives back the words of each buffer. Errors: the driver's, and a shader
    /// that takes too long; the device is of no more use then.
    pub fn run(&self, dispatch: &Dispatch) -> Result<Vec<Vec<u32>>, String> {
        let mut made = Made::new(self);
        for b in dispatch.buffers {
            made.buffer(b)?;
        }
        let layout = made.layout(dispatch)?;
        let pipeline = made.pipeline(dispatch, layout)?;
        let sets = made.sets(dispatch.buffers)?;
        let commands = made.commands(dispatch, layout, pipeline, &sets)?;
        made.submit(commands)?;
        dispatch.buffers.iter().zip(&made.buffers).map(|(b, made)| self.read(made.1, b.words.len())).collect()
    }

    /// The device is of no more use, and nothing that it has may be destroyed.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.get()
    }

    /// Runs commands to their end. Errors: the driver's; the device is lost if they take too long.
    pub(crate) fn submit(&self, commands: &[vk::CommandBuffer]) -> Result<(), String> {
        let submit = [vk::SubmitInfo::default().command_buffers(commands)];
        // SAFETY: see the file's head. A lost device keeps what it uses.
        unsafe {
            let fence = self.device.create_fence(&vk::FenceCreateInfo::default(), None);
            let fence = fence.map_err(failed("vkCreateFence"))?;
            self.device.queue_submit(self.queue, &submit, fence).map_err(failed("vkQueueSubmit"))?;
            let done = self.device.wait_for_fences(&[fence], true, PATIENCE * 1_000_000_000);
            if let Err(e) = done {
                self.lost.set(true);
                return Err(failed("vkWaitForFences")(e));
            }
            self.device.destroy_fence(fence, None);
        }
        Ok(())
    }

    pub(crate) fn read(&self, memory: vk::DeviceMemory, words: usize) -> Result<Vec<u32>, String> {
        // SAFETY: the memory is visible to the host, is not mapped, and is at least so long; the
        // device has ended. Mapped memory is aligned for any word.
        unsafe {
            let at = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let at = at.map_err(failed("vkMapMemory"))?;
            let out = std::slice::from_raw_parts(at.cast::<u32>(), words).to_vec();
            self.device.unmap_memory(memory);
            Ok(out)
        }
    }
}

/// What a run makes; it goes with the run.
struct Made<'a> {
    on: &'a Lavapipe,
    buffers: Vec<(vk::Buffer, vk::DeviceMemory)>,
    layouts: Vec<vk::DescriptorSetLayout>,
    layout: vk::PipelineLayout,
    module: vk::ShaderModule,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    commands: Vec<vk::CommandBuffer>,
    fence: vk::Fence,
    /// The device still works on it.
    busy: bool,
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        if self.busy {
            return;
        }
        let d = &self.on.device;
        // SAFETY: the device has ended, or never began. Handles that are null are allowed here.
        unsafe {
            d.destroy_fence(self.fence, None);
            if !self.commands.is_empty() {
                d.free_command_buffers(self.on.pool, &self.commands);
            }
            d.destroy_descriptor_pool(self.pool, None);
            d.destroy_pipeline(self.pipeline, None);
            d.destroy_shader_module(self.module, None);
            d.destroy_pipeline_layout(self.layout, None);
            self.layouts.iter().for_each(|l| d.destroy_descriptor_set_layout(*l, None));
            for (buffer, memory) in &self.buffers {
                d.destroy_buffer(*buffer, None);
                d.free_memory(*memory, None);
            }
        }
    }
}

fn kind(b: &Buffer) -> vk::DescriptorType {
    if b.uniform {
        vk::DescriptorType::UNIFORM_BUFFER
    } else {
        vk::DescriptorType::STORAGE_BUFFER
    }
}

impl<'a> Made<'a> {
    fn new(on: &'a Lavapipe) -> Made<'a> {
        Made {
            on,
            buffers: vec![],
            layouts: vec![],
            layout: vk::PipelineLayout::null(),
            module: vk::ShaderModule::null(),
            pipeline: vk::Pipeline::null(),
            pool: vk::DescriptorPool::null(),
            commands: vec![],
            fence: vk::Fence::null(),
            busy: false,
        }
    }

    fn buffer(&mut self, b: &Buffer) -> Result<(), String> {
        let d = &self.on.device;
        let bytes = (b.words.len().max(1) * 4) as u64;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::UNIFORM_BUFFER;
        let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        // SAFETY: see the file's head. The slice that is written is as long as the buffer at least.
        unsafe {
            let buffer = d.create_buffer(&info, None).map_err(failed("vkCreateBuffer"))?;
            self.buffers.push((buffer, vk::DeviceMemory::null()));
            let needs = d.get_buffer_memory_requirements(buffer);
            let info =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(self.on.memory_type);
            let memory = d.allocate_memory(&info, None).map_err(failed("vkAllocateMemory"))?;
            self.buffers.last_mut().expect("pushed above").1 = memory;
            d.bind_buffer_memory(buffer, memory, 0).map_err(failed("vkBindBufferMemory"))?;
            let at = d.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let at = at.map_err(failed("vkMapMemory"))?;
            std::slice::from_raw_parts_mut(at.cast::<u32>(), b.words.len()).copy_from_slice(&b.words);
            d.unmap_memory(memory);
        }
        Ok(())
    }

    fn layout(&mut self, dispatch: &Dispatch) -> Result<vk::PipelineLayout, String> {
        let sets = dispatch.buffers.iter().map(|b| b.set + 1).max().unwrap_or(0);
        for set in 0..sets {
            let bindings: Vec<_> = dispatch
                .buffers
                .iter()
                .filter(|b| b.set == set)
                .map(|b| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(b.binding)
                        .descriptor_type(kind(b))
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: see the file's head.
            let made = unsafe { self.on.device.create_descriptor_set_layout(&info, None) };
            self.layouts.push(made.map_err(failed("vkCreateDescriptorSetLayout"))?);
        }
        let range = vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(dispatch.push.len() as u32 * 4);
        let ranges = [range];
        let ranges = if dispatch.push.is_empty() { &ranges[..0] } else { &ranges[..] };
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&self.layouts).push_constant_ranges(ranges);
        // SAFETY: see the file's head.
        let made = unsafe { self.on.device.create_pipeline_layout(&info, None) };
        self.layout = made.map_err(failed("vkCreatePipelineLayout"))?;
        Ok(self.layout)
    }

    fn pipeline(&mut self, dispatch: &Dispatch, layout: vk::PipelineLayout) -> Result<vk::Pipeline, String> {
        let info = vk::ShaderModuleCreateInfo::default().code(dispatch.module);
        // SAFETY: the module is valid, which the caller answers for.
        let made = unsafe { self.on.device.create_shader_module(&info, None) };
        self.module = made.map_err(failed("vkCreateShaderModule"))?;
        let name = std::ffi::CString::new(dispatch.entry).map_err(|e| e.to_string())?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.module)
            .name(&name);
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        // SAFETY: as above; the layout has every binding of the module.
        let made = unsafe { self.on.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
        self.pipeline = made.map_err(|e| failed("vkCreateComputePipelines")(e.1))?[0];
        Ok(self.pipeline)
    }

    fn sets(&mut self, buffers: &[Buffer]) -> Result<Vec<vk::DescriptorSet>, String> {
        if self.layouts.is_empty() {
            return Ok(vec![]);
        }
        let d = &self.on.device;
        let count = buffers.len() as u32 + 1;
        let sizes = [vk::DescriptorType::UNIFORM_BUFFER, vk::DescriptorType::STORAGE_BUFFER]
            .map(|ty| vk::DescriptorPoolSize::default().ty(ty).descriptor_count(count));
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(self.layouts.len() as u32).pool_sizes(&sizes);
        // SAFETY: see the file's head.
        self.pool = unsafe { d.create_descriptor_pool(&info, None) }.map_err(failed("vkCreateDescriptorPool"))?;
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&self.layouts);
        // SAFETY: see the file's head.
        let sets = unsafe { d.allocate_descriptor_sets(&info) }.map_err(failed("vkAllocateDescriptorSets"))?;
        for (b, made) in buffers.iter().zip(&self.buffers) {
            let range = [vk::DescriptorBufferInfo::default().buffer(made.0).range(vk::WHOLE_SIZE)];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(sets[b.set as usize])
                .dst_binding(b.binding)
                .descriptor_type(kind(b))
                .buffer_info(&range);
            // SAFETY: the set has that binding, of that kind, by `layout`.
            unsafe { d.update_descriptor_sets(&[write], &[]) };
        }
        Ok(sets)
    }

    fn commands(
        &mut self,
        dispatch: &Dispatch,
        layout: vk::PipelineLayout,
        pipeline: vk::Pipeline,
        sets: &[vk::DescriptorSet],
    ) -> Result<vk::CommandBuffer, String> {
        let d = &self.on.device;
        let point = vk::PipelineBindPoint::COMPUTE;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.on.pool).command_buffer_count(1);
        let push: Vec<u8> = dispatch.push.iter().flat_map(|w| w.to_le_bytes()).collect();
        let [x, y, z] = dispatch.groups;
        // SAFETY: see the file's head; sets and push constants are those of the layout.
        unsafe {
            self.commands = d.allocate_command_buffers(&info).map_err(failed("vkAllocateCommandBuffers"))?;
            let c = self.commands[0];
            d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default())
                .map_err(failed("vkBeginCommandBuffer"))?;
            d.cmd_bind_pipeline(c, point, pipeline);
            if !sets.is_empty() {
                d.cmd_bind_descriptor_sets(c, point, layout, 0, sets, &[]);
            }
            if !push.is_empty() {
                d.cmd_push_constants(c, layout, vk::ShaderStageFlags::COMPUTE, 0, &push);
            }
            d.cmd_dispatch(c, x, y, z);
            d.end_command_buffer(c).map_err(failed("vkEndCommandBuffer"))?;
            Ok(c)
        }
    }

    fn submit(&mut self, commands: vk::CommandBuffer) -> Result<(), String> {
        let d = &self.on.device;
        let commands = [commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: see the file's head. `busy` keeps what the device uses if it does not end.
        unsafe {
            self.fence = d.create_fence(&vk::FenceCreateInfo::default(), None).map_err(failed("vkCreateFence"))?;
            d.queue_submit(self.on.queue, &submit, self.fence).map_err(failed("vkQueueSubmit"))?;
            self.busy = true;
            d.wait_for_fences(&[self.fence], true, PATIENCE * 1_000_000_000).map_err(failed("vkWaitForFences"))?;
        }
        self.busy = false;
        Ok(())
    }
}
