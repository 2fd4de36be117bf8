//! Variables of module scope: buffers, uniforms, work-group memory, private variables, built-in
//! inputs, inputs and outputs by location. Placed is what the entry point's calls reach, and
//! outputs that it declares; a module may declare textures that this entry point does not use. Two
//! variables of one set and binding are one memory.

use super::lower::{Lower, Operand};
use super::module::Res;
use crate::front::emit::globals::{bank_words, members, uniform_words};
use crate::front::emit::place::{Base, Place};
use crate::front::emit::types::{Shape, MAX_SHARED_BYTES};
use crate::interface::{Binding, BindingKind, BufferMember, NAMELESS_PUSH_CONSTANTS, PUSH_CONSTANTS};
use crate::ssa::{Space, Value};
use quadlock_isa::abi::{CONST_GRID, CONST_USER, LANES, MAX_BUFFERS};
use quadlock_isa::{Op as M, Special};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::collections::{BTreeMap, HashSet};

/// A buffer variable.
struct Found {
    id: u32,
    /// Its type.
    block: u32,
    /// Its set and binding.
    at: (u32, u32),
    name: String,
    kind: BindingKind,
    min_bytes: u32,
    stride: u32,
    /// It is an array of buffers, maybe of one.
    array: bool,
    /// Buffers of the array.
    count: u32,
    shape: Shape,
}

impl Lower<'_, '_> {
    /// The ids that functions of the entry point name. A literal may be the number of a variable
    /// that another entry point has to itself.
    fn named(&self) -> HashSet<u32> {
        let m = self.m;
        let (mut functions, mut seen, mut used) = (vec![self.entry.function], HashSet::new(), HashSet::new());
        while let Some(f) = functions.pop() {
            let Some(function) = m.functions.get(&f).filter(|_| seen.insert(f)) else { continue };
            for i in function.blocks.iter().flat_map(|b| b.insts.clone()).map(|n| &m.insts[n]) {
                if i.op == Op::FunctionCall {
                    functions.push(i.args[0]);
                }
                used.extend(i.ids());
            }
        }
        used
    }

    /// The variables of module scope that the entry point has, in the file's order: those that its
    /// functions name, and outputs that are only declared.
    fn reached(&self, named: &HashSet<u32>) -> Vec<u32> {
        let insts = self.m.insts.iter().take_while(|i| i.op != Op::Function);
        let variables = insts.filter(|i| i.op == Op::Variable).map(|i| i.id);
        variables.filter(|id| named.contains(id) || self.is_declared_output(*id)).collect()
    }

    /// Places every variable that is reached; bytes of work-group memory.
    pub fn place_variables(&mut self) -> Res<u32> {
        let m = self.m;
        let (mut buffers, mut shared, mut clear) = (vec![], 0u32, false);
        // Where the blocks of work-group memory lie: all in one place, as they are declared to.
        let mut blocks = None;
        let named = self.named();
        let reached = self.reached(&named);
        self.stage_modes(&reached);
        self.declare_outputs(&reached, &named)?;
        for id in reached {
            self.n = m.number(id).unwrap_or(0);
            self.e.b.loc = m.locs[self.n];
            let def = &m.insts[self.n];
            let Some((class, pointee)) = self.pointer(def.ty) else { return self.invalid("a variable of no pointer") };
            match class {
                class if Self::is_buffer(class) => buffers.push(self.buffer(id, class, pointee)?),
                StorageClass::Workgroup => {
                    let shape = self.ty(pointee)?;
                    let bytes = self.tight(shape);
                    let align = if bytes >= 16 { 16 } else { bytes.next_power_of_two().max(4) };
                    let block = m.is_decorated(pointee, Decoration::Block);
                    let offset = match blocks.filter(|_| block) {
                        Some(offset) => offset,
                        None => shared.next_multiple_of(if block { 16 } else { align }),
                    };
                    blocks = blocks.or(block.then_some(offset));
                    shared = shared.max(offset.saturating_add(bytes));
                    if shared > MAX_SHARED_BYTES {
                        let message = format!("more than {MAX_SHARED_BYTES} bytes of work-group memory");
                        return self.refuse(message, "use less, or a storage buffer");
                    }
                    clear |= def.args.len() > 1;
                    let place = self.e.shared_place(offset, shape);
                    self.define(id, Operand::Place(place));
                }
                StorageClass::Private | StorageClass::Output | StorageClass::Input => {
                    self.slot_variable(id, class, pointee)?;
                }
                StorageClass::UniformConstant => {
                    let help = "use storage buffers, uniform buffers and work-group memory";
                    self.ty(pointee)?;
                    return self.refuse("a variable of the class UniformConstant is not supported", help);
                }
                other => return self.refuse(format!("the storage class {other:?} is not supported"), "use a buffer"),
            }
        }
        let shared = shared.next_multiple_of(16);
        if clear {
            self.e.zero_shared(shared);
        }
        self.bind(buffers)?;
        Ok(shared)
    }

