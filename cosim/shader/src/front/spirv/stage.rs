//! Inputs and outputs of a vertex or fragment program: variables by location or built-in, blocks of
//! them, arrays and matrices, which take a location for each element or column. Wrong would be a
//! member at another location; glslang's rules are the table's.

use super::lower::{Lower, OutputVariable};
use super::module::Res;
use crate::front::emit::stage_io::{numbers, Declared, Input, Output, Place as At, Taken};
use crate::front::emit::types::{NumberKind, Scalar, Shape};
use crate::interface::{Interpolation, Numbers};
use crate::ssa::{Slot, Value};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use std::collections::HashSet;

/// A variable, or a member of a block.
struct Part {
    /// The variable's, or the member's if it has one.
    name: String,
    /// Whether the module says it: names can be stripped.
    named: bool,
    shape: Shape,
    /// Its first word in the variable.
    word: u32,
    built_in: Option<BuiltIn>,
    /// Location and component.
    at: Option<(u32, u32)>,
    taken: Taken,
    invariant: bool,
}

/// A scalar or vector of a part: a whole variable, a column, an element.
struct Vector {
    shape: Shape,
    /// Its first word in the variable's slot.
    word: u32,
    location: u32,
    name: String,
}

/// Words of a part that are at one location.
#[derive(Clone)]
struct Spread {
    /// The first one in the variable.
    word: u32,
    count: u32,
    location: u32,
    component: u32,
    numbers: Option<Numbers>,
    name: String,
}

