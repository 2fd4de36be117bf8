//! Cells of blending floats, against native f32 and `rustc_apfloat`: every half as a factor,
//! products, sums, shares and roundings, at random and at the ends. Icarus runs the Verilog.

use crate::common::cell::{check_cell, vectors};
use quadlock_hdl::base::testing::settle;
use quadlock_hdl::cell::blend::{
    FactorNormal, FactorStart, FloatShare, HalfLesser, HalfNormal, HalfProduct, HalfScale, ProductRound, RoundHalf,
    SumAlign, SumNormal, SumPack, SumPart, SumPlaces, SumTotal, WordOrder,
};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

pub fn widen(half: u32) -> f32 {
    let single: Single = Half::from_bits((half & 0xFFFF).into()).convert(&mut false).value;
    f32::from_bits(single.to_bits() as u32)
}

pub fn narrow(x: f32) -> u32 {
    if x.is_nan() {
        return 0x7E00;
    }
    let half: Half = Single::from_bits(x.to_bits().into()).convert_r(Round::NearestTiesToEven, &mut false).value;
    half.to_bits() as u32
}

/// A half, often at an end of its range.
pub fn half(rng: &mut impl RngCore) -> u32 {
    const ENDS: [u32; 14] = [0, 1, 2, 3, 0x3FF, 0x400, 0x401, 0x3BFF, 0x3C00, 0x3C01, 0x3800, 0x7BFF, 0x7C00, 0x7E01];
    let sign = rng.random_range(0..2) << 15;
    sign | match rng.random_range(0..4) {
        0 => ENDS[rng.random_range(0..ENDS.len())],
        1 => rng.random_range(0x3000..0x4800),
        2 => rng.random_range(0..0x800),
        _ => rng.random_range(0..0x8000),
    }
}

fn finite(rng: &mut impl RngCore) -> u32 {
    loop {
        let h = half(rng);
        if h & 0x7C00 != 0x7C00 {
            return h;
        }
    }
}

/// Exponent plus 10 and significand of a half, by counting.
fn normal(half: u32) -> (u32, u32) {
    let x = widen(half & 0x7FFF);
    if x == 0.0 {
        return (50, 0);
    }
    ((x.to_bits() >> 23).wrapping_sub(112) & 63, x.to_bits() >> 13 & 0x3FF | 0x400)
}

#[test]
fn a_half_is_normalised() {
    let all: Vec<Vec<u32>> = (0..0x7C00).map(|h| vec![h]).collect();
    check_cell!("half_normal", HalfNormal, all, in half: 16; out exponent: 6, significand: 11; |row| {
        let (exponent, significand) = normal(row[0]);
        vec![exponent, significand]
    });
}

struct Factor {
    start: FactorStart,
    normal: FactorNormal,
}

impl Factor {
    fn new() -> Self {
        let (mut start, mut normal) = (FactorStart::default(), FactorNormal::default());
        start.connect_all();
        normal.connect_all();
        Self { start, normal }
    }

    /// The factor as f32.
    fn of(&mut self, half: u32, inverts: bool) -> f32 {
        self.start.half.next = u64::from(half).into();
        self.start.inverts.next = inverts;
        settle(&mut self.start);
        self.normal.sum.next = self.start.sum.val();
        self.normal.exponent.next = self.start.exponent.val();
        settle(&mut self.normal);
        let (field, significand) = (self.normal.field.val().to_u32(), self.normal.significand.val().to_u32());
        let magnitude = if significand == 0 {
            0
        } else {
            (field.wrapping_add(113).wrapping_sub((field & 0x20) << 1)) << 23 | significand & 0x7F_FFFF
        };
        assert!(significand == 0 || significand >> 23 == 1, "{half:x} is not normal");
        f32::from_bits(magnitude | u32::from(self.start.negative.val()) << 31)
    }
}