    fn buffer(&mut self, id: u32, class: StorageClass, pointee: u32) -> Res<Found> {
        let m = self.m;
        let at = |d| m.decoration(id, d);
        let (mut block, mut count) = (pointee, 1);
        while let Some(def) = m.def(block).filter(|d| d.op == Op::TypeArray) {
            count = self.constant_word(def.args[1])?.max(1).saturating_mul(count);
            block = def.args[0];
        }
        if m.def(block).is_some_and(|d| d.op == Op::TypeRuntimeArray) {
            return self.refuse("an array of buffers without a length", "give it one");
        }
        let push = class == StorageClass::PushConstant;
        let (set, binding) = match (at(Decoration::DescriptorSet), at(Decoration::Binding)) {
            _ if push => PUSH_CONSTANTS,
            (set, Some(binding)) if (set.unwrap_or(0), binding) != PUSH_CONSTANTS => (set.unwrap_or(0), binding),
            (Some(set), Some(_)) => return self.refuse(format!("there is no set {set}"), "give it a lower one"),
            _ => return self.refuse("a buffer without a binding", "give it a set and a binding"),
        };
        let storage = class == StorageClass::StorageBuffer || m.is_decorated(block, Decoration::BufferBlock);
        let members = m.def(block).map_or(0, |d| d.args.len() as u32);
        let all = (0..members).all(|k| m.member(block, k, Decoration::NonWritable).is_some());
        let read_only = m.is_decorated(id, Decoration::NonWritable) || (members > 0 && all);
        let kind = match (storage, read_only) {
            (false, _) => BindingKind::Uniform,
            (true, true) => BindingKind::StorageRead,
            (true, false) => BindingKind::StorageReadWrite,
        };
        let shape = self.ty(block)?;
        let (min_bytes, stride) = self.sizes(shape);
        let named = |id: u32| m.names.get(&id).filter(|n| !n.is_empty()).cloned();
        let nameless = || if push { NAMELESS_PUSH_CONSTANTS.into() } else { format!("_{id}") };
        let name = named(id).or_else(|| named(block)).unwrap_or_else(nameless);
        let array = block != pointee;
        Ok(Found { id, block, at: (set, binding), name, kind, min_bytes, stride, array, count, shape })
    }

    /// The members of a uniform buffer, for the host.
    fn members(&self, f: &Found, name: &str) -> Vec<BufferMember> {
        let named = |k: Option<u32>| match k {
            Some(k) => self.m.member_name(f.block, k).cloned().unwrap_or_else(|| format!("member{k}")),
            None => name.to_string(),
        };
        members(&self.e.p.types, f.shape, &named)
    }

    /// Bytes without the run-time array at its end, and that array's stride.
    fn sizes(&self, shape: Shape) -> (u32, u32) {
        match self.e.p.types.members(shape).last().map(|last| (last.offset, last.shape)) {
            Some((offset, Shape::Array { count: None, stride, .. })) => (offset, stride),
            _ => (self.tight(shape), 0),
        }
    }

