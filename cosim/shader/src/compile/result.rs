//! What the compiler gives: the binary, and texts of what was done.

use super::counts::Counts;
use super::points::{Merge, Split};
use crate::back::{self, BackStats};
use crate::binary::ShaderBinary;
use crate::passes::{fuse, pipeline};
use crate::ssa::Loc;
use std::fmt::{self, Display, Formatter};

/// A compiled shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub binary: ShaderBinary,
    /// SSA as the front end made it, and after the passes.
    pub ir_before: String,
    /// The SSA after all passes, as text.
    pub ir_after: String,
    /// Assembly with source lines as comments.
    pub asm: String,
    /// What was done, for people.
    pub report: Report,
    /// Keys of constants that were given, and that the program has.
    pub taken: Vec<String>,
}

/// What the compiler did, for `--emit report`.
#[derive(Clone, Debug)]
pub struct Report {
    /// Operations, and instructions by what they are for.
    pub counts: Counts,
    /// What each pass did.
    pub passes: pipeline::Statistics,
    /// What the back end counted.
    pub back: BackStats,
    /// Registers per lane, from 0 up.
    pub registers: u32,
    /// Registers below this are public (MS-20).
    pub public_cutoff: u32,
    /// Which, in words: `below 9`.
    pub public: String,
    /// What became of merge points, if they were asked for.
    pub merge: Option<Merge>,
    /// What became of split points, if they were asked for.
    pub split: Option<Split>,
    /// What became of the position part, if it was asked for.
    pub position: Option<back::PositionPart>,
    /// Stack bytes of a thread, a multiple of 16.
    pub stack_bytes: u32,
    /// Bytes of work-group memory.
    pub shared_bytes: u32,
    /// What became of each atomic and why: position in the source, text; what is said of several
    /// copies of one atomic is said once.
    pub atomics: Vec<(String, String)>,
    /// Products and sums that became one operation.
    pub fused: Vec<Fused>,
    /// What is legal and most likely a mistake, each with its place.
    pub warnings: Vec<String>,
}

/// Products and sums of one place in the source that became one operation each (LP-17).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fused {
    /// Place of the sum.
    pub sum: String,
    /// Place of the product.
    pub product: String,
    /// How many: one for each component, and for each copy of the code.
    pub count: usize,
    /// They were decided for the position (HZ-36).
    pub position: bool,
    /// What `skip` calls the sums of that place.
    pub name: String,
}

/// Sites in the order in which they come, equal ones counted.
pub(super) fn fused(sites: &[fuse::Site], place: &dyn Fn(Loc) -> String) -> Vec<Fused> {
    let mut all: Vec<Fused> = vec![];
    for s in sites {
        let (sum, product) = (place(s.sum_at), place(s.product_at));
        match all.iter_mut().find(|f| (&f.sum, &f.product, f.position) == (&sum, &product, s.position)) {
            Some(f) => f.count += 1,
            None => all.push(Fused { sum, product, count: 1, position: s.position, name: fuse::name_at(s.sum_at) }),
        }
    }
    all
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}", self.passes)?;
        let b = &self.back;
        writeln!(f, "{} instructions, {} register moves, {} copies coalesced", b.instructions, b.moves, b.coalesced)?;
        writeln!(f, "{} registers, public {}", self.registers, self.public)?;
        let order = if b.scheduled { "scheduled" } else { "in source order" };
        writeln!(f, "{} values spilled, {} stack bytes per thread, blocks {order}", b.spilled, self.stack_bytes)?;
        writeln!(f, "{} bytes of work-group memory", self.shared_bytes)?;
        self.merge.iter().try_for_each(|m| write!(f, "{m}"))?;
        self.split.iter().try_for_each(|s| write!(f, "{s}"))?;
        self.position.iter().try_for_each(|p| writeln!(f, "{p}"))?;
        let count = |position| self.fused.iter().filter(|s| s.position == position).map(|s| s.count).sum::<usize>();
        writeln!(f, "{} products fused with sums, and {} of the position", count(false), count(true))?;
        for Fused { sum, product, count, .. } in &self.fused {
            writeln!(f, "fused at {sum} with the product at {product}: {count}")?;
        }
        self.atomics.iter().try_for_each(|(place, text)| writeln!(f, "atomic at {place}: {text}"))?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}

/// A place as diagnostics write it.
pub(super) fn place(file: &str, loc: Loc) -> String {
    match (loc.line, loc.col) {
        (0, 0) => file.to_string(),
        (0, word) => format!("{file}: word {word}"),
        (line, column) => format!("{file}:{line}:{column}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_binaries_are_words() {
        assert_eq!(place("a.wgsl", Loc::at(0, 3, 7)), "a.wgsl:3:7");
        assert_eq!(place("a.spv", Loc::at(0, 0, 70)), "a.spv: word 70");
        assert_eq!(place("a.spv", Loc::default()), "a.spv");
    }
}
