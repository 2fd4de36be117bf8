//! The words of a SPIR-V binary as the parser is given them: what naga's front end does not know is
//! replaced by what it does.
//!
//! Subgroup instructions that it lacks or its validation refuses (election, votes and counts of a
//! ballot, scans of minima, reductions of booleans, clusters, signs that are not those of the type)
//! become calls of functions added to the module, which the lowering knows by their names
//! ([`super::subgroups`]), and so does the barrier of a subgroup, which naga takes for one of the
//! work group. A call takes the place of the instruction, with the function's id where the scope
//! stood, so words stay where they are; places in messages are corrected for what is inserted
//! before them, and for the words that naga does not count. Wrong would be a call with arguments
//! that are not the instruction's: naga's validation sees wrong types, the tests wrong results.

use naga::front::spv::Error;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What the names of the functions begin with; no source can have such a name.
pub const PREFIX: &str = "quadlock:";

/// A binary for the parser.
pub struct Patched {
    pub words: Vec<u32>,
    /// How naga's count of the words differs from the file's: from which word on, by its count,
    /// what to add.
    pub corrections: Vec<(u32, i32)>,
}

/// Numbers of SPIR-V.
mod op {
    pub const NAME: u32 = 5;
    pub const EXTENSION: u32 = 10;
    pub const ENTRY_POINT: u32 = 15;
    pub const EXECUTION_MODE: u32 = 16;
    pub const CAPABILITY: u32 = 17;
    pub const TYPE_VOID: u32 = 19;
    pub const TYPE_INT: u32 = 21;
    pub const TYPE_VECTOR: u32 = 23;
    pub const TYPE_FUNCTION: u32 = 33;
    pub const TYPE_FORWARD_POINTER: u32 = 39;
    pub const CONSTANT: u32 = 43;
    pub const CONSTANT_NULL: u32 = 46;
    pub const FUNCTION: u32 = 54;
    pub const FUNCTION_PARAMETER: u32 = 55;
    pub const FUNCTION_END: u32 = 56;
    pub const FUNCTION_CALL: u32 = 57;
    pub const CONTROL_BARRIER: u32 = 224;
    pub const LABEL: u32 = 248;
    pub const KILL: u32 = 252;
    pub const RETURN: u32 = 253;
    pub const RETURN_VALUE: u32 = 254;
    pub const NO_LINE: u32 = 317;
    pub const EXECUTION_MODE_ID: u32 = 331;
    pub const BALLOT_BIT_COUNT: u32 = 342;
    pub const FIRST_ARITHMETIC: u32 = 349;
    pub const SMIN: u32 = 353;
    pub const UMIN: u32 = 354;
    pub const SMAX: u32 = 356;
    pub const UMAX: u32 = 357;
    pub const TERMINATE_INVOCATION: u32 = 4416;
}

/// Instructions that only their operands tell apart: type, result, scope, operands.
const PLAIN: [(u32, &str); 6] = [
    (333, "subgroupElect"),
    (336, "subgroupAllEqual"),
    (340, "subgroupInverseBallot"),
    (341, "subgroupBallotBitExtract"),
    (343, "subgroupBallotFindLSB"),
    (344, "subgroupBallotFindMSB"),
];
/// The arithmetic of groups, from `op::FIRST_ARITHMETIC` on.
const ARITHMETIC: [&str; 16] =
    ["Add", "Add", "Mul", "Mul", "Min", "Min", "Min", "Max", "Max", "Max", "And", "Or", "Xor", "And", "Or", "Xor"];
const SUBGROUP: u32 = 3;
const CLUSTERED: u32 = 3;
/// Capabilities of clusters and quads, and one that naga accepts and that asks nothing of it.
const CLUSTERS_AND_QUADS: [u32; 2] = [67, 68];
const GROUP_NON_UNIFORM: u32 = 61;

/// One instruction: its first word's place, its number, and its words.
struct Inst<'a> {
    at: usize,
    op: u32,
    words: &'a [u32],
}

/// The instructions of a module, as far as it is well formed; naga says what is wrong behind.
fn instructions(words: &[u32]) -> impl Iterator<Item = Inst<'_>> {
    let mut at = 5;
    std::iter::from_fn(move || {
        let first = *words.get(at)?;
        let here = words.get(at..at + (first >> 16) as usize).filter(|w| !w.is_empty())?;
        at += here.len();
        Some(Inst { at: at - here.len(), op: first & 0xFFFF, words: here })
    })
}

/// What the translation knows of a module's ids.
#[derive(Default)]
struct Known {
    /// Type of each value.
    types: HashMap<u32, u32>,
    /// Whether an integer, or the components of a vector, are signed.
    signed: HashMap<u32, bool>,
    constants: HashMap<u32, u32>,
    void: Option<u32>,
    /// Where names and types may be inserted.
    names_at: usize,
    types_at: usize,
}

