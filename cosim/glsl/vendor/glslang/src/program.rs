use crate::ctypes::ShaderStage;
use crate::error::{GlslangError, GlslangErrorLog};
use crate::{Compiler, Shader};
use glslang_sys as sys;
use glslang_sys::glslang_spv_options_s;
use rustc_hash::FxHashMap;
use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Lower-level program interface.
#[derive(Debug)]
pub struct Program<'a> {
    handle: NonNull<sys::glslang_program_t>,
    cache: FxHashMap<ShaderStage, bool>,
    _compiler: PhantomData<&'a Compiler>,
}

impl<'a> Program<'a> {
    /// Create a new program instance.
    pub fn new(_compiler: &'a Compiler) -> Self {
        let program = Self {
            handle: unsafe {
                NonNull::new(sys::glslang_program_create()).expect("glslang created null shader")
            },
            cache: FxHashMap::default(),
            _compiler: PhantomData,
        };

        program
    }

    /// Add a shader to the program. The lifetime of the shader must extend beyond the lifetime of the program instance.
    pub fn add_shader<'shader>(&mut self, shader: &'shader Shader<'shader>)
    where
        'shader: 'a,
    {
        unsafe { sys::glslang_program_add_shader(self.handle.as_ptr(), shader.handle.as_ptr()) }
        self.cache.insert(shader.stage, shader.is_spirv);
    }

    /// Map shader input/output locations. Requires [crate::ShaderOptions::AUTO_MAP_LOCATIONS] to be set
    /// on shaders.
    pub fn map_io(&mut self) -> Result<(), GlslangError> {
        if unsafe { sys::glslang_program_map_io(self.handle.as_ptr()) } == 0 {
            return Err(GlslangError::MapIoError(GlslangErrorLog::new(self.get_log(), self.get_debug_log())));
        }

        Ok(())
    }

    /// Link the program without compiling to SPIR-V.
    ///
    /// A [`Program`](crate::Program) can only be linked once.
    pub fn link(self) -> Result<(), GlslangError> {
        let messages = glslang_sys::glslang_messages_t::DEFAULT
            | glslang_sys::glslang_messages_t::VULKAN_RULES
            | glslang_sys::glslang_messages_t::SPV_RULES;

        if unsafe { sys::glslang_program_link(self.handle.as_ptr(), messages.0) } == 0 {
            return Err(GlslangError::LinkError(GlslangErrorLog::new(self.get_log(), self.get_debug_log())));
        }
        Ok(())
    }

    /// Compile the given stage to SPIR-V, consuming the program.
    ///
    /// A [`Program`](crate::Program) can not be re-used to compile multiple stages.
    pub fn compile(self, stage: ShaderStage) -> Result<Vec<u32>, GlslangError> {
        // If the stage was not previously added to the program, compiling SPIRV ends up segfaulting.
        if !self.cache.contains_key(&stage) {
            return Err(GlslangError::ShaderStageNotFound(stage));
        }

        if let Some(false) = self.cache.get(&stage) {
            return Err(GlslangError::NoLanguageTarget);
        }

        let messages = glslang_sys::glslang_messages_t::DEFAULT
            | glslang_sys::glslang_messages_t::VULKAN_RULES
            | glslang_sys::glslang_messages_t::SPV_RULES;

        if unsafe { sys::glslang_program_link(self.handle.as_ptr(), messages.0) } == 0 {
            return Err(GlslangError::LinkError(GlslangErrorLog::new(self.get_log(), self.get_debug_log())));
        }

        // We don't support SPIRV compile options because nearly all of them (except for generateDebugInfo),
        // require callbacks that either we don't expose, or are not exposed by the C API.
        // disableOptimizer is redundant as well because we need to support WASM, which doesn't support
        // the optimizer.
        //
        // Quadlock: with source lines. `glslang_program_SPIRV_generate` is the same without them.
        let mut options = glslang_spv_options_s {
            generate_debug_info: true,
            strip_debug_info: false,
            disable_optimizer: true,
            optimize_size: false,
            optimize_performance: false,
            disassemble: false,
            validate: false,
            emit_nonsemantic_shader_debug_info: false,
            emit_nonsemantic_shader_debug_source: false,
            compile_only: false,
            optimize_allow_expanded_id_bound: false,
            compiler_signature: std::ptr::null(),
            command_line_arguments: std::ptr::null(),
            current_working_directory: std::ptr::null(),
        };
        unsafe {
            sys::glslang_program_SPIRV_generate_with_options(self.handle.as_ptr(), stage, &mut options)
        }

        let size = unsafe { sys::glslang_program_SPIRV_get_size(self.handle.as_ptr()) };
        let mut buffer = vec![0u32; size];

        unsafe {
            sys::glslang_program_SPIRV_get(self.handle.as_ptr(), buffer.as_mut_ptr());
        }

        Ok(buffer)
    }

