//! Expressions. naga says in `Statement::Emit` where an expression is evaluated; literals,
//! constants and variables have no such place and are made where they are used. Operations on
//! vectors are taken component by component.

use super::cx::{Cx, Operand, Res};
use super::types::number_kind;
use crate::front::emit::place::{Base, Place};
use crate::front::emit::types::{NumberKind, Shape, MAX_VALUE_WORDS};
use crate::ssa::Value;
use naga::{
    BinaryOperator, DerivativeAxis, Expression, Handle, Literal, RelationalFunction, ScalarKind, SwizzleComponent,
    UnaryOperator,
};
use quadlock_isa::Op;

/// What a composite constant is made of: naga's function expressions and global expressions alike.
fn literal_bits(literal: Literal) -> Result<u32, String> {
    Ok(match literal {
        Literal::F32(x) => x.to_bits(),
        Literal::U32(x) => x,
        Literal::I32(x) => x as u32,
        Literal::Bool(x) => u32::from(x),
        Literal::AbstractInt(x) => x as u32,
        Literal::AbstractFloat(x) => (x as f32).to_bits(),
        Literal::F64(_) => return Err("the type f64 is not supported".into()),
        Literal::F16(_) => return Err("the type f16 is not supported".into()),
        Literal::U64(_) | Literal::I64(_) => return Err("64-bit integers are not supported".into()),
        Literal::U16(_) | Literal::I16(_) => return Err("16-bit integers are not supported".into()),
    })
}

