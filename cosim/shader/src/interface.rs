//! What a compiled program tells the host about itself: stage, work-group size, buffers, uniform
//! data. Written into the ELF, read by the job runner.

mod numbers;

use quadlock_isa::{decode, Class, Event, Op};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use numbers::Numbers;

/// Kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Work groups of invocations.
    Compute,
    /// Vertices, as a part of a pipeline.
    Vertex,
    /// Fragments, as a part of a pipeline.
    Fragment,
}

/// Group and binding that stand for push constants, which have none. No buffer has them.
pub const PUSH_CONSTANTS: (u32, u32) = (u32::MAX, 0);

/// Name of push constants of which a module says none.
pub const NAMELESS_PUSH_CONSTANTS: &str = "push_constants";

/// A buffer by its group and binding, as messages write it.
pub fn buffer_at((group, binding): (u32, u32)) -> String {
    match (group, binding) {
        PUSH_CONSTANTS => "push constants".into(),
        _ => format!("group {group} binding {binding}"),
    }
}

/// Words of a uniform buffer that can be uniforms of a linked program (LP-13). What lies behind is
/// loaded.
pub const UNIFORM_WORDS: u32 = 1 << 14;

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BindingKind {
    /// Storage buffer that the program only reads.
    StorageRead,
    /// Storage buffer that the program may write.
    StorageReadWrite,
    /// Uniform buffer: bound as a buffer in memory, *and* its first `const_words` words copied by
    /// the host to constant words from `const_at`.
    Uniform,
}

/// A resource of the program. The host writes its address and size to constant words
/// `CONST_BUFFERS + 2*index` and the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Name in the source (the variable, or the GLSL block's instance or block name).
    pub name: String,
    /// Group of the binding, as in the source.
    pub group: u32,
    /// Number of the binding in its group.
    pub binding: u32,
    /// What it is.
    pub kind: BindingKind,
    /// Entry of the buffer table.
    pub index: u32,
    /// Smallest legal size in bytes; for a run-time array, without its elements.
    pub min_bytes: u32,
    /// Bytes of one element of a trailing run-time array, 0 if there is none.
    pub stride: u32,
    /// Uniform: first constant word and number of words copied there (0 if the program reads it
    /// from memory only).
    pub const_at: u32,
    /// Words copied there.
    pub const_words: u32,
    /// Of a uniform buffer: its members by name, or itself if it is no structure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<BufferMember>,
}

impl Binding {
    /// Its group and binding.
    pub fn at(&self) -> (u32, u32) {
        (self.group, self.binding)
    }

    /// For messages: its name, and its numbers if it has any.
    pub fn describe(&self) -> String {
        format!("`{}` ({})", self.name, buffer_at(self.at()))
    }

    /// The key of jobs and scenes that chooses it by its name.
    pub fn by_name(&self) -> String {
        format!("name = {:?}", self.name)
    }

    /// The key of jobs and scenes that chooses it: its numbers, or of push constants the name.
    pub fn key(&self) -> String {
        match self.at() {
            PUSH_CONSTANTS => self.by_name(),
            (0, binding) => format!("binding = {binding}"),
            (group, binding) => format!("group = {group} and binding = {binding}"),
        }
    }
}

/// A named part of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferMember {
    /// Name in the source.
    pub name: String,
    /// Its first word.
    pub word: u32,
    /// From its first word to its last one.
    pub words: u32,
    /// What its numbers are; none of a structure.
    pub numbers: Option<Numbers>,
    /// Of a structure a letter for each word: `f`, `i` or `u`, and `-` of what is no number of 32
    /// bits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kinds: String,
}

impl BufferMember {
    /// What the number in its word `k` is.
    pub fn numbers_of(&self, k: usize) -> Option<Numbers> {
        self.numbers.or_else(|| match self.kinds.as_bytes().get(k)? {
            b'f' => Some(Numbers::Float),
            b'i' => Some(Numbers::Int),
            b'u' => Some(Numbers::Uint),
            _ => None,
        })
    }
}

/// Where lanes meet a merge or split point that stands beside their program (MS-10, MS-35).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beside {
    /// Before that instruction.
    Counter(u32),
    /// Behind so many instructions.
    Count(u32),
}

impl Beside {
    /// As the machine is told of a program that begins at number `first`.
    pub fn told(self, first: u32) -> u32 {
        match self {
            Beside::Counter(pc) => first + pc,
            Beside::Count(count) => count,
        }
    }
}

