//! Vectors, matrices, arrays and structs as packed words: taking out, putting in, putting together,
//! choosing. A component at an index that is known at run time only is chosen among all of them;
//! an index outside takes the last one.

use super::lower::Lower;
use super::module::Res;
use crate::ssa::Value;
use quadlock_isa::Op as M;
use rspirv::spirv::Op;

impl Lower<'_, '_> {
    pub fn composite(&mut self) -> Res<Option<Vec<Value>>> {
        let m = self.m;
        let i = &m.insts[self.n];
        let a = &i.args;
        let words = match i.op {
            Op::CompositeConstruct => {
                let mut words = vec![];
                for &part in a {
                    words.extend(self.words(part)?);
                }
                if words.len() != self.words_of(i.ty)? as usize {
                    return self.invalid("the parts do not fill the type");
                }
                words
            }
            Op::CompositeExtract => {
                let whole = self.words(a[0])?;
                let (at, _, count) = self.part(self.type_of(a[0]), &a[1..])?;
                self.slice(&whole, at, count)?
            }
            Op::CompositeInsert => {
                let (part, mut whole) = (self.words(a[0])?, self.words(a[1])?);
                let (at, _, count) = self.part(self.type_of(a[1]), &a[2..])?;
                if self.slice(&whole, at, count)?.len() != part.len() {
                    return self.invalid("the part has another type");
                }
                whole[at as usize..at as usize + count as usize].copy_from_slice(&part);
                whole
            }
            Op::VectorShuffle => {
                let mut both = self.words(a[0])?;
                both.extend(self.words(a[1])?);
                let zero = self.e.b.constant(0);
                let each = self.words_each(i.ty);
                let mut words = vec![];
                for &k in &a[2..] {
                    match both.chunks(each).nth(k as usize) {
                        Some(component) => words.extend(component),
                        None if k == u32::MAX => words.extend(vec![zero; each]),
                        None => return self.invalid(format!("there is no component {k}")),
                    }
                }
                words
            }
            Op::VectorExtractDynamic => {
                let (words, index) = (self.words(a[0])?, self.number(a[1])?);
                if words.is_empty() {
                    return self.invalid("a component of nothing");
                }
                let each = self.words_each(i.ty);
                let of = |k: usize| words.iter().skip(k).step_by(each).copied().collect::<Vec<_>>();
                (0..each).map(|k| self.chosen(&of(k), index)).collect()
            }
            Op::VectorInsertDynamic => {
                let (mut words, part, index) = (self.words(a[0])?, self.words(a[1])?, self.number(a[2])?);
                if part.len() != self.words_each(i.ty) {
                    return self.invalid("a component of another type");
                }
                for (k, component) in words.chunks_mut(part.len()).enumerate() {
                    let number = self.e.b.constant(k as u32);
                    let here = self.e.b.alu2(M::ISetEq, index, number);
                    for (word, &part) in component.iter_mut().zip(&part) {
                        *word = self.e.b.select(here, part, *word);
                    }
                }
                words
            }
            Op::Select if self.pointer(i.ty).is_none() => self.select(a[0], a[1], a[2])?,
            Op::CopyLogical | Op::ExpectKHR => self.words(a[0])?,
            Op::Bitcast if self.pointer(i.ty).is_none() => self.bitcast(a[0], i.ty)?,
            _ => return Ok(None),
        };
        Ok(Some(words))
    }

    /// Words of a component of a type.
    fn words_each(&self, ty: u32) -> usize {
        if self.bits(ty) == 64 {
            2
        } else {
            1
        }
    }

    /// The type of an id's value.
    pub fn type_of(&self, id: u32) -> u32 {
        self.m.def(id).map_or(0, |d| d.ty)
    }

