//! Matrices, column by column: products, transpose, determinant, inverse (by cofactors).

use super::cx::{Cx, Res};
use super::types::Shape;
use crate::ssa::Value;
use quadlock_isa::Op;

/// (columns, rows); a vector is a single column, a scalar 1 by 1.
fn size(shape: Shape) -> (usize, usize) {
    match shape {
        Shape::Matrix { columns, rows, .. } => (columns as usize, rows as usize),
        Shape::Vector { size, .. } => (1, size as usize),
        _ => (1, 1),
    }
}

impl<'a> Cx<'_, 'a> {
    /// Every product in which at least one side is a matrix.
    pub fn matrix_multiply(&mut self, ls: Shape, a: &[Value], rs: Shape, b: &[Value]) -> Res<Vec<Value>> {
        if let Shape::Scalar(_) = ls {
            return Ok(b.iter().map(|&x| self.b.alu2(Op::FMul, a[0], x)).collect());
        }
        if let Shape::Scalar(_) = rs {
            return Ok(a.iter().map(|&x| self.b.alu2(Op::FMul, x, b[0])).collect());
        }
        if let Shape::Vector { .. } = ls {
            // Row vector times matrix: one dot product per column.
            let (columns, rows) = size(rs);
            return Ok((0..columns).map(|c| self.dot(a, &b[c * rows..(c + 1) * rows], true)).collect());
        }
        let (inner, rows) = size(ls);
        let (columns, _) = size(rs);
        let mut out = Vec::with_capacity(columns * rows);
        for column in 0..columns {
            for row in 0..rows {
                let across: Vec<Value> = (0..inner).map(|k| a[k * rows + row]).collect();
                out.push(self.dot(&across, &b[column * inner..(column + 1) * inner], true));
            }
        }
        Ok(out)
    }

    /// Column j of the result is `a * b[j]`.
    pub fn outer(&mut self, a: &[Value], b: &[Value]) -> Vec<Value> {
        let mut out = Vec::new();
        for &y in b {
            out.extend(a.iter().map(|&x| self.b.alu2(Op::FMul, x, y)));
        }
        out
    }

    pub fn transpose(&mut self, shape: Shape, m: &[Value]) -> Vec<Value> {
        let (columns, rows) = size(shape);
        (0..rows).flat_map(|r| (0..columns).map(move |c| (c, r))).map(|(c, r)| m[c * rows + r]).collect()
    }

    /// Determinant of the square matrix left when the given rows and columns are kept.
    fn minor(&mut self, m: &[Value], order: usize, columns: &[usize], rows: &[usize]) -> Value {
        let at = |c: usize, r: usize| m[columns[c] * order + rows[r]];
        match columns.len() {
            1 => at(0, 0),
            2 => {
                let minus = self.b.alu2(Op::FMul, at(1, 0), at(0, 1));
                let plus = self.b.alu2(Op::FMul, at(0, 0), at(1, 1));
                self.b.alu2(Op::FSub, plus, minus)
            }
            n => {
                let mut sum = None;
                for c in 0..n {
                    let others: Vec<usize> =
                        columns.iter().enumerate().filter(|&(i, _)| i != c).map(|(_, &x)| x).collect();
                    let cofactor = self.minor(m, order, &others, &rows[1..]);
                    let first = at(c, 0);
                    sum = Some(match sum {
                        None => self.b.alu2(Op::FMul, first, cofactor),
                        Some(s) => self.b.alu3(if c % 2 == 0 { Op::FFma } else { Op::FNma }, first, cofactor, s),
                    });
                }
                sum.unwrap_or(m[0])
            }
        }
    }

    pub fn determinant(&mut self, shape: Shape, m: &[Value]) -> Res<Value> {
        let (order, rows) = size(shape);
        if order != rows {
            return Err(self.refuse("the determinant of a matrix that is not square"));
        }
        let all: Vec<usize> = (0..order).collect();
        Ok(self.minor(m, order, &all, &all))
    }

    /// Transposed cofactors over the determinant.
    pub fn inverse(&mut self, shape: Shape, m: &[Value]) -> Res<Vec<Value>> {
        let determinant = self.determinant(shape, m)?;
        let (order, _) = size(shape);
        let one = self.b.float(1.0);
        let scale = self.float_divide(one, determinant)?;
        let mut out = Vec::new();
        for column in 0..order {
            for row in 0..order {
                // Element (column, row) of the inverse is the cofactor of (row, column).
                let columns: Vec<usize> = (0..order).filter(|&c| c != row).collect();
                let rows: Vec<usize> = (0..order).filter(|&r| r != column).collect();
                let minor = self.minor(m, order, &columns, &rows);
                let value = self.b.alu2(Op::FMul, minor, scale);
                out.push(if (column + row) % 2 == 0 { value } else { self.negate(value) });
            }
        }
        Ok(out)
    }
}