impl Known {
    fn of(words: &[u32]) -> Known {
        let mut k = Known { names_at: 5, types_at: words.len(), ..Known::default() };
        let mut is_type = HashSet::new();
        for i in instructions(words) {
            let end = i.at + i.words.len();
            match (i.op, i.words) {
                (2..=7 | op::ENTRY_POINT | op::EXECUTION_MODE | op::EXECUTION_MODE_ID, _) => k.names_at = end,
                (op::TYPE_VOID..=op::TYPE_FORWARD_POINTER, &[_, id, ref rest @ ..]) => {
                    is_type.insert(id);
                    let signed = match (i.op, rest) {
                        (op::TYPE_INT, &[_, signed]) => Some(signed != 0),
                        (op::TYPE_VECTOR, &[component, _]) => k.signed.get(&component).copied(),
                        _ => None,
                    };
                    k.signed.extend(signed.map(|s| (id, s)));
                    if i.op == op::TYPE_VOID {
                        k.void = Some(id);
                    }
                }
                (op, &[_, ty, id, ref rest @ ..]) if is_type.contains(&ty) => {
                    k.types.insert(id, ty);
                    if let (op::CONSTANT, &[value]) = (op, rest) {
                        k.constants.insert(id, value);
                    }
                }
                _ => {}
            }
            if i.op == op::FUNCTION {
                k.types_at = k.types_at.min(i.at);
            }
        }
        k
    }

    fn is_subgroup(&self, scope: u32) -> bool {
        self.constants.get(&scope) == Some(&SUBGROUP)
    }

    /// The function that stands for an instruction, and its arguments.
    fn function(&self, i: &Inst) -> Option<(String, Vec<u32>)> {
        if let (op::CONTROL_BARRIER, &[_, execution, _, _]) = (i.op, i.words) {
            return self.is_subgroup(execution).then(|| ("subgroupBarrier".into(), vec![]));
        }
        let &[_, ty, _, scope, ref rest @ ..] = i.words else { return None };
        if !self.is_subgroup(scope) {
            return None;
        }
        if let Some((_, name)) = PLAIN.iter().find(|(op, _)| *op == i.op) {
            return Some((name.to_string(), rest.to_vec()));
        }
        let (&group, operands) = rest.split_first()?;
        let scan = *["", "Inclusive", "Exclusive", "Clustered"].get(group as usize)?;
        if i.op == op::BALLOT_BIT_COUNT && group != CLUSTERED {
            return Some((format!("subgroupBallot{scan}BitCount"), operands.to_vec()));
        }
        let name = ARITHMETIC.get(i.op.checked_sub(op::FIRST_ARITHMETIC)? as usize)?;
        let kind = match (i.op, self.signed.get(&ty)) {
            (op::SMIN | op::SMAX, Some(false)) => ":i",
            (op::UMIN | op::UMAX, Some(true)) => ":u",
            _ => "",
        };
        Some((format!("subgroup{scan}{name}{kind}"), operands.to_vec()))
    }
}

/// One instruction's words.
fn inst(op: u32, operands: &[u32]) -> Vec<u32> {
    [&[(operands.len() as u32 + 1) << 16 | op], operands].concat()
}

