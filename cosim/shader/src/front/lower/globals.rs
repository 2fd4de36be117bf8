//! Module-scope variables and the inputs and outputs of the entry point: the buffer table, constant
//! words for uniforms, the layout of work-group memory, slots for private variables, and built-in
//! inputs. Work-group memory is cleared by the group's threads together before the program proper,
//! as WGSL demands.

use super::cx::{Cx, GlobalPlace, Known, Operand, Res, Unit};
use super::types::shape_of;
use crate::front::diag::Diagnostics;
use crate::front::emit::globals::{bank_words, members, uniform_words};
use crate::front::emit::place::{Base, Place};
use crate::front::emit::stage_io::{numbers, Declared, Input, Output, Place as At, Taken};
use crate::front::emit::types::{Shape, Types, MAX_SHARED_BYTES};
use crate::interface::{Binding, BindingKind, Interpolation, Stage, PUSH_CONSTANTS};
use crate::ssa::{Loc, Slot, Space, Value};
use naga::proc::Layouter;
use naga::{AddressSpace, BuiltIn, GlobalVariable, Handle, Span, StorageAccess, TypeInner};
use quadlock_isa::abi::{CONST_GRID, CONST_USER, LANES, MAX_BUFFERS};
use quadlock_isa::Special;

impl Known {
    /// Places every global variable; gives the buffer table and the bytes of work-group memory.
    /// `used`: whether the entry point uses one; `linked`: it is a stage of a pipeline.
    pub fn place_globals(
        &mut self,
        unit: Unit,
        types: &mut Types,
        used: &dyn Fn(Handle<GlobalVariable>) -> bool,
        linked: bool,
    ) -> Result<(Vec<Binding>, Vec<Loc>, u32), Diagnostics> {
        self.bank = bank_words(linked);
        let module = unit.module;
        let mut layouter = Layouter::default();
        let fail = |span: Span, message: String, help: &str| -> Diagnostics {
            unit.map.diagnostic(span, message, help).into()
        };
        if let Err(e) = layouter.update(module.to_ctx()) {
            return Err(fail(Span::UNDEFINED, format!("memory layout: {e}"), "correct the type"));
        }
        let mut buffers = Vec::new();
        let mut shared = 0u32;
        for (handle, var) in module.global_variables.iter() {
            let span = module.global_variables.get_span(handle);
            let name = var.name.clone().unwrap_or_default();
            match var.space {
                AddressSpace::Uniform | AddressSpace::Storage { .. } => {
                    let Some(at) = var.binding else {
                        return Err(fail(span, format!("buffer `{name}` has no group and binding"), "give it both"));
                    };
                    if (at.group, at.binding) == PUSH_CONSTANTS {
                        return Err(fail(span, format!("there is no group {}", at.group), "give it a lower one"));
                    }
                    buffers.push((at.group, at.binding, handle));
                }
                AddressSpace::WorkGroup => {
                    let layout = layouter[var.ty];
                    let align = if layout.size >= 16 { 16 } else { layout.size.next_power_of_two().max(4) };
                    let offset = shared.next_multiple_of(align);
                    shared = offset.saturating_add(layout.size);
                    if shared > MAX_SHARED_BYTES {
                        let message = format!("`{name}`: more than {MAX_SHARED_BYTES} bytes of work-group memory");
                        return Err(fail(span, message, "use less, or a storage buffer"));
                    }
                    self.globals.insert(handle, GlobalPlace::Shared { offset });
                }
                AddressSpace::Private => {
                    self.globals.insert(handle, GlobalPlace::Private);
                }
                // What the entry point does not use may be anything.
                AddressSpace::Handle if !used(handle) => {}
                AddressSpace::Immediate => buffers.push((PUSH_CONSTANTS.0, PUSH_CONSTANTS.1, handle)),
                AddressSpace::Handle => {
                    let what = match shape_of(types, module, var.ty) {
                        Err(message) => message,
                        Ok(_) => "resources of this kind are not supported".into(),
                    };
                    return Err(fail(span, format!("`{name}`: {what}"), "use a storage buffer instead"));
                }
                other => {
                    let message = format!("`{name}`: the address space {other:?} is not supported");
                    return Err(fail(span, message, "use a uniform or storage buffer"));
                }
            }
        }
        // One that is not used gives its place to another of the same number.
        let numbers = buffers.clone();
        let taken = |b: &(u32, u32, _)| numbers.iter().any(|n| (n.0, n.1) == (b.0, b.1) && n.2 != b.2 && used(n.2));
        buffers.retain(|b| used(b.2) || !taken(b));
        buffers.sort();
        if buffers.len() > MAX_BUFFERS {
            let span = module.global_variables.get_span(buffers[MAX_BUFFERS].2);
            return Err(fail(span, format!("more than {MAX_BUFFERS} buffers"), "join some of them"));
        }
        let mut bindings: Vec<Binding> = Vec::new();
        let mut free = CONST_USER as u32;
        for (index, &(group, binding, handle)) in buffers.iter().enumerate() {
            if let Some(other) = bindings.iter().find(|b| (b.group, b.binding) == (group, binding)) {
                let span = module.global_variables.get_span(handle);
                let message = format!("group {group} binding {binding} is already `{}`", other.name);
                return Err(fail(span, message, "give each buffer its own binding"));
            }
            let b = self.bind((unit, types), index as u32, handle, &layouter, &mut free);
            bindings
                .push(b.map_err(|m| fail(module.global_variables.get_span(handle), m, "rewrite the buffer's type"))?);
        }
        let place = |b: &(_, _, Handle<GlobalVariable>)| {
            let (span, name) = (module.global_variables.get_span(b.2), module.global_variables[b.2].name.as_deref());
            unit.map.loc(0, unit.map.name_in(span, name.unwrap_or_default()))
        };
        let declared = buffers.iter().map(place).collect();
        Ok((bindings, declared, shared.next_multiple_of(16)))
    }

