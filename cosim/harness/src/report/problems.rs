//! The words of what a program did wrong, and the verdict that comes of it.

use quadlock_golden::semaphores::{place_of, MessageKind};
use quadlock_golden::{Misuse, MisuseKind, Trap};
use quadlock_isa::{decode, Op};

use super::verdict::Verdict;
use crate::lockstep::ownership::Foreign;
use crate::lockstep::wrong::{Faults, Protocol, TrapOf, Traps, Warning, Why, Wrong};
use crate::machine::launch::Launch;

/// The verdict, the same on every engine, and the problems in words. What a program did wrong comes
/// before the hang that followed: an acquire of a semaphore that does not exist is never
/// acknowledged, a warp that trapped gives back no lock.
pub fn verdict(wrong: &Wrong, launch: &Launch, hang: bool) -> (Verdict, Vec<String>) {
    let kinds = [
        (Verdict::MemoryFault, wrong.memory_fault.as_ref().map(|f| faults(f, launch))),
        (Verdict::Trap, wrong.trap.as_ref().map(|t| traps(t, launch))),
        (Verdict::ProtocolError, wrong.protocol_error.as_ref().map(|p| protocol(p, launch))),
    ];
    let found: Vec<(Verdict, String)> = kinds.into_iter().filter_map(|(v, text)| Some((v, text?))).collect();
    let otherwise = if hang { Verdict::Hang } else { Verdict::Pass };
    (found.first().map_or(otherwise, |f| f.0), found.into_iter().map(|f| f.1).collect())
}

/// A warning in words.
pub fn warning(warning: &Warning, launch: &Launch) -> String {
    match warning {
        Warning::Foreign(count, first) => format!(
            "{count} lock(s) given back by another warp than took them; the first: {}; say locks = \"owned\" of the buffer if that is a mistake, locks = \"any\" if it is meant",
            foreign(first, launch)
        ),
        Warning::Unordered(pc) => format!(
            "colours of some quads are not compared: they depend on the order of fragments, which the machine may choose, by pc {pc}{} (use no result of an atomic, and no word that fragments store, for a colour)",
            position(launch, *pc)
        ),
        Warning::Lost => "the machine's events do not add up: locks and semaphores that threads keep are not judged (lockstep says what is wrong)".to_owned(),
    }
}

/// Source position of the instruction at `pc`, in brackets behind a space.
fn position(launch: &Launch, pc: u16) -> String {
    launch.position(pc).map_or(String::new(), |p| format!(" ({p})"))
}

fn faults(f: &Faults, launch: &Launch) -> String {
    let model = f.model.map(|(count, f)| {
        let what = if f.write { "writes" } else { "reads" };
        let at = position(launch, f.pc);
        let place = format!("unit {} warp {} lane {} pc {}{at}", f.unit, f.warp, f.lane, f.pc);
        format!("{count} access(es) outside memory; the first: {place} {what} {:#010x}", f.addr)
    });
    let port = f.port.map(|p| {
        let what = if p.write { "write" } else { "read" };
        (p.count, format!("the first is a {what} at {:#010x} in cycle {}", p.addr, p.cycle))
    });
    match (model, port) {
        (Some(model), Some((count, port))) => format!("{model}; at the memory port {count}, {port}"),
        (Some(model), None) => model,
        (None, Some((count, port))) => format!("{count} access(es) outside memory; {port}"),
        (None, None) => String::new(),
    }
}

fn traps(t: &Traps, launch: &Launch) -> String {
    let Traps { count, unit, warp, pc, by } = *t;
    // Outside the program there is no word.
    let own = launch.code.get(usize::from(pc)).copied();
    let (word, reason) = match by {
        TrapOf::Model(trap) => (own, trap.to_string()),
        TrapOf::Machine(word) => {
            let word = word.or(own);
            let reason = match (own, word.map(decode)) {
                (None, _) => Trap::OutsideProgram(pc).to_string(),
                (_, Some(Err(e))) => Trap::Undefined(e).to_string(),
                _ => format!("trapped, although defined: {}", launch.listing(pc)),
            };
            (word.filter(|_| own.is_some()), reason)
        }
    };
    let word = word.map_or(String::new(), |w| format!(" (word {w:#018x})"));
    let at = position(launch, pc);
    format!("{count} trap(s); the first: unit {unit} warp {warp} pc {pc}{at}: {reason}{word}")
}

