//! Matrices, column by column: products, transpose, determinant, inverse (by cofactors).

use super::cx::{Emit, Res};
use crate::ssa::Value;
use quadlock_isa::Op;

/// Columns and rows; a vector is a single column, a scalar 1 by 1.
pub type Size = (usize, usize);

impl Emit<'_> {
    /// A matrix times a matrix or a column vector.
    pub fn matrix_product(&mut self, left: Size, a: &[Value], right: Size, b: &[Value]) -> Vec<Value> {
        let (inner, rows) = left;
        let (columns, _) = right;
        let mut out = Vec::with_capacity(columns * rows);
        for column in 0..columns {
            for row in 0..rows {
                let across: Vec<Value> = (0..inner).map(|k| a[k * rows + row]).collect();
                out.push(self.dot(&across, &b[column * inner..(column + 1) * inner], true));
            }
        }
        out
    }

    /// A row vector times a matrix: one dot product per column.
    pub fn row_product(&mut self, a: &[Value], right: Size, b: &[Value]) -> Vec<Value> {
        let (columns, rows) = right;
        (0..columns).map(|c| self.dot(a, &b[c * rows..(c + 1) * rows], true)).collect()
    }

    /// Column j of the result is `a * b[j]`.
    pub fn outer(&mut self, a: &[Value], b: &[Value]) -> Vec<Value> {
        let mut out = Vec::new();
        for &y in b {
            out.extend(a.iter().map(|&x| self.b.alu2(Op::FMul, x, y)));
        }
        out
    }

    pub fn transpose(&self, (columns, rows): Size, m: &[Value]) -> Vec<Value> {
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

    /// Of a square matrix.
    pub fn determinant(&mut self, order: usize, m: &[Value]) -> Value {
        let all: Vec<usize> = (0..order).collect();
        self.minor(m, order, &all, &all)
    }

    /// Transposed cofactors over the determinant.
    pub fn inverse(&mut self, order: usize, m: &[Value]) -> Res<Vec<Value>> {
        let determinant = self.determinant(order, m);
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
