//! Whether what a file says of its program can be true (LP-30): a file may come from anywhere.
//!
//! What reads a binary takes numbers of its interface for indices, sizes and counts of loops. So
//! every number is compared here with what it counts: words of the constant bank, registers,
//! instructions, steps, bytes. Steps read earlier steps only, so evaluating them has an end. What
//! the code shows is compared, too: instructions that only a fragment program has, and needs that
//! the interface must tell. Each rule is one that every binary of the compiler keeps. A rule that
//! the compiler breaks would be wrong, and tests read back what it writes; a number that no rule
//! names would be, and tests damage each in turn. Time and memory are linear in the file's length:
//! counts with a bound of their own are tested before anything is done with the items.

use super::dwarf;
use super::file::{BinaryError, ShaderBinary};
use super::parts::{damaged, CONSTANTS, INTERFACE, MOVED, SYMBOLS, TEXT};
use crate::interface::{needs_function_unit, Beside, Binding, BindingKind, GraphicsInterface};
use crate::interface::{Stage, Step, UNIFORM_WORDS};
use crate::ops::eval::eval;
use crate::ops::predicate::{arity, cross_lane};
use quadlock_isa::abi::{CONST_USER, CONST_WORDS, MAX_BUFFERS, MAX_GROUP, MAX_PROGRAM, REGISTERS};
use quadlock_isa::{decode, Instr, Op};
use std::collections::BTreeSet;

/// The most stack bytes of a thread. A job has 2^30 bytes, and the four lanes of a warp share them.
const MOST_STACK: u32 = 1 << 28;

/// Output words of a vertex: what ATTR can name. The first four are the position.
const VARYINGS: std::ops::Range<u32> = 4..63;

/// The greatest output word of a fragment, its sample mask.
const LAST_OF_FRAGMENT: u32 = 9;

type Checked = Result<(), BinaryError>;

/// The section is damaged if this does not hold.
fn must(holds: bool, section: &'static str, what: impl FnOnce() -> String) -> Checked {
    match holds {
        true => Ok(()),
        false => Err(damaged(section, what())),
    }
}

/// All that is in a binary.
///
/// # Errors
/// The section and the item that cannot be true.
pub(crate) fn check(binary: &ShaderBinary) -> Checked {
    sizes(binary)?;
    places(binary)?;
    code(binary)?;
    buffers(&binary.interface.bindings)?;
    constants(binary)?;
    if let Some(g) = &binary.interface.graphics {
        varyings(g)?;
    }
    derived(binary)?;
    specialisation(binary)
}

/// The functions among the symbols are those of the interface. Without any they were stripped.
pub(super) fn functions(binary: &ShaderBinary, found: &[(Vec<u8>, u64)]) -> Checked {
    let functions = binary.functions().into_iter();
    let expected: Vec<_> = functions.map(|(name, at)| (dwarf::name(&name), 8 * u64::from(at.start))).collect();
    let new = found.iter().find(|f| !expected.contains(f));
    let gone = expected.iter().find(|f| !found.is_empty() && !found.contains(f));
    let (Some((name, at)), who) = (new.or(gone), ["the interface", "the table"]) else { return Ok(()) };
    let (has, lacks) = if new.is_some() { (who[1], who[0]) } else { (who[0], who[1]) };
    let name = String::from_utf8_lossy(name);
    Err(damaged(SYMBOLS, format!("{has} has a program `{name}` at {at:#x}, {lacks} has not")))
}

/// Numbers of registers, invocations, bytes and instructions.
fn sizes(binary: &ShaderBinary) -> Checked {
    let i = &binary.interface;
    must(binary.code.len() <= MAX_PROGRAM, TEXT, || {
        format!("{} instructions, {MAX_PROGRAM} are the most", binary.code.len())
    })?;
    let group = i.group_size.iter().fold(1u64, |all, &n| all.saturating_mul(n.into()));
    must((1..=MAX_GROUP as u64).contains(&group), INTERFACE, || {
        format!("`group_size`: {group} invocations, not 1 to {MAX_GROUP}")
    })?;
    for (name, number) in [("registers", i.registers), ("public_cutoff", i.public_cutoff)] {
        must(number as usize <= REGISTERS, INTERFACE, || format!("`{name}` is {number}, {REGISTERS} are the most"))?;
    }
    let stack = i.stack_bytes;
    must(stack <= MOST_STACK && stack.is_multiple_of(16), INTERFACE, || {
        format!("`stack_bytes` is {stack}: not a multiple of 16 up to {MOST_STACK}")
    })?;
    must(i.pinned || i.shared_bytes == 0, INTERFACE, || {
        format!("`pinned` is false with {} `shared_bytes`", i.shared_bytes)
    })
}