/// All halves that are finite, and one less each.
#[test]
fn a_factor_is_rounded_once() {
    let mut factor = Factor::new();
    for h in (0..0x1_0000).filter(|h| h & 0x7C00 != 0x7C00) {
        assert_eq!(factor.of(h, false).to_bits(), widen(h).to_bits(), "{h:x}");
        assert_eq!(factor.of(h, true).to_bits(), (1.0 - widen(h)).to_bits(), "1 - {h:x}");
    }
    // Both descriptions.
    check_cell!("factor_start", FactorStart, vectors(1, |rng| vec![half(rng), rng.random_range(0..2)]),
    in half: 16, inverts: 1; out sum: 27, exponent: 5, negative: 1; |row| {
        let mut cell = FactorStart::default();
        cell.connect_all();
        cell.half.next = u64::from(row[0]).into();
        cell.inverts.next = row[1] == 1;
        settle(&mut cell);
        vec![cell.sum.val().to_u32(), cell.exponent.val().to_u32(), cell.negative.val().into()]
    });
    let sums = vectors(2, |rng| {
        let sum = (rng.random::<u32>() & 0x3FF_FFFF | 0x400_0000) >> rng.random_range(0..4);
        let short = (rng.random::<u32>() & 0x1FFF) >> rng.random_range(0..14) << 14;
        vec![if rng.random_bool(0.5) { sum } else { short }, rng.random_range(1..31)]
    });
    check_cell!("factor_normal", FactorNormal, sums, in sum: 27, exponent: 5; out field: 6, significand: 24, zero: 1; |row| {
        let zeros = if row[0] == 0 { 0 } else { row[0].leading_zeros() - 5 };
        let all = row[0] << zeros & 0x7FF_FFFF;
        let low = (all >> 3) + u32::from(all >> 2 & 3 == 3);
        vec![row[1].wrapping_sub(zeros) & 63, all >> 3 & 0xFF_F000 | low & 0xFFF, (row[0] == 0).into()]
    });
}

/// The lesser of two as FMIN has it, by rank.
fn least(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a.total_cmp(&b).is_le() => a,
        _ => b,
    }
}

#[test]
fn the_lesser_alpha_is_that_of_fmin() {
    let mut start = FactorStart::default();
    start.connect_all();
    let rows = vectors(4, |rng| vec![half(rng), half(rng)]);
    let near = vectors(5, |rng| {
        let other = half(rng);
        let own = narrow(1.0 - widen(other)).wrapping_add(rng.random_range(0..3)).wrapping_sub(1) & 0xFFFF;
        vec![own, other]
    });
    let mut scale = HalfScale::default();
    scale.connect_all();
    let prepare = |mut row: Vec<u32>| {
        start.half.next = u64::from(row[1]).into();
        start.inverts.next = true;
        settle(&mut start);
        scale.half.next = u64::from(row[0]).into();
        scale.exponent.next = start.exponent.val();
        settle(&mut scale);
        row.extend([scale.magnitude.val().to_u32(), scale.huge.val().into()]);
        row.extend([start.sum.val().to_u32(), start.negative.val().into()]);
        row
    };
    let rows: Vec<Vec<u32>> = rows.into_iter().chain(near).map(prepare).collect();
    fn lesser(row: &[u32]) -> bool {
        let mut cell = HalfLesser::default();
        cell.connect_all();
        cell.own.next = u64::from(row[0]).into();
        cell.other.next = u64::from(row[1]).into();
        cell.magnitude.next = u64::from(row[2]).into();
        cell.huge.next = row[3] == 1;
        cell.sum.next = u64::from(row[4]).into();
        cell.negative.next = row[5] == 1;
        settle(&mut cell);
        cell.lesser.val()
    }
    for row in &rows {
        let (own, rest) = (widen(row[0]), 1.0 - widen(row[1]));
        let chosen = if lesser(row) { rest } else { own };
        let wanted = least(own, rest);
        assert!(chosen.to_bits() == wanted.to_bits() || (chosen.is_nan() && wanted.is_nan()), "{row:x?}");
    }
    let ports = |row: &Vec<u32>| vec![row[0], row[2], row[3], row[1], row[4], row[5]];
    check_cell!("half_lesser", HalfLesser, rows.iter().map(ports).collect(), in own: 16, magnitude: 27, huge: 1,
        other: 16, sum: 27, negative: 1; out lesser: 1;
        |row| vec![lesser(&[row[0], row[3], row[1], row[2], row[4], row[5]]).into()]);
    check_cell!("half_scale", HalfScale, vectors(6, |rng| vec![half(rng), rng.random_range(15..31)]),
    in half: 16, exponent: 5; out magnitude: 27, huge: 1; |row| {
        let field = (row[0] >> 10 & 31).max(1);
        let significand = row[0] & 0x3FF | u32::from(row[0] >> 10 & 31 > 0) << 10;
        let place = field as i32 + 14 - row[1] as i32;
        vec![if place < 0 { 0 } else { significand << ((place & 15) + 1) }, (place > 15).into()]
    });
}

