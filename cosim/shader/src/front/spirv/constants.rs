//! Constants as packed words: plain ones, composites, null, specialisation constants with the
//! values that job and command line give, and what is computed from those (OpSpecConstantOp).

use super::lower::Lower;
use super::module::Res;
use rspirv::spirv::{Decoration, Op};

/// Operators nest at most so deep in each other.
const MOST_DEEP: u32 = 200;

impl Lower<'_, '_> {
    /// The words of a constant; `None` if the id is none.
    pub fn constant(&mut self, id: u32) -> Res<Option<Vec<u32>>> {
        self.constant_at(id, 0)
    }

    /// A constant of one word.
    pub fn constant_word(&mut self, id: u32) -> Res<u32> {
        match self.constant(id)?.as_deref() {
            Some([word]) => Ok(*word),
            _ => Err(self.m.invalid(self.n, format!("{} is no scalar constant", self.m.called(id)))),
        }
    }

    fn constant_at(&mut self, id: u32, depth: u32) -> Res<Option<Vec<u32>>> {
        if let Some(words) = self.constants.get(&id) {
            return Ok(Some(words.clone()));
        }
        let m = self.m;
        let (Some(def), Some(n)) = (m.def(id), m.number(id)) else { return Ok(None) };
        if depth > MOST_DEEP {
            return Err(m.invalid(n, "constants nest too deep, or in a circle"));
        }
        let spec = m.decoration(id, Decoration::SpecId).and_then(|spec| self.specialised.get(&spec).copied());
        let words = match def.op {
            Op::ConstantTrue | Op::SpecConstantTrue => vec![spec.map_or(1, |w| u32::from(w != 0))],
            Op::ConstantFalse | Op::SpecConstantFalse => vec![spec.map_or(0, |w| u32::from(w != 0))],
            Op::Constant | Op::SpecConstant => {
                let mut words = def.args.clone();
                words.resize(if self.bits(def.ty) == 64 { 2 } else { 1 }, 0);
                if let Some(word) = spec {
                    words[0] = word;
                }
                words
            }
            Op::ConstantNull | Op::Undef => {
                vec![0; self.words_of(def.ty)? as usize]
            }
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let mut words = vec![];
                for &part in &def.args {
                    match self.constant_at(part, depth + 1)? {
                        Some(part) => words.extend(part),
                        None => return Err(m.invalid(n, format!("{} is no constant", m.called(part)))),
                    }
                }
                words
            }
            Op::SpecConstantOp => self.operation(n, depth)?,
            _ => return Ok(None),
        };
        self.constants.insert(id, words.clone());
        Ok(Some(words))
    }

    fn operation(&mut self, n: usize, depth: u32) -> Res<Vec<u32>> {
        let m = self.m;
        let def = &m.insts[n];
        let unknown = || m.error(n, "this operation on specialisation constants is not supported", "use its value");
        let op = Op::from_u32(def.args[0]).ok_or_else(unknown)?;
        let operands = match op {
            // Behind these ids are numbers.
            Op::CompositeExtract => 1,
            Op::CompositeInsert | Op::VectorShuffle => 2,
            _ => def.args.len() - 1,
        };
        let mut args = vec![];
        for &id in def.args[1..].iter().take(operands) {
            let words = self.constant_at(id, depth + 1)?;
            args.push(words.ok_or_else(|| m.invalid(n, format!("{} is no constant", m.called(id))))?);
        }
        let other = || m.invalid(n, "operands of other types");
        if args.is_empty() {
            return Err(other());
        }
        let numbers = &def.args[(1 + operands).min(def.args.len())..];
        let part = |l: &mut Self, composite: u32| -> Res<(usize, usize)> {
            let ty = m.def(composite).map_or(0, |d| d.ty);
            let (at, _, words) = l.part(ty, numbers)?;
            Ok((at as usize, words as usize))
        };
        match op {
            Op::CompositeExtract => {
                let (at, words) = part(self, def.args[1])?;
                return args[0].get(at..at + words).map(<[u32]>::to_vec).ok_or_else(other);
            }
            Op::CompositeInsert => {
                let (Some(&composite), [object, whole]) = (def.args.get(2), &args[..]) else { return Err(other()) };
                let (at, words) = part(self, composite)?;
                let mut out = whole.clone();
                let place = out.get_mut(at..at + words).filter(|p| p.len() == object.len()).ok_or_else(other)?;
                place.copy_from_slice(object);
                return Ok(out);
            }
            Op::VectorShuffle => {
                let both = args.concat();
                return Ok(numbers.iter().map(|&k| both.get(k as usize).copied().unwrap_or(0)).collect());
            }
            Op::Select if args.len() == 3 && !args[0].is_empty() => {
                let choose = |k: usize| if args[0][k.min(args[0].len() - 1)] != 0 { args[1][k] } else { args[2][k] };
                return Ok((0..args[1].len().min(args[2].len())).map(choose).collect());
            }
            _ => {}
        }
        let (from, to) = (m.def(def.args[1]).map_or(32, |d| self.bits(d.ty)), self.bits(def.ty));
        if !(1..=32).contains(&from) || !(1..=32).contains(&to) {
            return Err(unknown());
        }
        let count = args.iter().map(Vec::len).max().unwrap_or(0);
        let mut out = vec![];
        for k in 0..count {
            let operands: Vec<u32> = args.iter().filter_map(|a| a.get(k).copied()).collect();
            out.push(fold(op, &operands, from, to).ok_or_else(unknown)?);
        }
        Ok(out)
    }
}