/// Numbers of instructions.
fn places(binary: &ShaderBinary) -> Checked {
    let (i, count) = (&binary.interface, binary.code.len());
    let inside = |name: &str, pc: u32, end: usize| {
        must((pc as usize) < end, INTERFACE, || format!("`{name}`: instruction {pc} of {count}"))
    };
    inside("alone", i.alone, count)?;
    inside("position", i.position, count)?;
    must(i.position == 0 || i.position != i.alone, INTERFACE, || {
        format!("`position` and `alone` are both instruction {}", i.alone)
    })?;
    for (name, place) in [("merge_at", i.merge_at), ("split_at", i.split_at)] {
        if let Some(Beside::Counter(pc)) = place {
            inside(name, pc, count + 1)?;
        }
    }
    let done = i.semaphores.done.iter().flatten();
    i.semaphores.loops.iter().try_for_each(|&pc| inside("semaphores.loops", pc, count))?;
    done.into_iter().try_for_each(|&pc| inside("semaphores.done", pc, count))
}

/// What the code shows of the interface. Of a fragment program that interpolates nothing it does
/// not show the stage.
fn code(binary: &ShaderBinary) -> Checked {
    let i = &binary.interface;
    let parts = [
        ("graphics", i.graphics.is_some(), i.stage != Stage::Compute),
        ("position", i.position != 0, i.stage == Stage::Vertex),
        ("merge_at", i.merge_at.is_some(), i.stage == Stage::Fragment),
        ("split_at", i.split_at.is_some(), i.stage == Stage::Fragment),
    ];
    for (name, there, possible) in parts {
        must(!there || possible, INTERFACE, || format!("`{name}` of a {} program", named(i.stage)))?;
    }
    for (pc, &word) in binary.code.iter().enumerate() {
        let Ok(instr) = decode(word) else { continue };
        must(stage_has(i.stage, &instr), INTERFACE, || {
            format!("`stage` is {}, but instruction {pc} is {} {}", named(i.stage), instr.op.name(), instr.imm)
        })?;
    }
    must(i.function_unit || !needs_function_unit(&binary.code), INTERFACE, || {
        "`function_unit` is false, but the code has instructions of it".to_owned()
    })
}

fn named(stage: Stage) -> &'static str {
    match stage {
        Stage::Compute => "compute",
        Stage::Vertex => "vertex",
        Stage::Fragment => "fragment",
    }
}

/// Whether a program of that stage can have an instruction.
fn stage_has(stage: Stage, instr: &Instr) -> bool {
    let of_fragments = matches!(instr.op, Op::Merge | Op::Split | Op::Demote | Op::Bary | Op::Attr | Op::AttrFlat);
    let of_fragments = of_fragments || instr.event.is_some();
    match stage {
        Stage::Fragment => instr.op != Op::Out || instr.imm <= LAST_OF_FRAGMENT,
        Stage::Vertex => !of_fragments,
        Stage::Compute => !of_fragments && instr.op != Op::Out,
    }
}

/// Entries of the buffer table. Buffers of one number are an array.
fn buffers(all: &[Binding]) -> Checked {
    must(all.len() <= MAX_BUFFERS, INTERFACE, || {
        format!("`bindings`: {} buffers, {MAX_BUFFERS} are the most", all.len())
    })?;
    let mut taken = [false; CONST_WORDS];
    let mut entries = [false; MAX_BUFFERS];
    for (n, b) in all.iter().enumerate() {
        let wrong = |what: String| damaged(INTERFACE, format!("`bindings`, {}: {what}", b.describe()));
        match entries.get_mut(b.index as usize) {
            None => return Err(wrong(format!("`index` {}, entries are 0 to {}", b.index, MAX_BUFFERS - 1))),
            Some(true) => return Err(wrong(format!("`index` {} is another buffer's, too", b.index))),
            Some(entry) => *entry = true,
        }
        let same = all[..n].iter().any(|o| (o.group, o.binding) == (b.group, b.binding));
        if same && !n.checked_sub(1).is_some_and(|before| follows(&all[before], b)) {
            return Err(wrong("its number is another buffer's, too".into()));
        }
        if b.const_words > 0 {
            let words = u64::from(b.const_at)..u64::from(b.const_at) + u64::from(b.const_words);
            if b.kind != BindingKind::Uniform {
                return Err(wrong(format!("`const_words` {} of a storage buffer", b.const_words)));
            }
            if words.start < CONST_USER as u64 || words.end > CONST_WORDS as u64 {
                let (first, last) = (words.start, words.end - 1);
                let bank = format!("words for buffers are c{CONST_USER} to c{}", CONST_WORDS - 1);
                return Err(wrong(format!("`const_at` and `const_words` are c{first} to c{last}, {bank}")));
            }
            if b.const_words > b.min_bytes.div_ceil(4) {
                return Err(wrong(format!("`const_words` {} of {} bytes", b.const_words, b.min_bytes)));
            }
            for word in words {
                if std::mem::replace(&mut taken[word as usize], true) {
                    return Err(wrong(format!("constant word c{word} is another buffer's, too")));
                }
            }
        }
        for m in &b.members {
            let end = u64::from(m.word) + u64::from(m.words);
            if end > u64::from(b.min_bytes.div_ceil(4)) {
                return Err(wrong(format!("`members`, `{}`: up to word {end} of {} bytes", m.name, b.min_bytes)));
            }
        }
    }
    Ok(())
}

