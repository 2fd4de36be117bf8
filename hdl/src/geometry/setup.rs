//! Integer part of triangle set-up: area, edges, gradients of depth, depth at the target's corner
//! (docs/graphics.md, "Set-up and coverage" and "Depth"), exact to the bit.
//!
//! One signed multiplier of 32 by 32 bits goes through sixteen products; two serial dividers give
//! both gradients in 76 cycles. The area stands 5 cycles after `start`, everything but the depth
//! at the corner about 95 after it. That one takes 8 cycles more, from `plane_start`: depth bias
//! comes between, and the gradients are needed for it.
//!
//! It can be wrong in the order of corners after a swap, in the floor of a negative quotient, and
//! in a product that is added with the wrong sign; `tests/geometry.rs` compares with exact
//! integers.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::leaf_cell;

leaf_cell! {
    /// Product of two words with sign.
    SignedProduct {
        in
            /// First factor.
            a: Bits<32>,
            /// Second factor.
            b: Bits<32>;
        out
            /// Product.
            product: Bits<64>
    }
}

impl SignedProduct {
    const VERILOG: &'static str = "\
// module: signed_product
always @(*) product = $signed(a) * $signed(b);
";

    fn compute(&mut self) {
        let word = |v: Bits<32>| i64::from(v.to_u64() as u32 as i32);
        self.product.next = bits((word(self.a.val()) * word(self.b.val())) as u64);
    }
}

/// Quotient of 2^18 n by s, rounded down.
#[derive(Default, QuietBlock)]
pub struct FloorDivide {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: a division begins.
    pub start: Signal<In, bool>,
    /// Dividend over 2^18, with sign, 57 bits.
    pub n: Signal<In, Bits<64>>,
    /// Divisor, 1 to 2^48 - 1.
    pub s: Signal<In, Bits<64>>,
    /// None is under way.
    pub done: Signal<Out, bool>,
    /// The quotient, with sign.
    pub quotient: Signal<Out, Bits<64>>,
    /// It has 50 bits with sign.
    pub fits: Signal<Out, bool>,
    left: DFF<Bits<7>>,
    dividend: DFF<Bits<64>>,
    divisor: DFF<Bits<64>>,
    remainder: DFF<Bits<64>>,
    digits: DFF<Bits<64>>,
    over: DFF<bool>,
    negative: DFF<bool>,
    shifted: Signal<Local, Bits<64>>,
    difference: Signal<Local, Bits<64>>,
    value: Signal<Local, Bits<64>>,
    top: Signal<Local, Bits<64>>,
    _active: bool,
}

impl FloorDivide {
    /// At rest.
    pub fn new() -> Self {
        Self { _active: true, ..Default::default() }
    }
}

