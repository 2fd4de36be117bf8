//! SSA as text, for `--emit ir`, for error messages and for tests.
//!
//! One instruction per line, results on the left, blocks in layout order with their parameters. The
//! text is for people and is not read back. `fadd.free` may be joined with another operation, and
//! nothing that feeds `output.exact` may be.

use super::{AtomicOp, Block, Func, Inst, Kind, MessageOp, Module, Slot, Space, Target, Value, Width};
use quadlock_isa::Op;
use std::fmt::{self, Display, Formatter, Write};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}
impl Display for Block {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}
impl Display for Slot {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}
impl Display for Space {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Stack => "stack",
            Space::ReadOnly => "readonly",
        })
    }
}
impl Display for Width {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(match self {
            Width::U8 => "u8",
            Width::S8 => "s8",
            Width::U16 => "u16",
            Width::S16 => "s16",
            Width::W32 => "32",
            Width::W64 => "64",
            Width::W128 => "128",
        })
    }
}
impl Display for AtomicOp {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// Values separated by commas.
fn list(values: &[Value]) -> String {
    values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(", ")
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        if self.args.is_empty() {
            write!(f, "{}", self.block)
        } else {
            write!(f, "{}({})", self.block, list(&self.args))
        }
    }
}

/// A constant in hexadecimal, and as f32 where it looks like one.
fn constant(c: u32) -> String {
    let x = f32::from_bits(c);
    if !(0x1_0000..=0xffff_0000).contains(&c) {
        format!("{}", c as i32)
    } else if x.is_finite() && (1e-12..1e12).contains(&x.abs()) {
        format!("{c:#010x} ({x:?})")
    } else {
        format!("{c:#010x}")
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Kind::Const(c) => write!(f, "const {}", constant(*c)),
            Kind::Alu(op, args) => write!(f, "{} {}", format!("{op:?}").to_lowercase(), list(args)),
            Kind::Special(s) => write!(f, "special {}", format!("{s:?}").to_lowercase()),
            Kind::ConstWord(w) => write!(f, "constword {w}"),
            Kind::SlotLoad { slot, word } => write!(f, "slotload {slot}[{word}]"),
            Kind::SlotStore { slot, word, value } => write!(f, "slotstore {slot}[{word}], {value}"),
            Kind::SlotAddr(slot) => write!(f, "slotaddr {slot}"),
            Kind::Load { space, width, addr, offset } => write!(f, "load.{space}.{width} [{addr}{offset:+}]"),
            Kind::Store { space, width, addr, offset, values } => {
                write!(f, "store.{space}.{width} [{addr}{offset:+}], {}", list(values))
            }
            Kind::Atomic { space, warp_wide, op, addr, offset, values, expected } => {
                let (warp, wide) = (if *warp_wide { "warp" } else { "" }, if values.len() == 2 { ".64" } else { "" });
                let operands: Vec<Value> = values.iter().chain(expected).copied().collect();
                write!(f, "{warp}atomic.{space}.{op}{wide} [{addr}{offset:+}], {}", list(&operands))
            }
            Kind::CrossLane { op, args } => write!(f, "{} {}", format!("{op:?}").to_lowercase(), list(args)),
            Kind::Barrier => f.write_str("barrier"),
            Kind::Message { op, id } => {
                let name = match op {
                    MessageOp::Acquire => "acquire",
                    MessageOp::AcquireRelease => "acquirerelease",
                    MessageOp::Wait => "wait",
                    MessageOp::Release => "release",
                    MessageOp::Done => "done",
                };
                write!(f, "semaphore.{name}")?;
                id.map_or(Ok(()), |id| write!(f, " {id}"))
            }
            Kind::Fence { polling: true } => f.write_str("fence polling"),
            Kind::Fence { polling: false } => f.write_str("fence"),
            Kind::Demote => f.write_str("demote"),
            Kind::Helper => f.write_str("helper"),
            Kind::Fetch { op, number } => write!(f, "{} {number}", format!("{op:?}").to_lowercase()),
            Kind::Input { word, how } => write!(f, "input {word}, {}", format!("{how:?}").to_lowercase()),
            Kind::Output { word, value } => write!(f, "output {word}, {value}"),
            Kind::Call { func, args } => write!(f, "call f{}({})", func.0, list(args)),
            Kind::Jump(t) => write!(f, "jump {t}"),
            Kind::Branch { cond, then, other } => write!(f, "branch {cond}, {then}, {other}"),
            Kind::Return(v) if v.is_empty() => f.write_str("return"),
            Kind::Return(v) => write!(f, "return {}", list(v)),
            Kind::Discard => f.write_str("discard"),
            Kind::Unreachable => f.write_str("unreachable"),
        }
    }
}

impl Display for Inst {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        if !self.results.is_empty() {
            write!(f, "{} = ", list(&self.results))?;
        }
        match &self.kind {
            Kind::Alu(op @ (Op::FAdd | Op::FSub | Op::FMul), args) if !self.exact => {
                write!(f, "{}.free {}", format!("{op:?}").to_lowercase(), list(args))
            }
            Kind::Output { word, value } if self.exact => write!(f, "output.exact {word}, {value}"),
            kind => write!(f, "{kind}"),
        }
    }
}

impl Display for Func {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f, "func {} -> {} {{", self.name, self.results)?;
        for (i, s) in self.slots.iter().enumerate() {
            writeln!(f, "  slot s{i}: {} words  ; {}", s.words, s.name)?;
        }
        for b in &self.layout {
            let data = &self.blocks[b.index()];
            writeln!(f, "{b}({}):", list(&data.params))?;
            let mut line = 0;
            for inst in &data.insts {
                let mut text = format!("    {inst}");
                if inst.loc.line != 0 && inst.loc.line != line {
                    line = inst.loc.line;
                    write!(text, "{:1$}; line {line}", "", 52usize.saturating_sub(text.len()).max(1))?;
                }
                writeln!(f, "{text}")?;
            }
        }
        writeln!(f, "}}")
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for (i, func) in self.funcs.iter().enumerate() {
            writeln!(f, "; f{i}")?;
            writeln!(f, "{func}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::ssa::{Func, Kind, Loc, Space, Width};
    use quadlock_isa::Op;

    #[test]
    fn text_of_a_small_function() {
        let mut f = Func { name: "main".into(), ..Default::default() };
        let b = f.new_block();
        let loc = Loc::at(0, 7, 1);
        let a = f.push(b, Kind::Const(4096), 1, loc)[0];
        let x = f.push(b, Kind::Load { space: Space::Global, width: Width::W64, addr: a, offset: -4 }, 2, loc).clone();
        let s = f.push(b, Kind::Alu(Op::IAdd, x), 1, loc)[0];
        let store = Kind::Store { space: Space::Shared, width: Width::W32, addr: a, offset: 0, values: vec![s] };
        f.push(b, store, 0, loc);
        f.push(b, Kind::Return(vec![]), 0, loc);
        let text = f.to_string();
        let words: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(words[0], "func main -> 0 {");
        assert!(words[2].starts_with("v0 = const 4096") && words[2].ends_with("; line 7"), "{text}");
        assert_eq!(words[3], "v1, v2 = load.global.64 [v0-4]");
        assert_eq!(words[5], "store.shared.32 [v0+0], v3");
        assert_eq!(words[6], "return");
    }
}