    pub fn select(&mut self, cond: u32, accept: u32, reject: u32) -> Res<Vec<Value>> {
        let (cond, accept, reject) = (self.words(cond)?, self.as_words(accept)?, self.as_words(reject)?);
        // Words of a component; one condition may choose a whole struct.
        let each = if cond.len() == 1 { accept.len().max(1) } else { self.words_each(self.m.insts[self.n].ty) };
        if accept.len() != reject.len() || cond.len() * each < accept.len() || cond.is_empty() {
            return self.invalid("operands of different sizes");
        }
        let of = |k: usize| cond[k / each];
        Ok((0..accept.len()).map(|k| self.e.b.select(of(k), accept[k], reject[k])).collect())
    }

    /// Word `index` of some, the last one for an index outside.
    pub fn chosen(&mut self, words: &[Value], index: Value) -> Value {
        if let Some(k) = self.e.b.known(index) {
            return words[(k as usize).min(words.len() - 1)];
        }
        let mut value = words[0];
        for (k, &word) in words.iter().enumerate().skip(1) {
            let number = self.e.b.constant(k as u32);
            let op = if k + 1 == words.len() { M::USetGe } else { M::ISetEq };
            let here = self.e.b.alu2(op, index, number);
            value = self.e.b.select(here, word, value);
        }
        value
    }

    fn slice(&self, words: &[Value], at: u32, count: u32) -> Res<Vec<Value>> {
        match words.get(at as usize..at as usize + count as usize) {
            Some(words) => Ok(words.to_vec()),
            None => self.invalid("the part is outside of the value"),
        }
    }

    /// The part of a composite type that literal indices lead to: its first word, type, words.
    pub fn part(&mut self, ty: u32, indices: &[u32]) -> Res<(u32, u32, u32)> {
        let m = self.m;
        let (mut at, mut ty) = (0, ty);
        for &index in indices {
            let Some(def) = m.def(ty) else { return self.invalid("a part of something without a type") };
            let (first, count, next) = match def.op {
                Op::TypeVector | Op::TypeMatrix => {
                    let words = self.words_of(def.args[0])?;
                    (index.saturating_mul(words), def.args[1], def.args[0])
                }
                Op::TypeArray => {
                    let words = self.words_of(def.args[0])?;
                    (index.saturating_mul(words), self.constant_word(def.args[1])?, def.args[0])
                }
                Op::TypeStruct => {
                    let Some(&next) = def.args.get(index as usize) else {
                        return self.invalid(format!("{} has no member {index}", m.called(ty)));
                    };
                    let mut first = 0;
                    for &member in &def.args[..index as usize] {
                        first = self.words_of(member)?.saturating_add(first);
                    }
                    (first, def.args.len() as u32, next)
                }
                _ => return self.invalid(format!("{} has no parts", m.called(ty))),
            };
            if index >= count {
                return self.invalid(format!("{} has no part {index}", m.called(ty)));
            }
            (at, ty) = (first.saturating_add(at), next);
        }
        let words = self.words_of(ty)?;
        Ok((at, ty, words))
    }

    /// The same bits as another type. Numbers of 8 and 16 bits lie in a word each.
    fn bitcast(&mut self, from: u32, ty: u32) -> Res<Vec<Value>> {
        let words = self.words(from)?;
        // 64 bits are the same words as two of 32.
        let (from, to) = (self.bits_of(from).min(32), self.bits(ty).min(32));
        if from == to {
            return Ok(words);
        }
        if from < to {
            let parts = (to / from) as usize;
            return Ok(words.chunks(parts).map(|parts| self.joined(parts, from)).collect());
        }
        let parts = words.iter().flat_map(|&w| (0..from / to).map(move |k| (w, k)));
        Ok(parts.map(|(w, k)| self.e.b.alu_imm(M::Shr, w, k * to)).collect())
    }

    fn joined(&mut self, parts: &[Value], bits: u32) -> Value {
        let mut word = self.extend(parts[0], bits, false);
        for (k, &part) in parts.iter().enumerate().skip(1) {
            let part = self.extend(part, bits, false);
            let part = self.e.b.alu_imm(M::Shl, part, k as u32 * bits);
            word = self.e.b.alu2(M::Or, word, part);
        }
        word
    }
}