    fn bind(
        &mut self,
        (unit, types): (Unit, &mut Types),
        index: u32,
        handle: Handle<GlobalVariable>,
        layouter: &Layouter,
        free: &mut u32,
    ) -> Result<Binding, String> {
        let module = unit.module;
        let var = &module.global_variables[handle];
        let (min_bytes, stride) = buffer_size(types, module, var.ty, layouter)?;
        let (mut const_at, mut const_words) = (0, 0);
        let kind = match var.space {
            AddressSpace::Uniform | AddressSpace::Immediate => {
                const_at = *free;
                const_words = uniform_words(min_bytes, *free, self.bank);
                *free += const_words;
                BindingKind::Uniform
            }
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => BindingKind::StorageReadWrite,
            _ => BindingKind::StorageRead,
        };
        let place = match kind {
            BindingKind::Uniform => GlobalPlace::Uniform { index, const_at, const_words },
            _ => GlobalPlace::Buffer { index },
        };
        self.globals.insert(handle, place);
        let name = var.name.clone().unwrap_or_default();
        let at = var.binding.map_or(PUSH_CONSTANTS, |b| (b.group, b.binding));
        let members = match (kind, &module.types[var.ty].inner) {
            (BindingKind::Uniform, inner) => {
                let shape = shape_of(types, module, var.ty)?;
                let named = |k: Option<u32>| match (k, inner) {
                    (Some(k), TypeInner::Struct { members, .. }) => {
                        members.get(k as usize).and_then(|m| m.name.clone()).unwrap_or_else(|| format!("member{k}"))
                    }
                    _ => name.clone(),
                };
                members(types, shape, &named)
            }
            _ => vec![],
        };
        let (group, binding) = at;
        Ok(Binding { name, group, binding, kind, index, min_bytes, stride, const_at, const_words, members })
    }
}

/// Bytes of a buffer without its run-time array, and the stride of that array.
fn buffer_size(
    types: &mut Types,
    module: &naga::Module,
    ty: Handle<naga::Type>,
    layouter: &Layouter,
) -> Result<(u32, u32), String> {
    match module.types[ty].inner {
        TypeInner::Array { size: naga::ArraySize::Dynamic, stride, .. } => Ok((0, stride)),
        TypeInner::Struct { ref members, span } => match members.last() {
            Some(last) => match module.types[last.ty].inner {
                TypeInner::Array { size: naga::ArraySize::Dynamic, stride, .. } => Ok((last.offset, stride)),
                _ => Ok((span, 0)),
            },
            None => Ok((span, 0)),
        },
        _ => {
            shape_of(types, module, ty)?;
            Ok((layouter[ty].size, 0))
        }
    }
}

/// A part of an entry point's result.
struct Part<'a> {
    binding: Option<&'a naga::Binding>,
    ty: Handle<naga::Type>,
    /// Of a structure's member.
    name: Option<&'a str>,
    span: Span,
}

/// How a varying is taken; perspective and centre unless it says otherwise.
fn taken(interpolation: Option<naga::Interpolation>, sampling: Option<naga::Sampling>) -> Taken {
    let interpolation = match interpolation {
        Some(naga::Interpolation::Flat) => Interpolation::Flat,
        Some(naga::Interpolation::Linear) => Interpolation::Linear,
        _ => Interpolation::Perspective,
    };
    let place = match sampling {
        Some(naga::Sampling::Centroid) => At::Centroid,
        Some(naga::Sampling::Sample) => At::Sample,
        _ => At::Centre,
    };
    Taken { interpolation, place }
}