impl Interface {
    /// Whether the program with that code has a merge point, of any form (MS-10).
    pub fn merges(&self, code: &[u64]) -> bool {
        self.merge_at.is_some() || has(code, Event::Merge)
    }

    /// Whether it has a split point, of any form (MS-40).
    pub fn splits(&self, code: &[u64]) -> bool {
        self.split_at.is_some() || has(code, Event::Split)
    }
}

/// What the host needs to know of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// Kind of program.
    pub stage: Stage,
    /// Name of the entry point.
    pub entry: String,
    /// Invocations per work group along x, y, z.
    pub group_size: [u32; 3],
    /// Resources, in order of `index`.
    pub bindings: Vec<Binding>,
    /// Bytes of work-group memory per group.
    pub shared_bytes: u32,
    /// Whether a barrier or work-group memory is used: the group must run on one warp unit.
    pub pinned: bool,
    /// Stack bytes per thread, a multiple of 16.
    pub stack_bytes: u32,
    /// Registers used, from 0 up.
    pub registers: u32,
    /// Registers below this are public (MS-20).
    pub public_cutoff: u32,
    /// Bit r: register r is public, on a machine that goes by such words; of others 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub public_bitmap: u32,
    /// First instruction of the program for warps that are no members of a pair; 0: there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub alone: u32,
    /// First instruction of the position part of a vertex program (HZ-30); 0: there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub position: u32,
    /// Where fragment warps merge, if that stands beside the program (MS-10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_at: Option<Beside>,
    /// Where they split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_at: Option<Beside>,
    /// (constant word, value): constants the compiler placed in the bank.
    pub constants: Vec<(u32, u32)>,
    /// Some instruction is one of the function unit: the program runs on cores that have one
    /// (SE-3). A binary that does not say so is taken to have some.
    #[serde(default = "unknown")]
    pub function_unit: bool,
    /// How it uses semaphores.
    #[serde(default)]
    pub semaphores: SemaphoreUse,
    /// What the compiler warned of, each with its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Of a vertex or fragment program: what it is to its pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graphics: Option<GraphicsInterface>,
    /// Uniforms that the host derives for it (LP-13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<Derived>,
    /// What it takes for granted of uniforms (LP-14).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specialisation: Option<Specialisation>,
    /// Values that its overrides or specialisation constants were given, by name, or by id where
    /// there is none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, serde_json::Value>,
}

/// Words of the constant bank that the host computes from uniforms, once for each batch (LP-13),
/// and conditions on uniforms under which the program is right (LP-14).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Derived {
    /// The program: each step reads steps before it.
    pub steps: Vec<Step>,
    /// (constant word, step).
    pub words: Vec<(u32, u32)>,
    /// (step, name in the source) of steps that are uniforms, ascending. For people only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<(u32, String)>,
    /// (step, uniform that it reads, name) where the step takes the uniform for another variable of
    /// that word than `names` says, ascending. For people only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<(u32, u32, String)>,
}

/// Operations in each other that a line has.
const MOST_DEPTH: u32 = 6;

impl Derived {
    /// The program for people: each step that more than one thing reads, then each word with what
    /// it is. A step is printed once, so the texts are as long as the program, whatever shares
    /// what.
    pub fn texts(&self) -> Vec<String> {
        let alone = self.printed_alone();
        let steps = (0..).zip(&alone).filter(|(_, alone)| **alone);
        let steps = steps.map(|(n, _)| format!("s{n} = {}", self.operation(n, &alone)));
        steps
            .chain(self.words.iter().map(|(word, step)| format!("c{word} = {}", self.text(*step, None, &alone))))
            .collect()
    }

    /// The steps that have a line of their own: operations with several readers, and those in which
    /// too many others are. What no word needs has none.
    fn printed_alone(&self) -> Vec<bool> {
        let mut readers = vec![0u32; self.steps.len()];
        let read = |readers: &mut Vec<u32>, step: u32| {
            if let Some(count) = readers.get_mut(step as usize) {
                *count = count.saturating_add(1);
            }
        };
        self.words.iter().for_each(|w| read(&mut readers, w.1));
        for (n, step) in self.steps.iter().enumerate().rev() {
            match step {
                Step::Op(_, args) if readers[n] > 0 => args.iter().for_each(|&a| read(&mut readers, a)),
                _ => {}
            }
        }
        let mut depths: Vec<u32> = Vec::with_capacity(self.steps.len());
        let mut alone = Vec::with_capacity(self.steps.len());
        for (step, &readers) in self.steps.iter().zip(&readers) {
            let Step::Op(_, args) = step else {
                depths.push(0);
                alone.push(false);
                continue;
            };
            let below = args.iter().filter_map(|a| depths.get(*a as usize)).max();
            let depth = 1 + below.copied().unwrap_or(0);
            let here = readers > 1 || readers > 0 && depth > MOST_DEPTH;
            depths.push(if here { 0 } else { depth });
            alone.push(here);
        }
        alone
    }

