//! What linking did, iteration by iteration, and why.
//!
//! Every removal has the reason and the places in the sources that it rests on. It is told by the
//! linker where it happens and not found out afterwards; a removal that is not told fails a test
//! that compares the programs of two iterations with the trace.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// An operation became a derived uniform (LP-13).
    Derived,
    /// A derived uniform is not read any more, nor is one that it is part of.
    Unneeded,
    /// A branch or choice was decided by a uniform's value (LP-14).
    Decided,
    /// An input is not read any more.
    Input,
    /// An output is not given any more.
    Output,
    /// An attribute is not fetched any more.
    Attribute,
    /// An output is a constant, and its readers take it as one.
    Constant,
    /// An output is uniform, and its readers take it as one.
    Uniform,
    /// An output is always equal to another one.
    Identical,
    /// An output is a multiple of another one; its readers multiply, which changes roundings.
    Scaled,
    /// An output is interpolated without its w, which is 1.
    Linear,
    /// An output is interpolated no more: a triangle's vertices give the same.
    Flat,
}

/// One thing that linking did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The program.
    pub stage: String,
    /// What it is about.
    pub what: What,
    /// Of which input, output, attribute or expression.
    pub name: String,
    /// Why, in words.
    pub why: String,
    /// Places in the sources.
    pub places: Vec<String>,
}

impl Display for Event {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let done = match self.what {
            What::Derived => "derived uniform",
            What::Unneeded => "derived uniform removed",
            What::Decided => "decided",
            What::Input => "input removed",
            What::Output => "output removed",
            What::Attribute => "attribute not fetched",
            What::Constant => "output is constant",
            What::Uniform => "output is uniform",
            What::Identical => "outputs are equal",
            What::Scaled => "output is a multiple",
            What::Linear => "output is linear",
            What::Flat => "output is flat",
        };
        write!(f, "{}: {done}: {}: {}", self.stage, self.name, self.why)?;
        match self.places.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", self.places.join(", ")),
        }
    }
}

/// A turn of the phases over all programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Iteration {
    /// What was done, in order.
    pub events: Vec<Event>,
}