/// A string's words.
fn string(s: &str) -> Vec<u32> {
    let mut bytes = s.as_bytes().to_vec();
    bytes.resize((bytes.len() + 4) & !3, 0);
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// The functions that are added: names, types, bodies.
#[derive(Default)]
struct Added {
    /// Result type and types of the parameters, by name and these: the function's id.
    ids: BTreeMap<(String, u32, Vec<u32>), u32>,
    names: Vec<u32>,
    types: Vec<u32>,
    bodies: Vec<u32>,
}

impl Added {
    /// The id of a function, which is made at the first call. `bound`: the first id that is free.
    fn function(&mut self, name: String, result: u32, void: bool, parameters: Vec<u32>, bound: &mut u32) -> u32 {
        let mut fresh = || {
            *bound = bound.wrapping_add(1);
            bound.wrapping_sub(1)
        };
        let key = (name, result, parameters);
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let (id, ty, label) = (fresh(), fresh(), fresh());
        let (name, _, parameters) = &key;
        self.names.extend(inst(op::NAME, &[&[id], &string(&format!("{PREFIX}{name}"))[..]].concat()));
        self.types.extend(inst(op::TYPE_FUNCTION, &[&[ty, result], &parameters[..]].concat()));
        self.bodies.extend(inst(op::FUNCTION, &[result, id, 0, ty]));
        parameters.iter().for_each(|p| self.bodies.extend(inst(op::FUNCTION_PARAMETER, &[*p, fresh()])));
        self.bodies.extend(inst(op::LABEL, &[label]));
        if void {
            self.bodies.extend(inst(op::RETURN, &[]));
        } else {
            let value = fresh();
            self.types.extend(inst(op::CONSTANT_NULL, &[result, value]));
            self.bodies.extend(inst(op::RETURN_VALUE, &[value]));
        }
        self.bodies.extend(inst(op::FUNCTION_END, &[]));
        self.ids.insert(key, id);
        id
    }
}

/// Replaces in `words`, which begin with a header.
pub fn patch(mut words: Vec<u32>) -> Patched {
    let known = Known::of(&words);
    let mut added = Added::default();
    let mut changes: Vec<(usize, Vec<u32>)> = vec![];
    let mut bound = words[3];
    for i in instructions(&words) {
        changes.extend(renamed(&i).map(|new| (i.at, new)));
        let Some((name, arguments)) = known.function(&i) else { continue };
        let types: Option<Vec<u32>> = arguments.iter().map(|a| known.types.get(a).copied()).collect();
        let barrier = i.op == op::CONTROL_BARRIER;
        let result = if barrier { known.void } else { Some(i.words[1]) };
        let (Some(types), Some(result)) = (types, result) else { continue };
        let function = added.function(name, result, barrier, types, &mut bound);
        let value = match barrier {
            true => {
                bound = bound.wrapping_add(1);
                bound.wrapping_sub(1)
            }
            false => i.words[2],
        };
        let mut new = inst(op::FUNCTION_CALL, &[&[result, value, function], &arguments[..]].concat());
        while new.len() < i.words.len() {
            new.extend(inst(op::NO_LINE, &[]));
        }
        changes.push((i.at, new));
    }
    for (at, new) in changes {
        words[at..at + new.len()].copy_from_slice(&new);
    }
    words[3] = bound;
    let mut inserted = vec![];
    if !added.ids.is_empty() {
        let (names, types) = (added.names.len(), added.types.len());
        words.splice(known.types_at..known.types_at, added.types);
        words.splice(known.names_at..known.names_at, added.names);
        words.extend(added.bodies);
        inserted = vec![(known.names_at, names), (known.types_at + names, types)];
    }
    Patched { corrections: corrections(&words, &inserted), words }
}

/// See [`Patched::corrections`]. `inserted`: places in `words`, and how many words. naga's count
/// leaves out the interface of an entry point, the operands of its modes, and the parameters of a
/// function's type.
fn corrections(words: &[u32], inserted: &[(usize, usize)]) -> Vec<(u32, i32)> {
    let mut skipped = 0;
    let mut out: Vec<(u32, i32)> = vec![];
    for i in instructions(words) {
        let before = inserted.iter().filter(|(at, count)| at + count <= i.at);
        let by = skipped as i32 - before.map(|(_, count)| *count as i32).sum::<i32>();
        if out.last().map_or(0, |&(_, by)| by) != by {
            out.push(((i.at - skipped) as u32, by));
        }
        let has_end = |w: &u32| w.to_le_bytes().contains(&0);
        skipped += match (i.op, i.words) {
            (op::ENTRY_POINT, [_, _, _, rest @ ..]) => {
                rest.len() - rest.iter().position(has_end).map_or(0, |end| end + 1)
            }
            (op::TYPE_FUNCTION | op::EXECUTION_MODE, [_, _, _, rest @ ..]) => rest.len(),
            _ => 0,
        };
    }
    out
}

/// What an instruction is replaced by that means the same to this machine by another name. naga
/// does not know OpTerminateInvocation (what compilers emit for `discard` since SPIR-V 1.6): OpKill
/// does the same. The extension that declares it gets the name of one that naga accepts and that
/// asks nothing of it, of the same length.
fn renamed(i: &Inst) -> Option<Vec<u32>> {
    match (i.op, i.words) {
        (op::TERMINATE_INVOCATION, &[_]) => Some(inst(op::KILL, &[])),
        (op::EXTENSION, [_, name @ ..]) if name == string("SPV_KHR_terminate_invocation") => {
            Some(inst(op::EXTENSION, &string("SPV_EXT_shader_atomic_float_add")))
        }
        (op::CAPABILITY, &[_, number]) if CLUSTERS_AND_QUADS.contains(&number) => {
            Some(inst(op::CAPABILITY, &[GROUP_NON_UNIFORM]))
        }
        _ => None,
    }
}

/// What naga says of a binary, with names where it has numbers.
pub fn message(e: &Error) -> String {
    const MASKS: [&str; 5] = ["SubgroupEqMask", "SubgroupGeMask", "SubgroupGtMask", "SubgroupLeMask", "SubgroupLtMask"];
    match e {
        Error::UnsupportedBuiltIn(n) => match n.checked_sub(4416).and_then(|n| MASKS.get(n as usize)) {
            Some(name) => format!("unsupported builtin {name}"),
            None => e.to_string(),
        },
        Error::InvalidBarrierScope(id) => {
            format!("%{id} is the scope of a group operation or a barrier, and is not Subgroup or Workgroup")
        }
        _ => e.to_string(),
    }
}