    /// A step as what reads it shows it; `numbers` are what it is taken for.
    fn text(&self, step: u32, numbers: Option<Numbers>, alone: &[bool]) -> String {
        match (alone.get(step as usize), self.steps.get(step as usize)) {
            (None, _) | (_, None) => "?".into(),
            (Some(true), _) => format!("s{step}"),
            (_, Some(Step::Const(c))) => Numbers::text(numbers, *c),
            _ => self.operation(step, alone),
        }
    }

    fn name(&self, step: u32) -> Option<&str> {
        let at = self.names.binary_search_by_key(&step, |n| n.0).ok()?;
        Some(&self.names[at].1)
    }

    /// What a step does.
    fn operation(&self, n: u32, alone: &[bool]) -> String {
        match &self.steps[n as usize] {
            Step::Const(c) => Numbers::text(None, *c),
            Step::Uniform(group, binding, word) => match (self.name(n), *group) {
                (Some(name), _) => name.into(),
                (None, group) if group == PUSH_CONSTANTS.0 => format!("push[{word}]"),
                (None, _) => format!("buffer({group}, {binding})[{word}]"),
            },
            Step::Op(name, args) => {
                // A step that reads itself or one behind it would have no end.
                let shown = |(k, a): (usize, &u32)| {
                    let numbers = Op::from_name(name).and_then(|op| Numbers::of_operand(op, k));
                    match self.readings.binary_search_by_key(&(n, *a), |r| (r.0, r.1)) {
                        Ok(at) => self.readings[at].2.clone(),
                        Err(_) if *a < n => self.text(*a, numbers, alone),
                        Err(_) => "?".into(),
                    }
                };
                format!("{name}({})", args.iter().enumerate().map(shown).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A step of a derived-uniform program. Its value is a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A constant.
    Const(u32),
    /// Group, binding and word of a uniform buffer.
    Uniform(u32, u32, u32),
    /// An operation of the lane pipeline or the function unit, by its mnemonic; the steps that are
    /// its operands.
    Op(String, Vec<u32>),
}

/// A condition under which a program is right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assumption {
    /// Step of [`Specialisation::steps`].
    pub step: u32,
    /// Its value is not 0.
    pub holds: bool,
    /// The branch or choice that it decided, in the source.
    pub place: String,
    /// The condition, for people.
    pub text: String,
}

/// Conditions on uniforms that a program takes for granted (LP-14).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Specialisation {
    /// What computes them.
    pub steps: Vec<Step>,
    /// The conditions.
    pub assumptions: Vec<Assumption>,
}

/// How a varying comes from the vertices to a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Interpolation {
    /// Correct for perspective.
    Perspective,
    /// Linear in the target.
    Linear,
    /// The first vertex's.
    Flat,
}

/// Where in a pixel a varying is taken, as the instruction numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// The pixel's centre.
    #[default]
    Centre = 0,
    /// The centroid.
    Centroid = 1,
    /// The sample.
    Sample = 2,
}

/// A component of an output of a vertex program, or of an input of a fragment program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Varying {
    /// Location.
    pub location: u32,
    /// Component, 0 to 3.
    pub component: u32,
    /// Output word of the vertex that holds it, from 4 up.
    pub word: u32,
    /// What it is.
    pub numbers: Numbers,
    /// How it is interpolated, as far as this stage says.
    pub interpolation: Interpolation,
    /// Where it is taken, as far as this stage says.
    #[serde(default)]
    pub sampling: Sampling,
}

