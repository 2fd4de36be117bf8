//! Which draws may be culled, for all operations of the stencil (HZ-25). What a sample that fails
//! its depth test does is worked out here by doing it: every old value, some references and read
//! masks, both sides that may be drawn. A draw may be culled if and only if none of them changes
//! the stencil. Wrong would be to ask whether operations are "keep": that is the block's rule.
//!
//! The other conditions are the page's. A stencil test never updates, and is never opaque.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, HiZ};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::DrawClasses;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};

/// A state record, as far as it matters.
#[derive(Clone, Copy, Debug)]
struct Draw {
    modes: u64,
    /// Function 2:0, and operations, as in words 21 and 22.
    sides: [u64; 2],
    write: u64,
}

fn passes(function: u64, wanted: u64, seen: u64) -> bool {
    match function {
        0 => false,
        1 => wanted < seen,
        2 => wanted == seen,
        3 => wanted <= seen,
        4 => wanted > seen,
        5 => wanted != seen,
        6 => wanted >= seen,
        _ => true,
    }
}

fn applied(operation: u64, old: u64, reference: u64) -> u64 {
    match operation {
        0 => old,
        1 => 0,
        2 => reference,
        3 => !old & 255,
        4 => (old + 1).min(255),
        5 => old.saturating_sub(1),
        6 => (old + 1) & 255,
        _ => old.wrapping_sub(1) & 255,
    }
}

/// A sample of that side that fails its depth test may change a bit of the stencil in that mask.
fn changes(side: u64, write: u64) -> bool {
    let all = [0u64, 1, 2, 127, 128, 255, 0x55, 0xAA];
    let cases = all.iter().flat_map(|r| all.iter().map(move |m| (*r, *m)));
    cases.flat_map(|case| (0..256).map(move |old| (case, old))).any(|((reference, read), old)| {
        let operation = if passes(side & 7, reference & read, old & read) { side >> 8 & 7 } else { side >> 4 & 7 };
        (applied(operation, old, reference) ^ old) & write != 0
    })
}

impl Draw {
    fn bit(self, n: u32) -> bool {
        self.modes >> n & 1 == 1
    }

    /// Sides that are drawn: front, back.
    fn drawn(self) -> [bool; 2] {
        let (clockwise, others) = (!self.bit(2), !self.bit(3));
        if self.bit(4) {
            [clockwise, others]
        } else {
            [others, clockwise]
        }
    }

    fn marks(self) -> bool {
        let marks = |n: usize| self.drawn()[n] && changes(self.sides[n], self.write);
        self.bit(10) && (marks(0) || marks(1))
    }

    fn may_cull(self) -> bool {
        let compares = self.bit(8) && [1, 2, 3, 4, 6].contains(&(self.modes >> 5 & 7));
        compares && !self.bit(17) && (!self.bit(19) || self.bit(11)) && !self.marks()
    }
}

/// Looks at draws whose front has each function and each two operations; how many of those with a
/// stencil test may be culled.
fn look(fault: Option<Fault>, on: On, every: u64) -> Result<usize, String> {
    let config = GpuConfig { graphics: true, hi_z: HiZ::Visibility, fault, ..GpuConfig::default() };
    let mut m = Machine::new(on, &config, "draw_classes", Bench::new(DrawClasses::new(&config), |b| &mut b.clock));
    let rng = &mut ChaCha8Rng::seed_from_u64(25);
    m.state(true, 0, 1, 1 << 8 | 1 << 12);
    let mut culled = 0;
    for n in (0..8 * 512).step_by(every as usize) {
        let side = |n: u64| n & 7 | (n >> 3 & 7) << 4 | (n >> 6 & 7) << 8 | (n >> 9) << 12;
        let front = side(n);
        let back = [front, side(rng.random_range(0..8) * 512), side(rng.random_range(0..4096))];
        let others = if rng.random() { 0 } else { rng.random_range(0..1u64 << 20) & 0xF_FBE0 };
        let faces = [0, 0, 1, 2, 3, 4, 5, 6][rng.random_range(0..8)] << 2;
        let draw = Draw {
            modes: others | faces | [1, 1, 3, 6][rng.random_range(0..4)] << 5 | 3 << 8 | u64::from(n % 16 < 15) << 10,
            sides: [front, back[rng.random_range(0..3)]],
            write: [255, 255, 15, 0x80, 1, 0][rng.random_range(0..6)],
        };
        let context = rng.random_range(0..8);
        m.state(false, context, 6, draw.modes);
        m.state(false, context, 21, draw.sides[0] | rng.random_range(0..1u64 << 16) << 16);
        m.state(false, context, 22, draw.sides[1]);
        m.state(false, context, 23, 255 | draw.write << 8 | rng.random_range(0..256u64) << 16);
        m.state(false, context, 28, 15);
        // Words of others, and of the pass, are not its own.
        m.state(false, context ^ 1, 21, rng.random_range(0..1 << 15));
        m.state(true, 0, 21, 1 << 4 | rng.random_range(0..1u64 << 3));
        m.set("context_", context as u64);
        m.settle();
        let tests = draw.bit(10);
        let seen = m.get("culls") == 1;
        if seen != draw.may_cull() {
            return Err(format!("culled: {seen}, and it marks the stencil: {}; {draw:?}", draw.marks()));
        }
        if tests && (m.get("updates") == 1 || m.get("opaque") == 1) {
            return Err(format!("a stencil test bounds depths: {draw:?}"));
        }
        culled += usize::from(seen && tests);
    }
    Ok(culled)
}

#[test]
fn hz_25_what_leaves_the_stencil_may_be_culled() {
    let culled = look(None, On::Verilog, 1).unwrap_or_else(|e| panic!("{e}"));
    assert!(culled > 300, "{culled} with a stencil test may be culled");
    look(None, On::RustHdl, 37).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn planted_faults_are_caught() {
    let problem = look(Some(Fault::HiZStencil), On::Verilog, 1).expect_err("culled in spite of its stencil");
    assert!(problem.contains("culled: true, and it marks the stencil: true"), "{problem}");
}