    /// Entries of the buffer table, by set and binding. Variables of one binding are one memory: it
    /// is written if one of them may write, and then none is taken from constant words.
    fn bind(&mut self, found: Vec<Found>) -> Res<()> {
        let mut places: BTreeMap<(u32, u32), Vec<Found>> = BTreeMap::new();
        for f in found {
            places.entry(f.at).or_default().push(f);
        }
        let m = self.m;
        let mut free = CONST_USER as u32;
        for (at, variables) in places {
            self.n = self.m.number(variables[0].id).unwrap_or(0);
            let kinds = || variables.iter().map(|v| v.kind);
            let kind = match variables[0].kind {
                _ if kinds().any(|k| k == BindingKind::StorageReadWrite) => BindingKind::StorageReadWrite,
                first if kinds().all(|k| k == first) => first,
                _ => BindingKind::StorageRead,
            };
            let count = variables.iter().map(|v| v.count).max().unwrap_or(1);
            let min_bytes = variables.iter().map(|v| v.min_bytes).max().unwrap_or(0);
            let stride = variables.iter().map(|v| v.stride).max().unwrap_or(0);
            let first = self.bindings.len() as u32;
            if count as usize > MAX_BUFFERS || first as usize + count as usize > MAX_BUFFERS {
                return self.refuse(format!("more than {MAX_BUFFERS} buffers"), "join some of them");
            }
            let array = variables.iter().any(|v| v.array);
            let constant = kind == BindingKind::Uniform && !array;
            let const_words = if constant { uniform_words(min_bytes, free, bank_words(self.e.is_linked())) } else { 0 };
            let const_at = if constant { free } else { 0 };
            free += const_words;
            for k in 0..count {
                let named = |v: &Found| if array { format!("{}[{k}]", v.name) } else { v.name.clone() };
                let name = named(&variables[0]);
                let (group, binding, index) = (at.0, at.1, first + k);
                let mut members: Vec<BufferMember> = vec![];
                for v in variables.iter().filter(|_| kind == BindingKind::Uniform) {
                    let own = self.members(v, &named(v));
                    // One that two variables have is meant by its name alone.
                    let new: Vec<BufferMember> =
                        own.into_iter().filter(|m| !members.iter().any(|o| o.name == m.name)).collect();
                    members.extend(new);
                }
                let b =
                    Binding { name, group, binding, kind, index, min_bytes, stride, const_at, const_words, members };
                self.bindings.push((b, m.declared(variables[0].id, &variables[0].name)));
            }
            let space = if kind == BindingKind::StorageReadWrite { Space::Global } else { Space::ReadOnly };
            for v in variables {
                let shape = v.shape;
                let operand = match v.count {
                    count if v.array => Operand::Buffers { first, count, space, shape },
                    _ if constant => {
                        let base = Base::Uniform { buffer: first, offset: 0, const_at, const_words };
                        Operand::Place(Place { base, shape })
                    }
                    _ => Operand::Place(self.e.buffer_place(first, space, shape)),
                };
                self.define(v.id, operand);
            }
        }
        Ok(())
    }

    /// A variable of the invocation: a slot, with what it begins with.
    fn slot_variable(&mut self, id: u32, class: StorageClass, pointee: u32) -> Res<()> {
        let m = self.m;
        let def = &m.insts[self.n];
        let shape = self.ty(pointee)?;
        let name = match (class, m.decoration(id, Decoration::Location)) {
            (StorageClass::Input, Some(at)) => format!("in.location{at}"),
            (StorageClass::Output, Some(at)) => format!("out.location{at}"),
            _ => m.names.get(&id).cloned().unwrap_or_default(),
        };
        let slot = self.e.variable_slot(shape, &name)?;
        let place = Place { base: Base::Slot { slot, word: 0 }, shape };
        match (class, def.args.get(1)) {
            (StorageClass::Input, _) if self.e.is_linked() => self.stage_input(id, pointee, slot)?,
            (StorageClass::Input, _) => {
                let built_in = m.decoration(id, Decoration::BuiltIn);
                if let Some(words) = built_in.map(|b| self.built_in(b, shape)).transpose()?.flatten() {
                    self.e.b.slot_store_all(slot, &words);
                }
            }
            (_, Some(&initial)) if !self.is_null(initial) => {
                let words = self.as_words(initial)?;
                self.store(place, &words)?;
            }
            _ => self.e.clear_slot(slot),
        }
        if class == StorageClass::Output && self.e.is_linked() {
            self.stage_output(id, pointee, slot);
        }
        self.define(id, Operand::Place(place));
        Ok(())
    }