/// One component; numbers of fewer than 32 bits are read as the operation says.
fn fold(op: Op, args: &[u32], from: u32, to: u32) -> Option<u32> {
    let signed = |x: u32| (x as i32) << (32 - from) >> (32 - from);
    let unsigned = |x: u32| x << (32 - from) >> (32 - from);
    let a = *args.first()?;
    let bool = |b: bool| Some(u32::from(b));
    let word = match (op, args.get(1)) {
        (Op::UConvert, None) => Some(unsigned(a)),
        (Op::SConvert, None) => Some(signed(a) as u32),
        (Op::SNegate, None) => Some(a.wrapping_neg()),
        (Op::Not, None) => Some(!a),
        (Op::LogicalNot, None) => return bool(a == 0),
        (Op::QuantizeToF16 | Op::FConvert, _) | (_, None) => None,
        (op, Some(&b)) => {
            let (sa, sb, ua, ub) = (signed(a), signed(b), unsigned(a), unsigned(b));
            match op {
                Op::IAdd => Some(a.wrapping_add(b)),
                Op::ISub => Some(a.wrapping_sub(b)),
                Op::IMul => Some(a.wrapping_mul(b)),
                Op::UDiv => Some(ua.checked_div(ub).unwrap_or(ua)),
                Op::SDiv if sb == 0 => Some(a),
                Op::SDiv => Some(sa.wrapping_div(sb) as u32),
                Op::UMod => Some(ua.checked_rem(ub).unwrap_or(0)),
                Op::SRem if sb == 0 => Some(0),
                Op::SRem => Some(sa.wrapping_rem(sb) as u32),
                Op::SMod if sb == 0 => Some(0),
                Op::SMod => {
                    let rest = sa.wrapping_rem(sb);
                    Some(if rest != 0 && (rest ^ sb) < 0 { rest.wrapping_add(sb) } else { rest } as u32)
                }
                Op::ShiftLeftLogical => Some(a.wrapping_shl(b)),
                Op::ShiftRightLogical => Some(ua.wrapping_shr(b)),
                Op::ShiftRightArithmetic => Some(sa.wrapping_shr(b) as u32),
                Op::BitwiseAnd => Some(a & b),
                Op::BitwiseOr => Some(a | b),
                Op::BitwiseXor => Some(a ^ b),
                Op::LogicalAnd => return bool(a != 0 && b != 0),
                Op::LogicalOr => return bool(a != 0 || b != 0),
                Op::LogicalEqual => return bool((a != 0) == (b != 0)),
                Op::LogicalNotEqual => return bool((a != 0) != (b != 0)),
                Op::IEqual => return bool(ua == ub),
                Op::INotEqual => return bool(ua != ub),
                Op::ULessThan => return bool(ua < ub),
                Op::ULessThanEqual => return bool(ua <= ub),
                Op::UGreaterThan => return bool(ua > ub),
                Op::UGreaterThanEqual => return bool(ua >= ub),
                Op::SLessThan => return bool(sa < sb),
                Op::SLessThanEqual => return bool(sa <= sb),
                Op::SGreaterThan => return bool(sa > sb),
                Op::SGreaterThanEqual => return bool(sa >= sb),
                _ => None,
            }
        }
    }?;
    Some(word << (32 - to.min(32)) >> (32 - to.min(32)))
}