impl Logic for FloorDivide {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: floor_divide");
        dff_setup!(self, clock, left, dividend, divisor, remainder, digits, over, negative);
        self.shifted.next = (self.remainder.q.val() << bits::<64>(1)) | (self.dividend.q.val() >> bits::<64>(63));
        self.difference.next = self.shifted.val() - self.divisor.q.val();
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - bits::<7>(1);
            self.dividend.d.next = self.dividend.q.val() << bits::<64>(1);
            self.digits.d.next = self.digits.q.val() << bits::<64>(1);
            self.remainder.d.next = self.shifted.val();
            if !self.difference.val().get_bit(63) {
                self.remainder.d.next = self.difference.val();
                self.digits.d.next = (self.digits.q.val() << bits::<64>(1)) | bits::<64>(1);
            }
            if self.digits.q.val().get_bit(50) {
                self.over.d.next = true;
            }
        }
        if self.start.val() {
            self.left.d.next = bits::<7>(75);
            self.negative.d.next = self.n.val().get_bit(63);
            self.dividend.d.next = self.n.val() << bits::<64>(7);
            if self.n.val().get_bit(63) {
                self.dividend.d.next = (bits::<64>(0) - self.n.val()) << bits::<64>(7);
            }
            self.divisor.d.next = self.s.val();
            self.remainder.d.next = bits::<64>(0);
            self.digits.d.next = bits::<64>(0);
            self.over.d.next = false;
        }
        self.value.next = self.digits.q.val();
        if self.negative.q.val() {
            self.value.next = bits::<64>(0) - self.digits.q.val();
            if self.remainder.q.val().any() {
                self.value.next = bits::<64>(0) - self.digits.q.val() - bits::<64>(1);
            }
        }
        self.top.next = self.value.val() >> bits::<64>(49);
        self.quotient.next = self.value.val();
        self.fits.next = !self.over.q.val()
            && !self.digits.q.val().get_bit(51)
            && ((self.top.val() == bits::<64>(0)) || (self.top.val() == bits::<64>(0x7FFF)));
        self.done.next = !self.left.q.val().any() && !self.start.val();
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct TriangleSetup {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: the corners stand at the ports, and stay until all is done.
    pub start: Signal<In, bool>,
    /// Corner i in x, 1/256 pixel, with sign.
    pub x: Vec<Signal<In, Bits<32>>>,
    /// In y.
    pub y: Vec<Signal<In, Bits<32>>>,
    /// Its depth, 1/64 of a unit.
    pub z: Vec<Signal<In, Bits<32>>>,
    /// Area and orientation are known.
    pub known: Signal<Out, bool>,
    /// Edges and gradients are known too.
    pub done: Signal<Out, bool>,
    /// Twice the area, without its sign.
    pub area: Signal<Out, Bits<64>>,
    /// Counter-clockwise as seen: corners 1 and 2 have changed places in all that follows.
    pub swapped: Signal<Out, bool>,
    /// Edge i per 1/256 pixel to the right.
    pub a: Vec<Signal<Out, Bits<24>>>,
    /// Down.
    pub b: Vec<Signal<Out, Bits<24>>>,
    /// At the target's top left corner.
    pub c: Vec<Signal<Out, Bits<48>>>,
    /// Depth per 1/256 pixel to the right.
    pub gx: Signal<Out, Bits<64>>,
    /// Down.
    pub gy: Signal<Out, Bits<64>>,
    /// The greater of the gradients' magnitudes.
    pub steepest: Signal<Out, Bits<64>>,
    /// One cycle: depth at the target's corner is wanted.
    pub plane_start: Signal<In, bool>,
    /// Depth of corner 0, bias added; stays until it is known.
    pub plane_z: Signal<In, Bits<32>>,
    /// It is known.
    pub plane_done: Signal<Out, bool>,
    /// Modulo 2^52.
    pub plane: Signal<Out, Bits<52>>,
    multiply: SignedProduct,
    divide_x: FloorDivide,
    divide_y: FloorDivide,
    // Product to make, 0 none, and the one that was made.
    step: DFF<Bits<5>>,
    made: DFF<Bits<5>>,
    product: DFF<Bits<64>>,
    sum: DFF<Bits<64>>,
    is_known: DFF<bool>,
    is_done: DFF<bool>,
    area_r: DFF<Bits<64>>,
    swapped_r: DFF<bool>,
    nx: DFF<Bits<64>>,
    ny: DFF<Bits<64>>,
    c0: DFF<Bits<64>>,
    c1: DFF<Bits<64>>,
    c2: DFF<Bits<64>>,
    plane_r: DFF<Bits<64>>,
    is_plane: DFF<bool>,
    dividing: DFF<bool>,
    // Corners in order.
    x1: Signal<Local, Bits<32>>,
    y1: Signal<Local, Bits<32>>,
    z1: Signal<Local, Bits<32>>,
    x2: Signal<Local, Bits<32>>,
    y2: Signal<Local, Bits<32>>,
    z2: Signal<Local, Bits<32>>,
    dx1: Signal<Local, Bits<32>>,
    dy1: Signal<Local, Bits<32>>,
    dz1: Signal<Local, Bits<32>>,
    dx2: Signal<Local, Bits<32>>,
    dy2: Signal<Local, Bits<32>>,
    dz2: Signal<Local, Bits<32>>,
    ex0: Signal<Local, Bits<32>>,
    ey0: Signal<Local, Bits<32>>,
    minus_ey0: Signal<Local, Bits<32>>,
    minus_dx2: Signal<Local, Bits<32>>,
    minus_dy1: Signal<Local, Bits<32>>,
    less: Signal<Local, Bits<64>>,
    both: Signal<Local, bool>,
    grad_x: Signal<Local, Bits<64>>,
    grad_y: Signal<Local, Bits<64>>,
    size_x: Signal<Local, Bits<64>>,
    size_y: Signal<Local, Bits<64>>,
    fault_geometry_swap: Planted,
    fault_geometry_gradient: Planted,
    _active: bool,
}