fn protocol(p: &Protocol, launch: &Launch) -> String {
    let by = |pc: Option<u16>| pc.map_or(String::new(), |pc| format!(" pc {pc}{}", position(launch, pc)));
    match p {
        Protocol::Message { count, message, pc, why } => {
            let (unit, warp) = place_of(message.thread);
            let (at, semaphore) = (by(*pc), message.semaphore);
            let what = match message.kind {
                MessageKind::Acquire { .. } => "acquires",
                MessageKind::Release => "releases",
            };
            let reason = match why {
                Why::Known(error) => error.to_string(),
                Why::NotOwner => machine_reason(1).to_owned(),
            };
            format!("{count} semaphore protocol error(s); the first: unit {unit} warp {warp}{at} {what} semaphore {semaphore}: {reason}")
        }
        Protocol::Machine { count, op } => {
            let (unit, warp) = place_of(op.thread);
            let place = format!("unit {unit} warp {warp}, semaphore {}", op.semaphore);
            format!("{count} semaphore protocol error(s); the first: {place}: {}", machine_reason(op.entry))
        }
        Protocol::Collision { op, unit, warp, pc, semaphore } => {
            let (at, verb) = (by(*pc), if *op == Op::Rls { "releases" } else { "acquires" });
            format!("unit {unit} warp {warp}{at} {verb} semaphore {semaphore}, which the job's graph uses: reserve = [{semaphore}] in [graph] keeps it for the program")
        }
        Protocol::Unreleased { count, first: u } => {
            let list: Vec<String> = u.semaphores.iter().map(u16::to_string).collect();
            let (at, list) = (position(launch, u.pc), list.join(", "));
            let (unit, warp, pc) = (u.unit, u.warp, u.pc);
            format!("{count} thread(s) ended without releasing a semaphore; the first: unit {unit} warp {warp} pc {pc}{at}: semaphore {list}")
        }
        Protocol::Foreign { count, first } => {
            format!("{count} lock(s) released by another warp; the first: {}", foreign(first, launch))
        }
        Protocol::Registers { count, first: m } => {
            let (at, lanes, does) = (position(launch, m.pc), m.lanes, misuse(m));
            let (unit, warp, pc) = (m.unit, m.warp, m.pc);
            format!("{count} wrong use(s) of registers; the first: unit {unit} warp {warp} pc {pc}{at} {does}, lanes {lanes:04b}")
        }
    }
}

/// What an instruction does that it must not.
fn misuse(m: &Misuse) -> String {
    let register = m.register;
    match m.kind {
        MisuseKind::StaleAfterMerge => {
            format!("reads r{register}, which is private and holds nothing since a merge (MS-22)")
        }
        MisuseKind::NoPrivate => {
            format!("reads r{register}, which is private, and a merged warp has none such (MS-22)")
        }
        MisuseKind::Beyond => {
            format!("names r{register}, which is behind the last private register that it has (MS-35)")
        }
        MisuseKind::StaleAfterSplit => {
            format!("reads r{register}, which is private and holds nothing since a split (MS-42)")
        }
        MisuseKind::PublicWrite => {
            format!("writes r{register}, which is public and only read behind a split (MS-42)")
        }
        MisuseKind::EarlyOutput => format!("gives output word {register} for pixels that split only later (MS-40)"),
        MisuseKind::AcrossPixel => "looks at other lanes, which are samples of the same pixel (MS-42)".into(),
    }
}

/// The reason that the machine gives with an error.
fn machine_reason(code: u16) -> &'static str {
    match code {
        1 => "the thread is not in the semaphore's list, or not its owner",
        2 => "the thread has released the semaphore before",
        3 => "there is no such semaphore",
        _ => "no reason given",
    }
}

/// A change of a lock word by a warp that does not own it.
fn foreign(f: &Foreign, launch: &Launch) -> String {
    let place = |pc: u16| format!("pc {pc}{}", position(launch, pc));
    let does = match f.new {
        0 => "releases".to_owned(),
        new => format!("writes {new:#x} to"),
    };
    let Foreign { by, owner, addr, .. } = f;
    let name = launch.word_name(*addr).map_or(String::new(), |name| format!(" ({name})"));
    format!(
        "{} {} {does} the lock at {addr:#010x}{name}, which {} owns since {}",
        by.who,
        place(by.pc),
        owner.who,
        place(owner.pc)
    )
}