impl<'a> Cx<'_, 'a> {
    /// The place of a global variable.
    pub fn global(&mut self, handle: Handle<GlobalVariable>) -> Res<Place> {
        let var = &self.unit.module.global_variables[handle];
        let shape = self.type_shape(var.ty)?;
        let base = match self.k.globals.get(&handle).copied() {
            _ if self.unit.is_prelude => return Err(self.refuse("internal: the prelude has no variables")),
            Some(GlobalPlace::Buffer { index }) => {
                let space = match var.space {
                    AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Space::Global,
                    _ => Space::ReadOnly,
                };
                return Ok(self.buffer_place(index, space, shape));
            }
            Some(GlobalPlace::Uniform { index, const_at, const_words }) => {
                Base::Uniform { buffer: index, offset: 0, const_at, const_words }
            }
            Some(GlobalPlace::Shared { offset }) => return Ok(self.shared_place(offset, shape)),
            Some(GlobalPlace::Private) => match self.private.get(&handle) {
                Some(&slot) => Base::Slot { slot, word: 0 },
                None => return Err(self.refuse("internal: a private variable in a plain function")),
            },
            None => return Err(self.refuse("internal: this variable has no place")),
        };
        Ok(Place { base, shape })
    }

    /// Makes and initialises the slots of private variables.
    pub fn private_slots(&mut self) -> Res<()> {
        let module = self.unit.module;
        for (handle, var) in module.global_variables.iter() {
            if var.space != AddressSpace::Private || self.f.info[handle].is_empty() {
                continue;
            }
            self.at(module.global_variables.get_span(handle));
            let shape = self.type_shape(var.ty)?;
            let slot = self.variable_slot(shape, var.name.as_deref().unwrap_or("_"))?;
            match var.init {
                Some(init) => {
                    let value = self.global_constant(init)?;
                    self.b.slot_store_all(slot, &value);
                }
                None => self.clear_slot(slot),
            }
            self.private.insert(handle, slot);
        }
        Ok(())
    }

    /// Values of the entry point's arguments.
    pub fn entry_inputs(&mut self, fun: &'a naga::Function) -> Res<Vec<Operand>> {
        let several = self.p.linkage.as_ref().is_some_and(|l| l.samples > 1);
        let several = several && self.p.io.stage == Some(Stage::Fragment);
        self.p.io.interface.per_sample = several && self.is_per_sample(fun);
        self.p.io.interface.early_tests = self.early_tests();
        let (map, entry) = (self.unit.map, self.entry_name().to_owned());
        let mut out = Vec::new();
        for argument in &fun.arguments {
            self.at(map.named_in(&entry, argument.name.as_deref().unwrap_or("_")));
            let words = match (&argument.binding, &self.unit.module.types[argument.ty].inner) {
                (Some(binding), _) => self.input(binding, argument.ty, argument.name.as_deref())?,
                (None, TypeInner::Struct { members, .. }) => {
                    let mut words = Vec::new();
                    let of = self.unit.module.types[argument.ty].name.as_deref().unwrap_or("_");
                    for member in members {
                        self.at(map.named_in(of, member.name.as_deref().unwrap_or("_")));
                        let Some(binding) = &member.binding else {
                            return Err(self.refuse("an input without a binding"));
                        };
                        words.extend(self.input(binding, member.ty, member.name.as_deref())?);
                    }
                    words
                }
                _ => return Err(self.refuse("an input without a binding")),
            };
            out.push(Operand::Words(words));
        }
        Ok(out)
    }

    /// Bindings of the entry point's arguments, members of structs taken for themselves.
    fn input_bindings(&self, fun: &'a naga::Function) -> Vec<&'a naga::Binding> {
        let module = self.unit.module;
        let of = |argument: &'a naga::FunctionArgument| match (&argument.binding, &module.types[argument.ty].inner) {
            (None, TypeInner::Struct { members, .. }) => members.iter().filter_map(|m| m.binding.as_ref()).collect(),
            (binding, _) => binding.iter().collect::<Vec<_>>(),
        };
        fun.arguments.iter().flat_map(of).collect()
    }

    /// Name of the entry point that the current function is.
    fn entry_name(&self) -> &'a str {
        let entry = self.unit.module.entry_points.iter().find(|e| std::ptr::eq(&e.function, self.f.fun));
        entry.map_or("_", |e| &e.name)
    }

    /// Declares the outputs by location. Each target that is written has one.
    pub fn declared_outputs(&mut self, fun: &'a naga::Function) -> Res<()> {
        let here = self.unit.map.declaration(self.entry_name());
        self.at(here);
        if !self.e.is_linked() {
            return Ok(());
        }
        let parts = fun.result.as_ref().map_or(vec![], |result| self.parts(result));
        let location = |part: &Part| match part.binding {
            Some(naga::Binding::Location { location, .. }) => Some(*location),
            _ => None,
        };
        let declared: Vec<u32> = parts.iter().filter_map(location).collect();
        self.check_targets(&declared)?;
        for part in parts {
            let Some(naga::Binding::Location { location, interpolation, sampling, .. }) = part.binding else {
                continue;
            };
            self.at(part.span);
            let shape = self.type_shape(part.ty)?;
            let (words, numbers) = (self.words_in(shape)?, shape.scalar().and_then(|s| numbers(s.kind)));
            let (at, taken, name) = ((*location, 0), taken(*interpolation, *sampling), part.name.unwrap_or("result"));
            self.e.declare_output(&Declared { at, words, numbers, taken, name, written: true })?;
        }
        self.at(here);
        Ok(())
    }

    /// The parts of an entry point's result, each with the place of its declaration.
    fn parts(&self, result: &'a naga::FunctionResult) -> Vec<Part<'a>> {
        let (module, map) = (self.unit.module, self.unit.map);
        match (&result.binding, &module.types[result.ty].inner) {
            (None, TypeInner::Struct { members, .. }) => {
                let of = module.types[result.ty].name.as_deref().unwrap_or("_");
                let whole = map.result_of(self.entry_name());
                let part = |m: &'a naga::StructMember| {
                    let name = m.name.as_deref();
                    let span = name.map_or(whole, |name| map.named_in(of, name));
                    Part { binding: m.binding.as_ref(), ty: m.ty, name, span }
                };
                members.iter().map(part).collect()
            }
            (binding, _) => {
                let span = map.result_of(self.entry_name());
                vec![Part { binding: binding.as_ref(), ty: result.ty, name: None, span }]
            }
        }
    }

    /// The program runs once for each sample.
    fn is_per_sample(&self, fun: &'a naga::Function) -> bool {
        self.input_bindings(fun).into_iter().any(|b| match b {
            naga::Binding::BuiltIn(b) => *b == BuiltIn::SampleIndex,
            naga::Binding::Location { sampling, .. } => *sampling == Some(naga::Sampling::Sample),
        })
    }

    fn early_tests(&self) -> bool {
        let entry = self.unit.module.entry_points.iter().find(|e| std::ptr::eq(&e.function, self.f.fun));
        entry.is_some_and(|e| matches!(e.early_depth_test, Some(naga::EarlyDepthTest::Force)))
    }

    fn input(&mut self, binding: &naga::Binding, ty: Handle<naga::Type>, name: Option<&str>) -> Res<Vec<Value>> {
        let shape = self.type_shape(ty)?;
        let words = self.words_in(shape)?;
        match binding {
            naga::Binding::BuiltIn(builtin) => self.builtin(*builtin, words, name),
            naga::Binding::Location { location, interpolation, sampling, .. } if self.e.is_linked() => {
                let numbers = shape.scalar().and_then(|s| numbers(s.kind));
                let taken = taken(*interpolation, *sampling);
                self.e.location_input((*location, 0), words, numbers, taken, name.unwrap_or("input"))
            }
            naga::Binding::Location { location, .. } => Ok(self.input_slot(words, &format!("in.location{location}"))),
        }
    }

    /// Inputs of vertex and fragment programs that are not linked are slots that nothing writes.
    fn input_slot(&mut self, words: u32, name: &str) -> Vec<Value> {
        let slot = self.b.slot(words, name);
        self.b.slot_load_all(slot)
    }

    fn builtin(&mut self, builtin: BuiltIn, words: u32, name: Option<&str>) -> Res<Vec<Value>> {
        let groups = [Special::GroupX, Special::GroupY, Special::GroupZ];
        let linked = self.e.is_linked();
        let compute = match builtin {
            BuiltIn::LocalInvocationIndex => vec![self.b.special(Special::LocalIndex)],
            BuiltIn::LocalInvocationId => (0..3).map(|axis| self.local_id(axis)).collect(),
            BuiltIn::WorkGroupId => groups.iter().map(|&g| self.b.special(g)).collect(),
            BuiltIn::WorkGroupSize => self.p.group_size.map(|size| self.e.b.constant(size)).to_vec(),
            BuiltIn::NumWorkGroups => (0..3).map(|axis| self.b.const_word(CONST_GRID as u32 + axis)).collect(),
            BuiltIn::SubgroupSize => vec![self.b.constant(LANES as u32)],
            BuiltIn::SubgroupInvocationId => vec![self.b.special(Special::Lane)],
            BuiltIn::SubgroupId => vec![self.subgroup_id()],
            BuiltIn::NumSubgroups => vec![self.subgroup_count()],
            BuiltIn::GlobalInvocationId => (0..3).map(|axis| self.global_id(axis, groups[axis])).collect(),
            BuiltIn::Position { .. } if linked => self.e.stage_input(Input::Position),
            BuiltIn::VertexIndex if linked => self.e.stage_input(Input::VertexIndex),
            BuiltIn::InstanceIndex if linked => self.e.stage_input(Input::InstanceIndex),
            BuiltIn::FrontFacing if linked => self.e.stage_input(Input::FrontFacing),
            BuiltIn::SampleIndex if linked => self.e.stage_input(Input::SampleIndex),
            BuiltIn::SampleMask if linked => self.e.stage_input(Input::SampleMask),
            BuiltIn::Position { .. }
            | BuiltIn::VertexIndex
            | BuiltIn::InstanceIndex
            | BuiltIn::BaseVertex
            | BuiltIn::BaseInstance
            | BuiltIn::FrontFacing
            | BuiltIn::PointCoord
            | BuiltIn::SampleIndex
            | BuiltIn::SampleMask
            | BuiltIn::PrimitiveIndex => return Ok(self.input_slot(words, &format!("in.{builtin:?}"))),
            other => {
                let name = name.unwrap_or("input");
                return Err(self.refuse(format!("`{name}`: the built-in input {other:?} is not supported")));
            }
        };
        Ok(compute)
    }

    fn linked_outputs(&mut self, result: &'a naga::FunctionResult, values: &[Value]) -> Res<()> {
        let here = self.span;
        let mut at = 0;
        for part in self.parts(result) {
            self.at(part.span);
            let shape = self.type_shape(part.ty)?;
            let words = self.words_in(shape)? as usize;
            let output = match part.binding {
                Some(naga::Binding::Location { location, .. }) => Output::Location(*location, 0),
                Some(naga::Binding::BuiltIn(BuiltIn::Position { invariant })) => {
                    if *invariant {
                        self.e.p.io.invariant.extend(&values[at..at + words]);
                    }
                    Output::Position
                }
                Some(naga::Binding::BuiltIn(BuiltIn::FragDepth)) => Output::Depth,
                Some(naga::Binding::BuiltIn(BuiltIn::SampleMask)) => Output::SampleMask,
                Some(naga::Binding::BuiltIn(BuiltIn::PointSize)) => Output::Nothing,
                Some(naga::Binding::BuiltIn(BuiltIn::ClipDistances)) => {
                    let message = "`clip_distances`: planes of a program's own are not supported";
                    return Err(self.refuse_help(message, "discard in the fragment program what is behind the plane"));
                }
                other => return Err(self.refuse(format!("the output {other:?} is not supported"))),
            };
            self.e.stage_output(output, &values[at..at + words]);
            at += words;
        }
        self.at(here);
        self.e.finish_outputs()
    }

    /// Outputs of vertex and fragment programs go to slots of their own.
    pub fn entry_outputs(&mut self, values: &[Value]) -> Res<()> {
        let fun = self.f.fun;
        let Some(result) = &fun.result else { return Ok(()) };
        let name_of = |binding: &Option<naga::Binding>| match binding {
            Some(naga::Binding::Location { location, .. }) => format!("out.location{location}"),
            Some(naga::Binding::BuiltIn(b)) => format!("out.{b:?}"),
            None => "out".to_string(),
        };
        if self.e.is_linked() {
            return self.linked_outputs(result, values);
        }
        let mut outputs: Vec<(String, Shape)> = Vec::new();
        match (&result.binding, self.type_shape(result.ty)?) {
            (None, Shape::Struct(_)) => {
                let module = self.unit.module;
                let TypeInner::Struct { members, .. } = &module.types[result.ty].inner else { return Ok(()) };
                for member in members {
                    outputs.push((name_of(&member.binding), self.type_shape(member.ty)?));
                }
            }
            (binding, shape) => outputs.push((name_of(binding), shape)),
        }
        let mut at = 0;
        for (name, shape) in outputs {
            let words = self.words_in(shape)? as usize;
            let slot: Slot = self.b.slot(words as u32, &name);
            self.b.slot_store_all(slot, &values[at..at + words]);
            at += words;
        }
        Ok(())
    }
}