impl<'a> Cx<'_, 'a> {
    /// Evaluates an expression here and keeps its value.
    pub fn emit(&mut self, expr: Handle<Expression>) -> Res<()> {
        self.at(self.f.fun.expressions.get_span(expr));
        let operand = self.evaluate(expr)?;
        self.f.values[expr.index()] = Some(operand);
        Ok(())
    }

    pub fn operand(&mut self, expr: Handle<Expression>) -> Res<Operand> {
        match &self.f.values[expr.index()] {
            Some(operand) => Ok(operand.clone()),
            None => self.evaluate(expr),
        }
    }
    /// The packed words of a value.
    pub fn words(&mut self, expr: Handle<Expression>) -> Res<Vec<Value>> {
        match self.operand(expr)? {
            Operand::Words(words) => Ok(words),
            Operand::Place(_) => Err(self.refuse("a pointer is used as a value")),
        }
    }
    /// The value of a scalar.
    pub fn word(&mut self, expr: Handle<Expression>) -> Res<Value> {
        match self.words(expr)?[..] {
            [word] => Ok(word),
            _ => Err(self.refuse("internal: a scalar was expected")),
        }
    }
    pub fn place(&mut self, expr: Handle<Expression>) -> Res<Place> {
        match self.operand(expr)? {
            Operand::Place(place) => Ok(place),
            Operand::Words(_) => Err(self.refuse("internal: a pointer was expected")),
        }
    }

    fn evaluate(&mut self, expr: Handle<Expression>) -> Res<Operand> {
        let words = match &self.f.fun.expressions[expr] {
            Expression::FunctionArgument(index) => return Ok(self.f.args[*index as usize].clone()),
            Expression::GlobalVariable(var) => return self.global(*var).map(Operand::Place),
            Expression::LocalVariable(var) => return self.local(*var).map(Operand::Place),
            Expression::Access { base, index } => return self.access(*base, *index),
            Expression::AccessIndex { base, index } => return self.access_index(*base, *index),
            Expression::Load { pointer } => {
                let place = self.place(*pointer)?;
                if matches!(place.shape, Shape::Atomic(_)) {
                    // Another thread may change it: a loop that waits for that must read it each
                    // time.
                    self.fence(false);
                }
                self.load(place)?
            }
            Expression::Literal(literal) => {
                let bits = self.named(literal_bits(*literal))?;
                vec![self.b.constant(bits)]
            }
            Expression::Constant(constant) => self.global_constant(self.unit.module.constants[*constant].init)?,
            Expression::ZeroValue(ty) => self.zero_value(*ty)?,
            Expression::Compose { components, .. } => {
                let mut words = Vec::new();
                for &component in components {
                    words.extend(self.words(component)?);
                }
                words
            }
            Expression::Splat { size, value } => vec![self.word(*value)?; *size as usize],
            Expression::Swizzle { size, vector, pattern } => self.swizzle(*vector, &pattern[..*size as usize])?,
            Expression::Unary { op, expr } => self.unary(*op, *expr)?,
            Expression::Binary { op, left, right } => self.binary(*op, *left, *right)?,
            Expression::Select { condition, accept, reject } => self.select(*condition, *accept, *reject)?,
            Expression::Derivative { axis, expr, .. } => self.derivative(*axis, *expr)?,
            Expression::Relational { fun, argument } => self.relational(*fun, *argument)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let args: Vec<_> = [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten().collect();
                self.math(*fun, &args)?
            }
            Expression::As { expr: from, kind, convert } => {
                self.shape(expr)?;
                self.convert(*from, *kind, convert.is_some())?
            }
            Expression::ArrayLength(pointer) => {
                let place = self.place(*pointer)?;
                vec![self.array_length(place)?]
            }
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. } => {
                return Err(self.refuse("internal: a result is used before its statement"))
            }
            other => return Err(self.refuse(format!("{} not supported", unsupported(other)))),
        };
        Ok(Operand::Words(words))
    }

    fn local(&mut self, var: Handle<naga::LocalVariable>) -> Res<Place> {
        let shape = self.type_shape(self.f.fun.local_variables[var].ty)?;
        let Some(&slot) = self.f.locals.get(var.index()) else {
            return Err(self.refuse("internal: a variable before its declaration"));
        };
        Ok(Place { base: Base::Slot { slot, word: 0 }, shape })
    }

    fn zero_value(&mut self, ty: Handle<naga::Type>) -> Res<Vec<Value>> {
        let shape = self.type_shape(ty)?;
        let words = self.words_in(shape)?;
        if words > MAX_VALUE_WORDS {
            return Err(self.refuse(format!("a value of {words} words is too large")));
        }
        Ok(self.zeros(words))
    }

    /// A constant expression of the module.
    pub fn global_constant(&mut self, expr: Handle<Expression>) -> Res<Vec<Value>> {
        match &self.unit.module.global_expressions[expr] {
            Expression::Literal(literal) => {
                let bits = self.named(literal_bits(*literal))?;
                Ok(vec![self.b.constant(bits)])
            }
            Expression::Constant(constant) => self.global_constant(self.unit.module.constants[*constant].init),
            Expression::ZeroValue(ty) => self.zero_value(*ty),
            Expression::Compose { components, .. } => {
                let mut words = Vec::new();
                for &component in components {
                    words.extend(self.global_constant(component)?);
                }
                Ok(words)
            }
            Expression::Splat { size, value } => {
                let value = self.global_constant(*value)?;
                Ok(vec![value[0]; *size as usize])
            }
            _ => {
                Err(self
                    .refuse_help("this constant expression was not evaluated", "use literals and simpler arithmetic"))
            }
        }
    }

    fn access(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Res<Operand> {
        let index = self.word(index)?;
        let words = match self.operand(base)? {
            Operand::Place(place) => return self.place_dynamic(place, index).map(Operand::Place),
            Operand::Words(words) => words,
        };
        let shape = self.shape(base)?;
        if let Some(index) = self.b.known(index) {
            return self.element_words(shape, &words, index).map(Operand::Words);
        }
        if let Shape::Vector { .. } = shape {
            let mut value = words[0];
            for (i, &word) in words.iter().enumerate().skip(1) {
                let number = self.b.constant(i as u32);
                // The last component also answers for every index behind it.
                let op = if i + 1 == words.len() { Op::USetGe } else { Op::ISetEq };
                let here = self.b.alu2(op, index, number);
                value = self.b.select(here, word, value);
            }
            return Ok(Operand::Words(vec![value]));
        }
        let place = self.spill(&words, shape, "indexed");
        let place = self.place_dynamic(place, index)?;
        self.load(place).map(Operand::Words)
    }

    fn access_index(&mut self, base: Handle<Expression>, index: u32) -> Res<Operand> {
        match self.operand(base)? {
            Operand::Place(place) => self.place_at(place, index).map(Operand::Place),
            Operand::Words(words) => {
                let shape = self.shape(base)?;
                self.element_words(shape, &words, index).map(Operand::Words)
            }
        }
    }

    fn element_words(&mut self, shape: Shape, words: &[Value], index: u32) -> Res<Vec<Value>> {
        let index = index.min(shape.count(&self.p.types).unwrap_or(1).saturating_sub(1));
        let (element, word, _) = self.named(shape.element(&self.p.types, index))?;
        let count = self.words_in(element)?;
        Ok(words[word as usize..(word + count) as usize].to_vec())
    }

    fn swizzle(&mut self, vector: Handle<Expression>, pattern: &[SwizzleComponent]) -> Res<Vec<Value>> {
        let words = self.words(vector)?;
        Ok(pattern.iter().map(|&c| words[c as usize]).collect())
    }

    fn unary(&mut self, op: UnaryOperator, expr: Handle<Expression>) -> Res<Vec<Value>> {
        let float = self.shape(expr)?.is_float();
        let boolean = self.shape(expr)?.is_bool();
        let words = self.words(expr)?;
        Ok(words
            .into_iter()
            .map(|x| match op {
                UnaryOperator::Negate if float => self.negate(x),
                UnaryOperator::Negate => {
                    let zero = self.b.constant(0);
                    self.b.alu2(Op::ISub, zero, x)
                }
                UnaryOperator::LogicalNot => self.b.alu_imm(Op::Xor, x, 1),
                UnaryOperator::BitwiseNot if boolean => self.b.alu_imm(Op::Xor, x, 1),
                UnaryOperator::BitwiseNot => self.b.alu_imm(Op::Xor, x, u32::MAX),
            })
            .collect())
    }

    fn binary(&mut self, op: BinaryOperator, left: Handle<Expression>, right: Handle<Expression>) -> Res<Vec<Value>> {
        let (ls, rs) = (self.shape(left)?, self.shape(right)?);
        let (a, b) = (self.words(left)?, self.words(right)?);
        let matrix = |s| matches!(s, Shape::Matrix { .. });
        if op == BinaryOperator::Multiply && (matrix(ls) || matrix(rs)) {
            return Ok(self.matrix_multiply(ls, &a, rs, &b));
        }
        let count = a.len().max(b.len());
        let pick = |v: &[Value], i: usize| if v.len() == 1 { v[0] } else { v[i] };
        (0..count).map(|i| self.binary1(op, ls, pick(&a, i), pick(&b, i))).collect()
    }

    fn binary1(&mut self, op: BinaryOperator, shape: Shape, a: Value, b: Value) -> Res<Value> {
        use BinaryOperator as B;
        let (float, signed) = (shape.is_float(), shape.is_signed());
        let choose = |f: Op, s: Op, u: Op| {
            if float {
                f
            } else if signed {
                s
            } else {
                u
            }
        };
        let instruction = match op {
            B::Add => choose(Op::FAdd, Op::IAdd, Op::IAdd),
            B::Subtract => choose(Op::FSub, Op::ISub, Op::ISub),
            B::Multiply => choose(Op::FMul, Op::IMul, Op::IMul),
            B::Divide if float => return self.float_divide(a, b),
            B::Divide => return self.int_divide(a, b, signed),
            B::Modulo if float => return self.float_remainder(a, b, "ql_trunc"),
            B::Modulo => return self.int_remainder(a, b, signed),
            B::Equal => choose(Op::FSetEq, Op::ISetEq, Op::ISetEq),
            B::NotEqual => choose(Op::FSetNe, Op::ISetNe, Op::ISetNe),
            B::Less => choose(Op::FSetLt, Op::SSetLt, Op::USetLt),
            B::LessEqual => choose(Op::FSetLe, Op::SSetLe, Op::USetLe),
            B::Greater => choose(Op::FSetGt, Op::SSetGt, Op::USetGt),
            B::GreaterEqual => choose(Op::FSetGe, Op::SSetGe, Op::USetGe),
            B::And | B::LogicalAnd => Op::And,
            B::InclusiveOr | B::LogicalOr => Op::Or,
            B::ExclusiveOr => Op::Xor,
            B::ShiftLeft => Op::Shl,
            B::ShiftRight => choose(Op::Shr, Op::Sar, Op::Shr),
        };
        // The library's functions have stated errors, of the operations as they stand.
        let exact = self.unit.is_prelude;
        Ok(self.b.written(instruction, &[a, b], exact))
    }

    fn select(
        &mut self,
        condition: Handle<Expression>,
        accept: Handle<Expression>,
        reject: Handle<Expression>,
    ) -> Res<Vec<Value>> {
        let cond = self.words(condition)?;
        let (accept, reject) = (self.words(accept)?, self.words(reject)?);
        let pairs = accept.into_iter().zip(reject).enumerate();
        Ok(pairs.map(|(i, (a, r))| self.b.select(if cond.len() == 1 { cond[0] } else { cond[i] }, a, r)).collect())
    }

    fn derivative(&mut self, axis: DerivativeAxis, expr: Handle<Expression>) -> Res<Vec<Value>> {
        let words = self.words(expr)?;
        Ok(words
            .into_iter()
            .map(|x| match axis {
                DerivativeAxis::X => self.b.alu1(Op::Ddx, x),
                DerivativeAxis::Y => self.b.alu1(Op::Ddy, x),
                DerivativeAxis::Width => self.fwidth(x),
            })
            .collect())
    }

    fn relational(&mut self, fun: RelationalFunction, argument: Handle<Expression>) -> Res<Vec<Value>> {
        let words = self.words(argument)?;
        let fold = |cx: &mut Self, op| {
            let first = words[0];
            vec![words[1..].iter().fold(first, |acc, &w| cx.b.alu2(op, acc, w))]
        };
        Ok(match fun {
            RelationalFunction::All => fold(self, Op::And),
            RelationalFunction::Any => fold(self, Op::Or),
            RelationalFunction::IsNan => words.iter().map(|&x| self.b.alu2(Op::FSetNe, x, x)).collect(),
            RelationalFunction::IsInf => words.iter().map(|&x| self.is_infinite(x)).collect(),
        })
    }

    fn convert(&mut self, from: Handle<Expression>, to: ScalarKind, convert: bool) -> Res<Vec<Value>> {
        let shape = self.shape(from)?;
        let words = self.words(from)?;
        let Some(scalar) = shape.scalar() else { return Err(self.refuse("this conversion is not supported")) };
        if !convert {
            return Ok(words);
        }
        use NumberKind as K;
        Ok(words
            .into_iter()
            .map(|x| match (scalar.kind, number_kind(to)) {
                (K::Float, K::Sint) => self.b.alu1(Op::F2I, x),
                (K::Float, K::Uint) => self.b.alu1(Op::F2U, x),
                (K::Sint, K::Float) => self.b.alu1(Op::I2F, x),
                (K::Uint, K::Float) => self.b.alu1(Op::U2F, x),
                (K::Bool, K::Float) => {
                    let (one, zero) = (self.b.float(1.0), self.b.constant(0));
                    self.b.select(x, one, zero)
                }
                (K::Float, K::Bool) => {
                    let zero = self.b.constant(0);
                    self.b.alu2(Op::FSetNe, x, zero)
                }
                (K::Sint | K::Uint, K::Bool) => {
                    let zero = self.b.constant(0);
                    self.b.alu2(Op::ISetNe, x, zero)
                }
                _ => x,
            })
            .collect())
    }
}

fn unsupported(expr: &Expression) -> &'static str {
    match expr {
        Expression::ImageSample { .. } => "texture sampling is",
        Expression::ImageLoad { .. } => "textureLoad is",
        Expression::ImageQuery { .. } => "texture queries are",
        Expression::RayQueryVertexPositions { .. }
        | Expression::RayQueryProceedResult
        | Expression::RayQueryGetIntersection { .. } => "ray queries are",
        Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. } => "cooperative matrices are",
        Expression::Override(_) => "an override without a value is",
        _ => "this expression is",
    }
}
