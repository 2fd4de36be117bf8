//! What a vertex or fragment program has for inputs and outputs, collected while it is lowered.

pub use crate::interface::Sampling as Place;
use crate::interface::{GraphicsInterface, Interpolation, Numbers, Stage, Varying};
use crate::ssa::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How a varying is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    pub interpolation: Interpolation,
    pub place: Place,
}

/// An output by location, as the program declares it.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// Location and first component.
    pub at: (u32, u32),
    /// Components.
    pub words: u32,
    /// What they are; none of booleans.
    pub numbers: Option<Numbers>,
    /// How a varying is to be taken.
    pub taken: Taken,
    /// For messages.
    pub name: &'a str,
    /// Whether the program names it anywhere, or initialises it. Else its words are 0.
    pub written: bool,
}

/// An output by location, or a built-in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Location and first component of one that is [`Declared`].
    Location(u32, u32),
    Position,
    Depth,
    SampleMask,
    /// The size of points, which are not drawn.
    Nothing,
}

/// A built-in input of a vertex or fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    VertexIndex,
    InstanceIndex,
    Position,
    FrontFacing,
    SampleIndex,
    SamplePosition,
    SampleMask,
    Helper,
}

/// What is known of the stage.
#[derive(Clone, Debug, Default)]
pub struct StageIo {
    /// None of a compute program.
    pub stage: Option<Stage>,
    pub interface: GraphicsInterface,
    /// Words of outputs, by number; those of the targets by 4 * location + component.
    pub outputs: BTreeMap<u32, Value>,
    pub depth: Option<Value>,
    pub mask: Option<Value>,
    /// Values of outputs that are to be the same in every program that computes them alike.
    pub invariant: BTreeSet<Value>,
    /// Location and component of a vertex program's outputs that are declared and never written.
    pub unwritten: BTreeSet<(u32, u32)>,
    /// What fits and is unusual, each with its place.
    pub warnings: Vec<String>,
}

impl StageIo {
    /// For the host; nothing of a compute program.
    pub fn interface(&self) -> Option<GraphicsInterface> {
        self.stage.map(|_| self.interface.clone())
    }

    /// Adds a varying if its component is new.
    pub fn varying(&mut self, v: Varying) {
        let at = |o: &Varying| (o.location, o.component) == (v.location, v.component);
        if !self.interface.varyings.iter().any(at) {
            self.interface.varyings.push(v);
        }
    }
}

/// The kind of a scalar's bits; none of a boolean.
pub fn numbers(kind: super::types::NumberKind) -> Option<Numbers> {
    use super::types::NumberKind;
    match kind {
        NumberKind::Float => Some(Numbers::Float),
        NumberKind::Sint => Some(Numbers::Int),
        NumberKind::Uint => Some(Numbers::Uint),
        NumberKind::Bool => None,
    }
}