/// What a vertex or fragment program is to its pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphicsInterface {
    /// Of a vertex program its outputs, of a fragment program its inputs.
    pub varyings: Vec<Varying>,
    /// Fragments may be discarded.
    pub may_discard: bool,
    /// The program writes depth.
    pub writes_depth: bool,
    /// The program writes the sample mask.
    pub writes_mask: bool,
    /// The program writes memory.
    pub stores: bool,
    /// It runs once for each sample.
    pub per_sample: bool,
    /// Tests come before the program, as it asks.
    pub early_tests: bool,
    /// Names of inputs in the source, by location.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub input_names: BTreeMap<u32, String>,
    /// Names of outputs in the source, by location.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub output_names: BTreeMap<u32, String>,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn unknown() -> bool {
    true
}

/// Whether some instruction of a program is one of the function unit.
pub fn needs_function_unit(code: &[u64]) -> bool {
    code.iter().any(|&word| decode(word).is_ok_and(|i| i.op.class() == Class::Function))
}

/// Whether an instruction of a program is that event, or carries it.
fn has(code: &[u64], event: Event) -> bool {
    code.iter().any(|&word| decode(word).is_ok_and(|i| i.op == event.op() || i.event == Some(event)))
}

/// How a program uses semaphores (docs/semaphores.md).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct SemaphoreUse {
    /// Compiled to spin on words in memory (`semaphores=polling`).
    pub polling: bool,
    /// Uses the lock table, whose byte address the host puts in constant word `CONST_LOCKS`.
    pub locks: bool,
    /// Waits for other threads of a job's graph, or tells them that it is done.
    pub dependencies: bool,
    /// The instructions of polling loops, in ascending order.
    pub loops: Vec<u32>,
    /// The releases of `dependencyDone`, ascending. `None`: nobody knows, as of an assembly
    /// program.
    pub done: Option<Vec<u32>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(name: &str, args: &[u32]) -> Step {
        Step::Op(name.into(), args.to_vec())
    }

    #[test]
    fn a_shared_step_is_printed_once() {
        let steps = vec![Step::Uniform(0, 1, 2), op("FSQRT", &[0]), op("FADD", &[1, 1]), op("FMUL", &[2, 0])];
        let derived = Derived { steps, words: vec![(80, 3), (81, 0)], ..Default::default() };
        let expected =
            ["s1 = FSQRT(buffer(0, 1)[2])", "c80 = FMUL(FADD(s1, s1), buffer(0, 1)[2])", "c81 = buffer(0, 1)[2]"];
        assert_eq!(derived.texts(), expected);
        let named = Derived { names: vec![(0, "u.x".into())], ..derived.clone() };
        assert_eq!(named.texts(), expected.map(|text| text.replace("buffer(0, 1)[2]", "u.x")));
        let read = Derived { readings: vec![(3, 0, "i".into())], ..named.clone() };
        assert_eq!(read.texts(), ["s1 = FSQRT(u.x)", "c80 = FMUL(FADD(s1, s1), i)", "c81 = u.x"]);
        // What no word needs is not there, and counts as no reader.
        let words = vec![(80, 1)];
        assert_eq!(Derived { words, ..derived }.texts(), ["c80 = FSQRT(buffer(0, 1)[2])"]);
    }

    /// x1 = x0 + x0, x2 = x1 + x1 and so on: as a tree it has 2^60 leaves.
    #[test]
    fn texts_are_as_long_as_the_program() {
        let doubled = (1..=60).map(|n| op("FADD", &[n - 1, n - 1]));
        let derived = Derived {
            steps: [Step::Uniform(0, 0, 0)].into_iter().chain(doubled).collect(),
            words: vec![(72, 60)],
            ..Default::default()
        };
        assert_eq!(derived.texts().len(), 60);
        // A chain without sharing is cut into lines, so its depth is no depth of calls.
        let chain = (1..=50_000).map(|n| op("FSQRT", &[n - 1]));
        let derived = Derived {
            steps: [Step::Const(1)].into_iter().chain(chain).collect(),
            words: vec![(72, 50_000)],
            ..Default::default()
        };
        let texts = derived.texts();
        assert_eq!(texts.len(), 50_000 / 7 + 1);
        assert!(texts.iter().all(|t| t.len() < 100));
    }

    /// Steps that are no program have an end, too: they are of no file that was checked.
    #[test]
    fn steps_that_read_themselves_have_a_text() {
        let derived = Derived {
            steps: vec![op("FADD", &[0, 1]), op("FADD", &[0, 9])],
            words: vec![(72, 1), (73, 5)],
            ..Default::default()
        };
        assert_eq!(derived.texts(), ["s0 = FADD(?, ?)", "s1 = FADD(s0, ?)", "c72 = s1", "c73 = ?"]);
    }
}