    /// The words of a built-in input; none of one of the graphics stages, which nothing writes yet.
    fn built_in(&mut self, number: u32, shape: Shape) -> Res<Option<Vec<Value>>> {
        let groups = [Special::GroupX, Special::GroupY, Special::GroupZ];
        let e = &mut self.e;
        let words = match BuiltIn::from_u32(number) {
            Some(BuiltIn::LocalInvocationIndex) => vec![e.b.special(Special::LocalIndex)],
            Some(BuiltIn::LocalInvocationId) => (0..3).map(|axis| e.local_id(axis)).collect(),
            Some(BuiltIn::WorkgroupId) => groups.iter().map(|&g| e.b.special(g)).collect(),
            Some(BuiltIn::WorkgroupSize) => {
                let size = e.p.group_size;
                size.map(|size| e.b.constant(size)).to_vec()
            }
            Some(BuiltIn::NumWorkgroups) => (0..3).map(|axis| e.b.const_word(CONST_GRID as u32 + axis)).collect(),
            Some(BuiltIn::GlobalInvocationId) => (0..3).map(|axis| e.global_id(axis, groups[axis])).collect(),
            Some(BuiltIn::SubgroupSize) => vec![e.b.constant(LANES as u32)],
            Some(BuiltIn::SubgroupLocalInvocationId) => vec![e.b.special(Special::Lane)],
            Some(BuiltIn::SubgroupId) => vec![e.subgroup_id()],
            Some(BuiltIn::NumSubgroups) => vec![e.subgroup_count()],
            Some(BuiltIn::SubgroupEqMask) => self.lane_mask(M::ISetEq),
            Some(BuiltIn::SubgroupGeMask) => self.lane_mask(M::USetGe),
            Some(BuiltIn::SubgroupGtMask) => self.lane_mask(M::USetGt),
            Some(BuiltIn::SubgroupLeMask) => self.lane_mask(M::USetLe),
            Some(BuiltIn::SubgroupLtMask) => self.lane_mask(M::USetLt),
            // Of a helper each load asks anew.
            Some(BuiltIn::HelperInvocation | BuiltIn::DeviceIndex | BuiltIn::ViewIndex) => vec![e.b.constant(0)],
            Some(
                BuiltIn::Position
                | BuiltIn::FragCoord
                | BuiltIn::VertexIndex
                | BuiltIn::InstanceIndex
                | BuiltIn::BaseVertex
                | BuiltIn::BaseInstance
                | BuiltIn::DrawIndex
                | BuiltIn::FrontFacing
                | BuiltIn::PointCoord
                | BuiltIn::SampleId
                | BuiltIn::SamplePosition
                | BuiltIn::SampleMask
                | BuiltIn::PrimitiveId
                | BuiltIn::ClipDistance
                | BuiltIn::CullDistance,
            ) => return Ok(None),
            Some(other) => return self.refuse(format!("the built-in input {other:?} is not supported"), "do without"),
            None => return self.refuse(format!("there is no built-in {number}"), "use one of SPIR-V's"),
        };
        if words.len() != self.counted(shape)? as usize {
            return self.invalid("the built-in input has another type");
        }
        Ok(Some(words))
    }

    fn lane_mask(&mut self, op: M) -> Vec<Value> {
        let bits = self.e.lanes_that(op);
        self.e.mask_words(bits)
    }

    /// A variable that no instruction of the entry point named as an operand.
    pub fn global(&mut self, id: u32) -> Res<Operand> {
        self.invalid(format!("{} has no place", self.m.called(id)))
    }
}
