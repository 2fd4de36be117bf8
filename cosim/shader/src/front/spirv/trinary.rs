//! The least, the greatest and the middle of three (`SPV_AMD_shader_trinary_minmax`), which
//! compilers of HLSL and GLSL write. The middle is the greater of the least two and of the least of
//! the greater of them and the third.

use super::arith::Read;
use super::lower::Lower;
use super::module::Res;
use crate::ssa::Value;
use quadlock_isa::Op as M;

impl Lower<'_, '_> {
    /// An instruction of the set, by number.
    pub fn trinary(&mut self, number: u32, a: &[u32]) -> Res<Vec<Value>> {
        let (min, max, read) = match number % 3 {
            1 => (M::FMin, M::FMax, Read::Any),
            2 => (M::UMin, M::UMax, Read::Unsigned),
            _ => (M::SMin, M::SMax, Read::Signed),
        };
        if !(1..=9).contains(&number) || a.len() != 3 {
            return self.invalid(format!("there is no instruction {number} of three operands in the set"));
        }
        if a.iter().any(|&id| self.bits_of(id) == 64) {
            return self.refuse("this is not supported on 64 bits", "use 32 bits");
        }
        self.no_half()?;
        let args = self.all(a, read)?;
        self.zipped(args, |l, x| {
            let b = &mut l.e.b;
            let (low, high) = (b.alu2(min, x[0], x[1]), b.alu2(max, x[0], x[1]));
            Ok(match number {
                1..=3 => b.alu2(min, low, x[2]),
                4..=6 => b.alu2(max, high, x[2]),
                _ => {
                    let rest = b.alu2(min, high, x[2]);
                    b.alu2(max, low, rest)
                }
            })
        })
    }
}