/// Whether a buffer is the next element of the array that the one before is of.
fn follows(before: &Binding, b: &Binding) -> bool {
    let element = |b: &Binding| {
        let (array, number) = b.name.strip_suffix(']')?.rsplit_once('[')?;
        Some((array.to_owned(), number.parse::<u32>().ok()?))
    };
    let (Some(last), Some(this)) = (element(before), element(b)) else { return false };
    let as_before = (before.group, before.binding, before.kind) == (b.group, b.binding, b.kind);
    as_before && (last.0, last.1.checked_add(1)) == (this.0, Some(this.1))
}

/// Words of the bank that have a value, and no other.
fn constants(binary: &ShaderBinary) -> Checked {
    let i = &binary.interface;
    let mut taken = [false; CONST_WORDS];
    for b in i.bindings.iter().filter(|b| b.const_words > 0) {
        taken[b.const_at as usize..(b.const_at + b.const_words) as usize].fill(true);
    }
    i.constants.iter().try_for_each(|&(word, _)| take(&mut taken, word, CONSTANTS, ""))
}

/// Takes a word of the bank, which nothing else may have.
fn take(taken: &mut [bool; CONST_WORDS], word: u32, section: &'static str, item: &str) -> Checked {
    must((CONST_USER..CONST_WORDS).contains(&(word as usize)), section, || {
        format!("{item}word c{word} is outside the constant bank, c{CONST_USER} to c{}", CONST_WORDS - 1)
    })?;
    let before = std::mem::replace(&mut taken[word as usize], true);
    must(!before, section, || format!("{item}constant word c{word} has two values"))
}

fn varyings(g: &GraphicsInterface) -> Checked {
    let mut known = BTreeSet::new();
    for v in &g.varyings {
        let wrong = |what: String| {
            damaged(INTERFACE, format!("`varyings`, location {} component {}: {what}", v.location, v.component))
        };
        if v.component > 3 {
            return Err(wrong("components are 0 to 3".into()));
        }
        if !VARYINGS.contains(&v.word) {
            return Err(wrong(format!("`word` {}, not {} to {}", v.word, VARYINGS.start, VARYINGS.end - 1)));
        }
        if !known.insert((v.location, v.component)) {
            return Err(wrong("it is there twice".into()));
        }
    }
    Ok(())
}

/// Derived uniforms may have words that a buffer of the program does not need (LP-13), but not
/// those of constants or of each other.
fn derived(binary: &ShaderBinary) -> Checked {
    let (i, section) = (&binary.interface, MOVED[0].1);
    let Some(derived) = &i.derived else { return Ok(()) };
    steps(&derived.steps, &i.bindings, section)?;
    let mut taken = [false; CONST_WORDS];
    i.constants.iter().for_each(|&(word, _)| taken[word as usize] = true);
    for &(word, step) in &derived.words {
        take(&mut taken, word, section, "`words`: ")?;
        must((step as usize) < derived.steps.len(), section, || {
            format!("`words`: c{word} is step {step} of {}", derived.steps.len())
        })?;
    }
    Ok(())
}

fn specialisation(binary: &ShaderBinary) -> Checked {
    let (i, section) = (&binary.interface, MOVED[1].1);
    let Some(s) = &i.specialisation else { return Ok(()) };
    steps(&s.steps, &i.bindings, section)?;
    for (n, a) in s.assumptions.iter().enumerate() {
        must((a.step as usize) < s.steps.len(), section, || {
            format!("`assumptions`, number {n}: step {} of {}", a.step, s.steps.len())
        })?;
    }
    Ok(())
}

/// Steps that can be evaluated one behind the other. A buffer may be that of another program of the
/// draw, whose length is not known here.
fn steps(steps: &[Step], bindings: &[Binding], section: &'static str) -> Checked {
    for (n, step) in steps.iter().enumerate() {
        let wrong = |what: String| Err(damaged(section, format!("`steps`, number {n}: {what}")));
        match step {
            Step::Const(_) => {}
            Step::Uniform(group, binding, word) => {
                if *word >= UNIFORM_WORDS {
                    return wrong(format!("word {word} of a uniform buffer, {} is the last", UNIFORM_WORDS - 1));
                }
                let own = bindings.iter().find(|b| (b.group, b.binding) == (*group, *binding));
                if let Some(b) = own.filter(|b| b.kind != BindingKind::Uniform) {
                    return wrong(format!("{} is no uniform buffer", b.describe()));
                }
            }
            Step::Op(name, args) => {
                let op = Op::from_name(name).filter(|op| !cross_lane(*op) && eval(*op, &[0; 3]).is_some());
                let Some(operands) = op.and_then(arity) else {
                    return wrong(format!("`{name}` is no operation of values"));
                };
                if args.len() != operands {
                    return wrong(format!("{name} of {} operands, it has {operands}", args.len()));
                }
                if let Some(a) = args.iter().find(|a| **a as usize >= n) {
                    return wrong(format!("it reads step {a}, which is not before it"));
                }
            }
        }
    }
    Ok(())
}