#[test]
fn the_lesser_and_the_greater_are_one_of_both() {
    let rows = vectors(6, |rng| {
        let (a, b) = (half(rng), half(rng));
        vec![a, if rng.random_bool(0.2) { a ^ rng.random_range(0..2) << 15 } else { b }, 1, rng.random_range(0..2)]
    });
    check_cell!("word_order", WordOrder, rows, in source: 16, destination: 16, halves: 1, greater: 1;
    out second: 1, nan: 1; |row| {
        let (s, d) = (widen(row[0]), widen(row[1]));
        let second = match (s.is_nan(), d.is_nan()) {
            (true, _) => true,
            (_, true) => false,
            _ if row[3] == 1 => d.total_cmp(&s).is_gt(),
            _ => d.total_cmp(&s).is_lt(),
        };
        vec![second.into(), (s.is_nan() && d.is_nan()).into()]
    });
}

/// A half times a factor, as f32.
struct Product {
    factor: Factor,
    half: HalfNormal,
    product: HalfProduct,
    round: ProductRound,
}

impl Product {
    fn new() -> Self {
        let mut p = Self {
            factor: Factor::new(),
            half: HalfNormal::default(),
            product: HalfProduct::default(),
            round: ProductRound::default(),
        };
        p.half.connect_all();
        p.product.connect_all();
        p.round.connect_all();
        p
    }

    fn of(&mut self, half: u32, factor: u32, inverts: bool) -> f32 {
        let sign = self.factor.of(factor, inverts).is_sign_negative() != (half & 0x8000 != 0);
        self.half.half.next = u64::from(half).into();
        settle(&mut self.half);
        self.product.half.next = self.half.significand.val();
        self.product.factor.next = self.factor.normal.significand.val();
        settle(&mut self.product);
        self.round.product.next = self.product.product.val();
        // Two's complement of 6 bits.
        let wide = |e: Bits<6>| e.to_u64() | (e.to_u64() & 0x20) << 1;
        let exponent = wide(self.half.exponent.val()) + wide(self.factor.normal.field.val());
        self.round.exponent.next = bits(exponent & 0x7F);
        settle(&mut self.round);
        f32::from_bits(self.round.magnitude.val().to_u32() | u32::from(sign) << 31)
    }
}

#[test]
fn a_product_is_rounded_once() {
    let mut product = Product::new();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..200_000 {
        let (h, f, inverts) = (finite(&mut rng), finite(&mut rng), rng.random_bool(0.7));
        let factor = if inverts { 1.0 - widen(f) } else { widen(f) };
        let wanted = widen(h) * factor;
        assert_eq!(product.of(h, f, inverts).to_bits(), wanted.to_bits(), "{h:x} * {f:x}, {inverts}");
    }
}

/// Two f32, and the ways of their sum.
struct Sum {
    align: SumAlign,
    part: SumPart,
    total: SumTotal,
    places: SumPlaces,
    pack: SumPack,
    normal: SumNormal,
    half: RoundHalf,
}

impl Sum {
    fn new() -> Self {
        let mut s = Self {
            align: SumAlign::default(),
            part: SumPart::default(),
            total: SumTotal::default(),
            places: SumPlaces::default(),
            pack: SumPack::default(),
            normal: SumNormal::default(),
            half: RoundHalf::default(),
        };
        s.align.connect_all();
        s.part.connect_all();
        s.total.connect_all();
        s.places.connect_all();
        s.pack.connect_all();
        s.normal.connect_all();
        s.half.connect_all();
        s
    }