impl TriangleSetup {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            x: vector(3),
            y: vector(3),
            z: vector(3),
            a: vector(3),
            b: vector(3),
            c: vector(3),
            divide_x: FloorDivide::new(),
            divide_y: FloorDivide::new(),
            fault_geometry_swap: Planted::new(config.has(Fault::GeometrySwap)),
            fault_geometry_gradient: Planted::new(config.has(Fault::GeometryGradient)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for TriangleSetup {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: triangle_setup");
        dff_setup!(
            self, clock, step, made, product, sum, is_known, is_done, area_r, swapped_r, nx, ny, c0, c1, c2, plane_r,
            is_plane, dividing
        );
        clock!(self, clock, divide_x, divide_y);
        // Corners in order, once the area is known.
        self.x1.next = self.x[1].val();
        self.y1.next = self.y[1].val();
        self.z1.next = self.z[1].val();
        self.x2.next = self.x[2].val();
        self.y2.next = self.y[2].val();
        self.z2.next = self.z[2].val();
        if self.swapped_r.q.val() {
            self.x1.next = self.x[2].val();
            self.y1.next = self.y[2].val();
            self.x2.next = self.x[1].val();
            self.y2.next = self.y[1].val();
            if !self.fault_geometry_swap.val() {
                self.z1.next = self.z[2].val();
                self.z2.next = self.z[1].val();
            }
        }
        self.dx1.next = self.x1.val() - self.x[0].val();
        self.dy1.next = self.y1.val() - self.y[0].val();
        self.dz1.next = self.z1.val() - self.z[0].val();
        self.dx2.next = self.x2.val() - self.x[0].val();
        self.dy2.next = self.y2.val() - self.y[0].val();
        self.dz2.next = self.z2.val() - self.z[0].val();
        self.ex0.next = self.x2.val() - self.x1.val();
        self.ey0.next = self.y2.val() - self.y1.val();

        // Gradients.
        self.both.next = self.divide_x.fits.val() && self.divide_y.fits.val();
        self.grad_x.next = bits::<64>(0);
        self.grad_y.next = bits::<64>(0);
        if self.both.val() {
            self.grad_x.next = self.divide_x.quotient.val();
            self.grad_y.next = self.divide_y.quotient.val();
        }
        if self.fault_geometry_gradient.val() && self.divide_x.quotient.val().get_bit(63) {
            self.grad_x.next = self.divide_x.quotient.val() + bits::<64>(1);
        }
        self.size_x.next = self.grad_x.val();
        if self.grad_x.val().get_bit(63) {
            self.size_x.next = bits::<64>(0) - self.grad_x.val();
        }
        self.size_y.next = self.grad_y.val();
        if self.grad_y.val().get_bit(63) {
            self.size_y.next = bits::<64>(0) - self.grad_y.val();
        }
        self.steepest.next = self.size_x.val();
        if self.size_x.val() < self.size_y.val() {
            self.steepest.next = self.size_y.val();
        }
        self.gx.next = self.grad_x.val();
        self.gy.next = self.grad_y.val();

        // Factors of the product.
        self.multiply.a.next = bits::<32>(0);
        self.multiply.b.next = bits::<32>(0);
        if self.step.q.val() == bits::<5>(1) {
            self.multiply.a.next = self.dx1.val();
            self.multiply.b.next = self.dy2.val();
        }
        if self.step.q.val() == bits::<5>(2) {
            self.multiply.a.next = self.dy1.val();
            self.multiply.b.next = self.dx2.val();
        }
        if self.step.q.val() == bits::<5>(6) {
            self.multiply.a.next = self.dz1.val();
            self.multiply.b.next = self.dy2.val();
        }
        if self.step.q.val() == bits::<5>(7) {
            self.multiply.a.next = self.dz2.val();
            self.multiply.b.next = self.dy1.val();
        }
        if self.step.q.val() == bits::<5>(8) {
            self.multiply.a.next = self.dz2.val();
            self.multiply.b.next = self.dx1.val();
        }
        if self.step.q.val() == bits::<5>(9) {
            self.multiply.a.next = self.dz1.val();
            self.multiply.b.next = self.dx2.val();
        }
        // Edge 0 from corner 1 to 2, edge 1 from 2 to 0, edge 2 from 0 to 1: slope down times x of
        // the first corner, less slope right times y.
        if self.step.q.val() == bits::<5>(10) {
            self.multiply.a.next = self.ey0.val();
            self.multiply.b.next = self.x1.val();
        }
        if self.step.q.val() == bits::<5>(11) {
            self.multiply.a.next = self.ex0.val();
            self.multiply.b.next = self.y1.val();
        }
        if self.step.q.val() == bits::<5>(12) {
            self.multiply.a.next = bits::<32>(0) - self.dy2.val();
            self.multiply.b.next = self.x2.val();
        }
        if self.step.q.val() == bits::<5>(13) {
            self.multiply.a.next = bits::<32>(0) - self.dx2.val();
            self.multiply.b.next = self.y2.val();
        }
        if self.step.q.val() == bits::<5>(14) {
            self.multiply.a.next = self.dy1.val();
            self.multiply.b.next = self.x[0].val();
        }
        if self.step.q.val() == bits::<5>(15) {
            self.multiply.a.next = self.dx1.val();
            self.multiply.b.next = self.y[0].val();
        }
        // Depth at the corner: gradients in pieces of 26 bits and the rest.
        if self.step.q.val() == bits::<5>(20) {
            self.multiply.a.next = bit_cast::<32, 26>(self.grad_x.val().get_bits::<26>(0));
            self.multiply.b.next = self.x[0].val();
        }
        if self.step.q.val() == bits::<5>(21) {
            self.multiply.a.next = self.grad_x.val().get_bits::<32>(26);
            self.multiply.b.next = self.x[0].val();
        }
        if self.step.q.val() == bits::<5>(22) {
            self.multiply.a.next = bit_cast::<32, 26>(self.grad_y.val().get_bits::<26>(0));
            self.multiply.b.next = self.y[0].val();
        }
        if self.step.q.val() == bits::<5>(23) {
            self.multiply.a.next = self.grad_y.val().get_bits::<32>(26);
            self.multiply.b.next = self.y[0].val();
        }

        // What was made is added up a cycle later.
        self.product.d.next = self.multiply.product.val();
        self.made.d.next = self.step.q.val();
        self.less.next = self.sum.q.val() - self.product.q.val();
        self.sum.d.next = self.product.q.val();
        if self.made.q.val() == bits::<5>(2) {
            self.area_r.d.next = self.less.val();
            self.swapped_r.d.next = self.less.val().get_bit(63);
            if self.less.val().get_bit(63) {
                self.area_r.d.next = bits::<64>(0) - self.less.val();
            }
            self.is_known.d.next = true;
        }
        if self.made.q.val() == bits::<5>(7) {
            self.nx.d.next = self.less.val();
        }
        if self.made.q.val() == bits::<5>(9) {
            self.ny.d.next = self.less.val();
            self.dividing.d.next = true;
        }
        if self.made.q.val() == bits::<5>(11) {
            self.c0.d.next = self.less.val();
        }
        if self.made.q.val() == bits::<5>(13) {
            self.c1.d.next = self.less.val();
        }
        if self.made.q.val() == bits::<5>(15) {
            self.c2.d.next = self.less.val();
        }
        if self.made.q.val() == bits::<5>(20) {
            self.plane_r.d.next = (bit_cast::<64, 32>(self.plane_z.val()) << bits::<64>(18)) - self.product.q.val();
        }
        if (self.made.q.val() == bits::<5>(21)) || (self.made.q.val() == bits::<5>(23)) {
            self.plane_r.d.next = self.plane_r.q.val() - (self.product.q.val() << bits::<64>(26));
        }
        if self.made.q.val() == bits::<5>(22) {
            self.plane_r.d.next = self.plane_r.q.val() - self.product.q.val();
        }
        if self.made.q.val() == bits::<5>(23) {
            self.is_plane.d.next = true;
        }

        // The order of products: 3 to 5 wait for the area, 16 to 19 for depth.
        if self.step.q.val().any() && (self.step.q.val() != bits::<5>(15)) && (self.step.q.val() != bits::<5>(23)) {
            self.step.d.next = self.step.q.val() + bits::<5>(1);
        } else {
            self.step.d.next = bits::<5>(0);
        }
        self.divide_x.start.next = self.dividing.q.val() && !self.is_done.q.val() && !self.start.val();
        self.divide_y.start.next = self.dividing.q.val() && !self.is_done.q.val() && !self.start.val();
        if self.dividing.q.val() {
            self.dividing.d.next = false;
            self.is_done.d.next = true;
        }
        self.divide_x.n.next = self.nx.q.val();
        self.divide_y.n.next = self.ny.q.val();
        self.divide_x.s.next = self.area_r.q.val();
        self.divide_y.s.next = self.area_r.q.val();
        if self.plane_start.val() {
            self.step.d.next = bits::<5>(20);
            self.is_plane.d.next = false;
        }
        if self.start.val() {
            self.step.d.next = bits::<5>(1);
            self.made.d.next = bits::<5>(0);
            self.is_known.d.next = false;
            self.is_done.d.next = false;
            self.dividing.d.next = false;
            self.swapped_r.d.next = false;
        }
        self.known.next = self.is_known.q.val();
        self.done.next = self.is_done.q.val() && self.divide_x.done.val() && self.divide_y.done.val();
        self.area.next = self.area_r.q.val();
        self.swapped.next = self.swapped_r.q.val();
        self.plane_done.next = self.is_plane.q.val();
        self.plane.next = self.plane_r.q.val().get_bits::<52>(0);
        self.minus_ey0.next = bits::<32>(0) - self.ey0.val();
        self.minus_dx2.next = bits::<32>(0) - self.dx2.val();
        self.minus_dy1.next = bits::<32>(0) - self.dy1.val();
        self.a[0].next = self.minus_ey0.val().get_bits::<24>(0);
        self.b[0].next = self.ex0.val().get_bits::<24>(0);
        self.c[0].next = self.c0.q.val().get_bits::<48>(0);
        self.a[1].next = self.dy2.val().get_bits::<24>(0);
        self.b[1].next = self.minus_dx2.val().get_bits::<24>(0);
        self.c[1].next = self.c1.q.val().get_bits::<48>(0);
        self.a[2].next = self.minus_dy1.val().get_bits::<24>(0);
        self.b[2].next = self.dx1.val().get_bits::<24>(0);
        self.c[2].next = self.c2.q.val().get_bits::<48>(0);
    }
}