impl Lower<'_, '_> {
    /// The parts of an input or output.
    fn parts(&mut self, id: u32, pointee: u32, class: StorageClass) -> Res<Vec<Part>> {
        let m = self.m;
        let shape = self.ty(pointee)?;
        let default = if class == StorageClass::Output { "output" } else { "input" };
        let named = |n: Option<&String>| n.filter(|n| !n.is_empty()).cloned();
        let own = named(m.names.get(&id));
        let (has_name, name) = (own.is_some(), own.unwrap_or_else(|| default.into()));
        let of = |d| m.decoration(id, d);
        let members = self.e.p.types.members(shape).to_vec();
        let taken = |of: &dyn Fn(Decoration) -> Option<u32>| Taken {
            interpolation: match (of(Decoration::Flat), of(Decoration::NoPerspective)) {
                (Some(_), _) => Interpolation::Flat,
                (_, Some(_)) => Interpolation::Linear,
                _ => Interpolation::Perspective,
            },
            place: match (of(Decoration::Centroid), of(Decoration::Sample)) {
                (Some(_), _) => At::Centroid,
                (_, Some(_)) => At::Sample,
                _ => At::Centre,
            },
        };
        if members.is_empty() || of(Decoration::Location).is_some() && !m.is_decorated(pointee, Decoration::Block) {
            let built_in = of(Decoration::BuiltIn).and_then(BuiltIn::from_u32);
            let at = of(Decoration::Location).map(|l| (l, of(Decoration::Component).unwrap_or(0)));
            let invariant = of(Decoration::Invariant).is_some();
            return Ok(vec![Part {
                name,
                named: has_name,
                shape,
                word: 0,
                built_in,
                at,
                taken: taken(&of),
                invariant,
            }]);
        }
        let mut parts = vec![];
        let (mut word, mut next) = (0, of(Decoration::Location));
        for (k, member) in (0..).zip(&members) {
            let here = |d| m.member(pointee, k, d).or_else(|| of(d));
            let built_in = m.member(pointee, k, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
            let location = m.member(pointee, k, Decoration::Location).or(next);
            let at = location.map(|l| (l, m.member(pointee, k, Decoration::Component).unwrap_or(0)));
            next = location.map(|l| l.saturating_add(self.locations(member.shape)));
            let member_name = named(m.member_name(pointee, k));
            let has_name = has_name || member_name.is_some();
            let name = member_name.unwrap_or_else(|| name.clone());
            let invariant = here(Decoration::Invariant).is_some();
            parts.push(Part {
                name,
                named: has_name,
                shape: member.shape,
                word,
                built_in,
                at,
                taken: taken(&here),
                invariant,
            });
            word += self.counted(member.shape)?;
        }
        Ok(parts)
    }

    /// Locations that a shape takes.
    fn locations(&self, shape: Shape) -> u32 {
        match shape {
            Shape::Matrix { columns, .. } => columns,
            Shape::Array { base, count, .. } => {
                count.unwrap_or(1).saturating_mul(self.locations(self.e.p.types.get(base)))
            }
            Shape::Struct(_) => {
                let members = self.e.p.types.members(shape).iter().map(|m| self.locations(m.shape));
                members.fold(0, u32::saturating_add)
            }
            // Of 64-bit numbers a location has two.
            Shape::Vector { size: 3.., scalar: Scalar { bits: 64, .. }, .. } => 2,
            _ => 1,
        }
    }

    /// Scalars and vectors of a part, `location` being its first one.
    fn vectors(&self, part: &Part, location: u32) -> Res<Vec<Vector>> {
        let mut out = vec![];
        let whole = Vector { shape: part.shape, word: part.word, location, name: part.name.clone() };
        self.split(whole, &mut out)?;
        if !part.named && part.at.is_some() {
            out.iter_mut().for_each(|v| v.name = format!("location {}", v.location));
        }
        Ok(out)
    }

    fn split(&self, whole: Vector, out: &mut Vec<Vector>) -> Res<()> {
        let shape = whole.shape;
        let count = match shape {
            Shape::Matrix { columns, .. } => columns,
            Shape::Array { count: Some(count), .. } => count,
            Shape::Struct(_) => self.e.p.types.members(shape).len() as u32,
            _ => {
                out.push(whole);
                return Ok(());
            }
        };
        let mut location = whole.location;
        for k in 0..count {
            let (element, offset, _) = self.e.named(shape.element(&self.e.p.types, k))?;
            let name = format!("{}[{k}]", whole.name);
            self.split(Vector { shape: element, word: whole.word + offset, location, name }, out)?;
            location = location.saturating_add(self.locations(element));
        }
        Ok(())
    }

    /// Where the words of a part that has a location go: one entry for each location.
    fn spread(&mut self, part: &Part, (location, component): (u32, u32)) -> Res<Vec<Spread>> {
        if location.checked_add(self.locations(part.shape)).is_none() {
            let message = format!("`{}`: there is no location {location}", part.name);
            return Err(self.e.refuse_help(message, "give it a lower one"));
        }
        let mut out = vec![];
        for Vector { shape, word, location, name } in self.vectors(part, location)? {
            let scalar = shape.scalar();
            if scalar.is_some_and(|s| s.kind == NumberKind::Float && s.bits == 16) {
                let message = format!("`{name}` is of 16-bit floats: not supported as an input or output of a stage");
                return Err(self.e.refuse_help(message, "make it of 32-bit floats, and convert in the program"));
            }
            let numbers = scalar.and_then(|s| numbers(s.kind));
            let count = self.counted(shape)?;
            if component.saturating_add(count.min(4)) > 4 || count > 4 && component > 0 {
                let message =
                    format!("`{name}` has {count} words from component {component} of location {location} on");
                return Err(self.e.refuse_help(message, "a location has components 0 to 3: choose a lower component"));
            }
            let first = Spread { word, count: count.min(4), location, component, numbers, name };
            let second = (count > 4).then(|| Spread {
                word: word + 4,
                count: count - 4,
                location: location + 1,
                ..first.clone()
            });
            out.extend([Some(first), second].into_iter().flatten());
        }
        Ok(out)
    }

    /// Fills an input's slot.
    pub fn stage_input(&mut self, id: u32, pointee: u32, slot: Slot) -> Res<()> {
        for part in self.parts(id, pointee, StorageClass::Input)? {
            self.e.b.loc = self.m.declared(id, &part.name);
            if let Some(built_in) = part.built_in {
                let input = match built_in {
                    BuiltIn::VertexIndex => Input::VertexIndex,
                    BuiltIn::InstanceIndex => Input::InstanceIndex,
                    BuiltIn::FragCoord => Input::Position,
                    BuiltIn::FrontFacing => Input::FrontFacing,
                    BuiltIn::SampleId => Input::SampleIndex,
                    BuiltIn::SamplePosition => Input::SamplePosition,
                    BuiltIn::SampleMask => Input::SampleMask,
                    BuiltIn::HelperInvocation => Input::Helper,
                    other => {
                        let message = format!("the built-in input {other:?} is not supported in a pipeline");
                        return Err(self.e.refuse_help(format!("`{}`: {message}", part.name), "do without"));
                    }
                };
                let words = self.e.stage_input(input);
                self.fill(slot, part.word, &words);
                continue;
            }
            let Some(at) = part.at else {
                return Err(self.e.refuse_help(format!("input `{}` has no location", part.name), "give it one"));
            };
            for Spread { word, count, location, component, numbers, name } in self.spread(&part, at)? {
                let words = self.e.location_input((location, component), count, numbers, part.taken, &name)?;
                self.fill(slot, word, &words);
            }
        }
        Ok(())
    }

    /// The words of a built-in output.
    fn whole(&self, part: &Part) -> Res<Spread> {
        let numbers = part.shape.scalar().and_then(|s| numbers(s.kind));
        let (word, name) = (part.word, part.name.clone());
        Ok(Spread { word, count: self.counted(part.shape)?, location: 0, component: 0, numbers, name })
    }

    fn fill(&mut self, slot: Slot, word: u32, words: &[Value]) {
        (word..).zip(words).for_each(|(k, &w)| self.e.b.slot_store(slot, k, w));
    }

    /// Remembers an output, for the program's end.
    pub fn stage_output(&mut self, id: u32, pointee: u32, slot: Slot) {
        self.outputs.push(OutputVariable { id, pointee, slot });
    }

    /// Gives all outputs away.
    pub fn finish_outputs(&mut self) -> Res<()> {
        if !self.e.is_linked() {
            return Ok(());
        }
        let here = self.e.b.loc;
        for OutputVariable { id, pointee, slot } in self.outputs.clone() {
            for part in self.parts(id, pointee, StorageClass::Output)? {
                self.e.b.loc = self.m.declared(id, &part.name);
                let output = match (part.built_in, part.at) {
                    (Some(BuiltIn::Position), _) => Some(Output::Position),
                    (Some(BuiltIn::FragDepth), _) => Some(Output::Depth),
                    (Some(BuiltIn::SampleMask), _) => Some(Output::SampleMask),
                    // Points are not drawn. The distances are declared in each block of
                    // glslang's; who writes one was refused.
                    (Some(BuiltIn::PointSize | BuiltIn::ClipDistance | BuiltIn::CullDistance), _) => {
                        Some(Output::Nothing)
                    }
                    (Some(other), _) => {
                        let message = format!("`{}`: the output {other:?} is not supported", part.name);
                        return Err(self.e.refuse_help(message, "do without"));
                    }
                    (None, Some(_)) => None,
                    (None, None) => {
                        let message = format!("output `{}` has no location", part.name);
                        return Err(self.e.refuse_help(message, "give it one"));
                    }
                };
                if let Some(index @ 1..) = self.m.decoration(id, Decoration::Index) {
                    let message = format!("output `{}` has index {index}: blending takes one colour", part.name);
                    return Err(self.e.refuse_help(message, "do without"));
                }
                let spread = match (output, part.at) {
                    (None, Some(at)) => self.spread(&part, at)?,
                    _ => vec![self.whole(&part)?],
                };
                self.e.b.loc = here;
                for Spread { word, count, location, component, .. } in spread {
                    let output = output.unwrap_or(Output::Location(location, component));
                    let words: Vec<Value> = (word..word + count).map(|k| self.e.b.slot_load(slot, k)).collect();
                    if part.invariant {
                        self.e.p.io.invariant.extend(&words);
                    }
                    self.e.stage_output(output, &words);
                }
            }
        }
        self.e.finish_outputs()
    }

    /// What a pointer to an output points to.
    fn output(&self, id: u32) -> Option<u32> {
        let (class, pointee) = self.pointer(self.m.def(id)?.ty)?;
        (class == StorageClass::Output).then_some(pointee)
    }

    /// Whether a variable that the entry point's functions do not name is an output all the same:
    /// by its declaration another stage may read it, or a target take it. A built-in one is if it
    /// has an initialiser, and of a fragment program none that goes to no target.
    pub fn is_declared_output(&self, id: u32) -> bool {
        let m = self.m;
        let Some(pointee) = self.output(id).filter(|_| self.entry.interface.contains(&id)) else { return false };
        let members = m.def(pointee).filter(|d| d.op == Op::TypeStruct).map_or(0, |d| d.args.len() as u32);
        let built_in = m.is_decorated(id, Decoration::BuiltIn)
            || (0..members).any(|k| m.member(pointee, k, Decoration::BuiltIn).is_some());
        if built_in {
            return m.def(id).is_some_and(|d| d.args.len() > 1);
        }
        let takes = || match m.decoration(id, Decoration::Location) {
            Some(location) => self.e.draws_to(location) && m.decoration(id, Decoration::Index).unwrap_or(0) == 0,
            None => false,
        };
        self.e.is_linked() && (self.entry.model != ExecutionModel::Fragment || takes())
    }

    /// Declares the outputs among these variables, of which some are `named` by functions. Each
    /// target that is written has one, and nobody writes a distance that would clip.
    pub fn declare_outputs(&mut self, reached: &[u32], named: &HashSet<u32>) -> Res<()> {
        if !self.e.is_linked() {
            return Ok(());
        }
        let m = self.m;
        let (mut locations, mut outputs) = (vec![], vec![]);
        for &id in reached {
            let Some(pointee) = self.output(id) else { continue };
            let initialised = m.def(id).is_some_and(|d| d.args.len() > 1);
            for part in self.parts(id, pointee, StorageClass::Output)? {
                let Some(at) = part.at.filter(|_| part.built_in.is_none()) else { continue };
                locations.extend((0..self.locations(part.shape)).map(|k| at.0.saturating_add(k)));
                outputs.push((id, part, at, initialised || named.contains(&id)));
            }
            self.check_distances(id, pointee)?;
        }
        self.e.b.loc = m.declared(self.entry.function, &self.entry.name);
        self.e.check_targets(&locations)?;
        for (id, part, at, written) in outputs {
            self.e.b.loc = m.declared(id, &part.name);
            for Spread { count, location, component, numbers, name, .. } in self.spread(&part, at)? {
                let (at, taken, name) = ((location, component), part.taken, name.as_str());
                self.e.declare_output(&Declared { at, words: count, numbers, taken, name, written })?;
            }
        }
        Ok(())
    }

    /// Refuses what writes a clip or cull distance of an output: it would clip nothing.
    fn check_distances(&self, id: u32, pointee: u32) -> Res<()> {
        let m = self.m;
        let is = |b: Option<u32>| {
            matches!(b.and_then(BuiltIn::from_u32), Some(BuiltIn::ClipDistance | BuiltIn::CullDistance))
        };
        let whole = is(m.decoration(id, Decoration::BuiltIn));
        for (n, i) in m.insts.iter().enumerate().filter(|(_, i)| i.args.first() == Some(&id)) {
            let member = i.args.get(1).and_then(|&k| m.word(k));
            let part = member.is_some_and(|k| is(m.member(pointee, k, Decoration::BuiltIn)));
            let writes = match i.op {
                Op::AccessChain | Op::InBoundsAccessChain => whole || part,
                Op::Store => whole,
                _ => false,
            };
            if writes {
                let message = "gl_ClipDistance and gl_CullDistance: planes of a program's own are not supported";
                return Err(m.error(n, message, "discard in the fragment program what is behind the plane"));
            }
        }
        Ok(())
    }

    /// The program runs once for each sample; or asks for tests before it. An output of a vertex
    /// program may be decorated with `Sample`, too: that says nothing of the vertex program.
    pub fn stage_modes(&mut self, reached: &[u32]) {
        let m = self.m;
        let built_in = |id: u32| m.decoration(id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        let is = |id: &u32| {
            matches!(built_in(*id), Some(BuiltIn::SampleId | BuiltIn::SamplePosition))
                || m.is_decorated(*id, Decoration::Sample)
        };
        let several = self.e.p.linkage.as_ref().is_some_and(|l| l.samples > 1);
        let several = several && self.entry.model == ExecutionModel::Fragment;
        let interface = &mut self.e.p.io.interface;
        interface.per_sample = several && reached.iter().any(is);
        interface.early_tests = self.entry.modes.iter().any(|m| m.0 == ExecutionMode::EarlyFragmentTests);
    }
}