    /// Compile the given stage to SPIR-V, optimizing for size, consuming the program.
    ///
    /// A [`Program`](crate::Program) can not be re-used to compile multiple stages.
    pub fn compile_size_optimized(self, stage: ShaderStage) -> Result<Vec<u32>, GlslangError> {
        // If the stage was not previously added to the program, compiling SPIRV ends up segfaulting.
        if !self.cache.contains_key(&stage) {
            return Err(GlslangError::ShaderStageNotFound(stage));
        }

        if let Some(false) = self.cache.get(&stage) {
            return Err(GlslangError::NoLanguageTarget);
        }

        let messages = glslang_sys::glslang_messages_t::DEFAULT
            | glslang_sys::glslang_messages_t::VULKAN_RULES
            | glslang_sys::glslang_messages_t::SPV_RULES;

        if unsafe { sys::glslang_program_link(self.handle.as_ptr(), messages.0) } == 0 {
            return Err(GlslangError::LinkError(GlslangErrorLog::new(self.get_log(), self.get_debug_log())));
        }

        let mut options = glslang_spv_options_s {
            generate_debug_info: false,
            strip_debug_info: false,
            disable_optimizer: false,
            optimize_size: true,
            optimize_performance: false,
            disassemble: false,
            validate: false,
            emit_nonsemantic_shader_debug_info: false,
            emit_nonsemantic_shader_debug_source: false,
            compile_only: false,
            optimize_allow_expanded_id_bound: false,
            compiler_signature: std::ptr::null(),
            command_line_arguments: std::ptr::null(),
            current_working_directory: std::ptr::null(),
        };

        // We don't support SPIRV compile options because nearly all of them (except for generateDebugInfo),
        // require callbacks that either we don't expose, or are not exposed by the C API.
        // disableOptimizer is redundant as well because we need to support WASM, which doesn't support
        // the optimizer.
        unsafe {
            sys::glslang_program_SPIRV_generate_with_options(
                self.handle.as_ptr(),
                stage,
                &mut options,
            )
        }

        let size = unsafe { sys::glslang_program_SPIRV_get_size(self.handle.as_ptr()) };
        let mut buffer = vec![0u32; size];

        unsafe {
            sys::glslang_program_SPIRV_get(self.handle.as_ptr(), buffer.as_mut_ptr());
        }

        Ok(buffer)
    }

    pub fn get_log(&self) -> String {
        let c_str =
            unsafe { CStr::from_ptr(sys::glslang_program_get_info_log(self.handle.as_ptr())) };

        let string = CString::from(c_str)
            .into_string()
            .expect("Expected glslang info log to be valid UTF-8");

        string
    }

    pub fn get_debug_log(&self) -> String {
        let c_str =
            unsafe { CStr::from_ptr(sys::glslang_program_get_info_debug_log(self.handle.as_ptr())) };

        let string = CString::from(c_str)
            .into_string()
            .expect("Expected glslang info log to be valid UTF-8");

        string
    }
}

impl<'a> Drop for Program<'a> {
    fn drop(&mut self) {
        unsafe { sys::glslang_program_delete(self.handle.as_ptr()) }
    }
}
