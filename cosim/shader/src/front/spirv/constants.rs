//! Constants as packed words: plain ones, composites, null, specialisation constants with the
//! values that they are given ([`super::specialise`]), and what is computed from those
//! (OpSpecConstantOp).

use super::lower::Lower;
use super::module::Res;
use rspirv::spirv::Op;

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
        let words = match def.op {
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse if self.specialised.contains_key(&id) => {
                self.specialised[&id].clone()
            }
            Op::ConstantTrue | Op::SpecConstantTrue => vec![1],
            Op::ConstantFalse | Op::SpecConstantFalse => vec![0],
            Op::Constant | Op::SpecConstant => {
                let mut words = def.args.clone();
                words.resize(if self.bits(def.ty) == 64 { 2 } else { 1 }, 0);
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
            _ => {}
        }
        // From here on component by component, each of 64 bits or fewer.
        let mut parts = vec![];
        for (&id, words) in def.args[1..].iter().zip(&args) {
            let bits = m.def(id).map_or(32, |d| self.bits(d.ty));
            if !matches!(bits, 8 | 16 | 32 | 64) {
                return Err(unknown());
            }
            parts.push(Part { bits, values: values(words, bits) });
        }
        let to = self.bits(def.ty);
        if !matches!(to, 8 | 16 | 32 | 64) {
            return Err(unknown());
        }
        let out = components(op, &parts, numbers, to).ok_or_else(unknown)?;
        Ok(out
            .iter()
            .flat_map(|&x| [x as u32, (x >> 32) as u32].into_iter().take(if to == 64 { 2 } else { 1 }))
            .collect())
    }
}

/// An operand: its components, and their bits.
struct Part {
    bits: u32,
    values: Vec<u64>,
}

/// Components of packed words.
fn values(words: &[u32], bits: u32) -> Vec<u64> {
    match bits {
        64 => words.chunks(2).map(|w| u64::from(w[0]) | u64::from(*w.get(1).unwrap_or(&0)) << 32).collect(),
        _ => words.iter().map(|&w| u64::from(w)).collect(),
    }
}

/// An operation by components; `numbers` are those behind its operands.
fn components(op: Op, args: &[Part], numbers: &[u32], to: u32) -> Option<Vec<u64>> {
    let at = |k: usize, n: usize| args.get(k).and_then(|a| a.values.get(n).or(a.values.last())).copied();
    match op {
        Op::VectorShuffle => {
            let both: Vec<u64> = args.iter().flat_map(|a| a.values.iter().copied()).collect();
            Some(numbers.iter().map(|&k| both.get(k as usize).copied().unwrap_or(0)).collect())
        }
        // The condition may be one for all components.
        Op::Select if args.len() == 3 => {
            (0..args[1].values.len()).map(|n| if at(0, n)? != 0 { at(1, n) } else { at(2, n) }).collect()
        }
        _ => {
            let count = args.iter().map(|a| a.values.len()).max().unwrap_or(0);
            let one = |n: usize| {
                let operands: Option<Vec<(u64, u32)>> =
                    args.iter().map(|a| Some((*a.values.get(n)?, a.bits))).collect();
                fold(op, &operands?, to)
            };
            (0..count).map(one).collect()
        }
    }
}

/// One component: operands with their bits. Numbers of fewer than 64 bits are read as the operation
/// says.
fn fold(op: Op, args: &[(u64, u32)], to: u32) -> Option<u64> {
    let signed = |(x, bits): (u64, u32)| (x as i64) << (64 - bits) >> (64 - bits);
    let unsigned = |(x, bits): (u64, u32)| x << (64 - bits) >> (64 - bits);
    let &a = args.first()?;
    let (sa, ua, bits) = (signed(a), unsigned(a), a.1);
    let bool = |b: bool| Some(u64::from(b));
    let word = match (op, args.get(1)) {
        (Op::UConvert, None) => Some(ua),
        (Op::SConvert, None) => Some(sa as u64),
        (Op::SNegate, None) => Some(ua.wrapping_neg()),
        (Op::Not, None) => Some(!ua),
        (Op::LogicalNot, None) => return bool(ua == 0),
        (Op::QuantizeToF16 | Op::FConvert, _) | (_, None) => None,
        (op, Some(&b)) => {
            let (sb, ub) = (signed(b), unsigned(b));
            // A count that is too large gives an undefined result.
            let count = ub as u32 & (bits - 1);
            match op {
                Op::IAdd => Some(ua.wrapping_add(ub)),
                Op::ISub => Some(ua.wrapping_sub(ub)),
                Op::IMul => Some(ua.wrapping_mul(ub)),
                Op::UDiv => Some(ua.checked_div(ub).unwrap_or(ua)),
                Op::SDiv if sb == 0 => Some(ua),
                Op::SDiv => Some(sa.wrapping_div(sb) as u64),
                Op::UMod => Some(ua.checked_rem(ub).unwrap_or(0)),
                Op::SRem if sb == 0 => Some(0),
                Op::SRem => Some(sa.wrapping_rem(sb) as u64),
                Op::SMod if sb == 0 => Some(0),
                Op::SMod => {
                    let rest = sa.wrapping_rem(sb);
                    Some(if rest != 0 && (rest ^ sb) < 0 { rest.wrapping_add(sb) } else { rest } as u64)
                }
                Op::ShiftLeftLogical => Some(ua << count),
                Op::ShiftRightLogical => Some(ua >> count),
                Op::ShiftRightArithmetic => Some((sa >> count) as u64),
                Op::BitwiseAnd => Some(ua & ub),
                Op::BitwiseOr => Some(ua | ub),
                Op::BitwiseXor => Some(ua ^ ub),
                Op::LogicalAnd => return bool(ua != 0 && ub != 0),
                Op::LogicalOr => return bool(ua != 0 || ub != 0),
                Op::LogicalEqual => return bool((ua != 0) == (ub != 0)),
                Op::LogicalNotEqual => return bool((ua != 0) != (ub != 0)),
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
    Some(word << (64 - to) >> (64 - to))
}