    /// The total of |a| and |b|; `lessens`: their difference.
    fn start(&mut self, a: f32, b: f32) {
        let lessens = a.is_sign_negative() != b.is_sign_negative();
        self.align.a.next = u64::from(a.abs().to_bits()).into();
        self.align.b.next = u64::from(b.abs().to_bits()).into();
        settle(&mut self.align);
        self.part.little.next = self.align.little.val();
        self.part.places.next = self.align.places.val();
        self.part.lessens.next = lessens;
        settle(&mut self.part);
        self.total.big.next = self.align.big.val();
        self.total.part.next = self.part.part.val();
        settle(&mut self.total);
    }

    fn single(&mut self, a: f32, b: f32) -> u32 {
        self.start(a, b);
        self.places.total.next = self.total.total.val();
        self.places.field.next = self.align.field.val();
        settle(&mut self.places);
        self.pack.total.next = self.total.total.val();
        self.pack.field.next = self.align.field.val();
        self.pack.places.next = self.places.places.val();
        settle(&mut self.pack);
        self.pack.magnitude.val().to_u32()
    }

    fn half(&mut self, a: f32, b: f32) -> u32 {
        self.start(a, b);
        self.normal.total.next = self.total.total.val();
        self.normal.field.next = self.align.field.val();
        settle(&mut self.normal);
        self.half.normal.next = self.normal.normal.val();
        self.half.exponent.next = self.normal.exponent.val();
        settle(&mut self.half);
        self.half.half.val().to_u32()
    }
}

/// Two f32 whose sum is often hard: near in exponent, of few bits, subnormal, opposite.
fn pair(rng: &mut impl RngCore) -> (f32, f32) {
    let field = match rng.random_range(0..4) {
        0 => rng.random_range(0..4),
        1 => rng.random_range(250..255),
        _ => rng.random_range(0..255u32),
    };
    let one = |rng: &mut dyn RngCore, field: u32| {
        let fraction = match rng.next_u32() % 4 {
            0 => 0,
            1 => 0x7F_FFFF,
            2 => 1 << (rng.next_u32() % 23),
            _ => rng.next_u32() & 0x7F_FFFF,
        };
        f32::from_bits(rng.next_u32() & 1 << 31 | field << 23 | fraction)
    };
    let a = one(rng, field);
    let other = field.saturating_sub(rng.random_range(0..40));
    let b = if rng.random_bool(0.1) { -a } else { one(rng, other) };
    if rng.random_bool(0.5) {
        (a, b)
    } else {
        (b, a)
    }
}

#[test]
fn a_sum_of_singles_is_rounded_once() {
    let mut sum = Sum::new();
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for _ in 0..300_000 {
        let (a, b) = pair(&mut rng);
        assert_eq!(sum.single(a, b), (a + b).abs().to_bits(), "{a:e} + {b:e}");
    }
}

/// A sum of products of halves: what is rounded to f16 is the f32.
#[test]
fn a_sum_of_products_becomes_the_half_of_its_single() {
    let mut sum = Sum::new();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let product = |rng: &mut ChaCha8Rng| {
        let (x, f) = (widen(finite(rng)), widen(finite(rng)));
        x * if rng.random_bool(0.5) { f } else { 1.0 - f }
    };
    for _ in 0..300_000 {
        let a = product(&mut rng);
        let b = match rng.random_range(0..4) {
            // So that the sum is near a half or near the middle of two.
            0 => {
                let near = widen(finite(&mut rng)) * [1.0, 1.0 + 1.0 / 2048.0, 0.5][rng.random_range(0..3)];
                near - a
            }
            _ => product(&mut rng),
        };
        // Products have no more than 24 bits and no place below 2^-48.
        if (b * 2f32.powi(48)).fract() == 0.0 && b.abs() < 2f32.powi(33) {
            assert_eq!(sum.half(a, b), narrow(a + b) & 0x7FFF, "{a:e} + {b:e}");
        }
    }
}

/// Both descriptions of the cells of sums.
#[test]
fn cells_of_sums_are_the_same_in_verilog() {
    fn by<const N: usize>(rng: &mut ChaCha8Rng, widths: [u32; N]) -> Vec<u32> {
        widths.into_iter().map(|w| crate::common::cell::word(rng) & (((1u64 << w) - 1) as u32)).collect()
    }
    let floats = vectors(10, |rng| {
        let (a, b) = pair(rng);
        vec![a.abs().to_bits(), b.abs().to_bits()]
    });
    check_cell!("sum_align", SumAlign, floats, in a: 31, b: 31;
    out field: 8, big: 24, little: 27, places: 3, swapped: 1; |row| {
        let (great, less) = (row[0].max(row[1]), row[0].min(row[1]));
        let field = |x: u32| (x >> 23).max(1);
        let significand = |x: u32| if x >> 23 == 0 { x } else { x & 0x7F_FFFF | 0x80_0000 };
        let distance = (field(great) - field(less)).min(31);
        let moved = u64::from(significand(less)) << 35 >> (distance & 24);
        let little = (moved >> 32) as u32 | u32::from(moved & 0xFFFF_FFFF != 0);
        vec![field(great), significand(great), little, distance & 7, (row[1] > row[0]).into()]
    });
    // Below 2^24 the lowest two bits are 0.
    let totals = vectors(12, |rng| {
        let row = by(rng, [28, 8]);
        vec![if row[0] < 1 << 24 { row[0] & !3 } else { row[0] }, row[1]]
    });
    check_cell!("sum_normal", SumNormal, totals, in total: 28, field: 8; out normal: 28, exponent: 8; |row| {
        let zeros = if row[0] == 0 { 31 } else { row[0].leading_zeros() - 4 };
        vec![if row[0] == 0 { 0 } else { row[0] << zeros }, row[1].wrapping_sub(zeros) & 0xFF]
    });
    check_cell!("sum_places", SumPlaces, vectors(13, |rng| by(rng, [28, 8])), in total: 28, field: 8;
        out places: 5; |row| vec![row[1].min(if row[0] == 0 { 31 } else { row[0].leading_zeros() - 4 })]);
    check_cell!("sum_pack", SumPack, vectors(14, |rng| {
        let total = rng.random::<u32>() & 0xFFF_FFFF;
        let field = rng.random_range(1..255);
        vec![total, field, total.leading_zeros().saturating_sub(4).min(field).min(27)]
    }), in total: 28, field: 8, places: 5; out magnitude: 31; |row| {
        // The exact number in units of 2^-30 of the operand's last place, rounded by hand.
        let moved = row[0] << row[2] & 0xFFF_FFFF;
        let field = if moved >> 27 == 1 { row[1] + 1 - row[2] } else { 0 };
        let kept = (field << 23) + (moved >> 4 & 0x7F_FFFF);
        let rest = moved & 15;
        let rounded = kept + u32::from(rest > 8 || (rest == 8 && kept & 1 == 1));
        vec![rounded.min(0x7F80_0000)]
    });
    check_cell!("round_half", RoundHalf, vectors(15, |rng| {
        let normal = rng.random::<u32>() & 0x7FF_FFFF | 1 << 27;
        let normal = if rng.random_bool(0.3) { normal & !0xFFFF | 0x8_0000 } else { normal };
        // The carry of f32's rounding goes through all bits that a half has no place for.
        let normal = if rng.random_bool(0.3) { normal | ((1 << rng.random_range(14..28)) - 1) } else { normal };
        let rare = rng.random_range(0..20);
        vec![if rare == 3 { 0 } else { normal }, rng.random_range(90..150), (rare == 1).into(), (rare == 2).into()]
    }), in normal: 28, exponent: 8, infinite: 1, nan: 1; out half: 15; |row| {
        let exact = f64::from(row[0]) * 2f64.powi(row[1] as i32 + 1 - 127 - 27);
        vec![match (row[3], row[2]) {
            (1, _) => 0x7E00,
            (_, 1) => 0x7C00,
            _ => narrow(exact as f32),
        }]
    });
    check_cell!("float_share", FloatShare, vectors(16, |rng| {
        let magnitude = match rng.random_range(0..3) {
            0 => rng.random_range(0..0x200_0000),
            1 => rng.random_range(0..0x7F80_0001),
            _ => rng.random_range(0x7F00_0000..0x7F80_0001),
        };
        vec![magnitude, rng.random_range(0..2)]
    }), in magnitude: 31, quarter: 1; out share: 31;
        |row| vec![(f32::from_bits(row[0]) * if row[1] == 1 { 0.25 } else { 0.5 }).to_bits()]);
}
