//! A machine that merges, made of a healthy model: two quads as a pair, in the order of events that
//! an RTL would show. Lockstep follows it, and finds each planted bug of the model and each event
//! that was changed. Wrong would be a machine that only ever shows one order: partners stop in
//! either order here, and one may end early.

use quadlock_golden::{Fault, Member, Tags};
use quadlock_hdl::config::GpuConfig;

use super::frames::{self, Machine};
use crate::lockstep::finding::{Concern, What};
use crate::lockstep::follow::Lockstep;
use crate::lockstep::Options;
use crate::machine::launch::Launch;
use crate::machine::ports::{GraphicsLaunched, GraphicsOutputs, LaunchEvent, MergeEvent, Outputs};

/// Each rule of merging matters to it: derivatives by position, what helpers read of a public
/// register, a lane that stops late, special registers and public values behind the merge. Quads
/// right of pixel 7 are discarded.
const PROGRAM: &str = "S2R r8, pixel_x\nSSETLT r9, r8, #8\nBNZ r9, @4\nDISCARD\nIADD r0, r8, #100\nMOV r9, r0
    I2F r10, r8\nDDX r11, r10\nIADD r1, r11, #0\nIADD r9, r1, #1\nAND r12, r8, #1\nBNZ r12, @13\nMERGE\nMERGE
    S2R r13, pixel_x\nIADD r0, r0, r1\nIADD r0, r0, r13\nEND";

/// First private register.
const CUTOFF: u32 = 2;

/// A quad as the model logs it, with what it is launched as.
#[derive(Clone, Copy)]
struct Quad {
    x: u32,
    /// By position.
    covered: u8,
    flip: u8,
    member: u8,
}

impl Quad {
    /// By position.
    fn tags(self) -> Tags {
        Tags {
            fragments: true,
            x: [0, 1, 0, 1].map(|x| self.x + x),
            y: [0, 0, 1, 1],
            coverage: std::array::from_fn(|l| u32::from(self.covered >> l & 1)),
            facing: [1; 4],
            depth: [7; 4],
            cutoff: CUTOFF,
            ..Tags::default()
        }
    }

    /// A word of a position as the lane that stands there has it.
    fn lanes<T: Copy>(self, words: [T; 4]) -> [T; 4] {
        std::array::from_fn(|lane| words[lane ^ usize::from(self.flip)])
    }

    fn event(self) -> GraphicsLaunched {
        let t = self.tags();
        let place = std::array::from_fn(|l| t.x[l] | t.y[l] << 12 | t.coverage[l] << 26 | 1 << 30);
        let covered = self.lanes(t.coverage).iter().rev().fold(0, |mask, c| mask << 1 | *c as u8);
        let ticket = u32::from(self.member);
        GraphicsLaunched {
            warp: self.member,
            mask: 15,
            kind: 2,
            covered,
            place: self.lanes(place),
            depth: self.lanes([0, 1, 2, 3].map(|l| 7 | ticket << 26 | l << 24)),
            order: self.member.into(),
            mergeable: true,
            pair: 0,
            member: self.member,
            others: 1,
            flip: self.flip,
            cutoff: CUTOFF as u8,
            ..GraphicsLaunched::default()
        }
    }
}

/// The frame with those quads, one of each triangle.
fn launch(quads: &[Quad; 2], config: &GpuConfig) -> Launch {
    let log = |triangle: usize| frames::logged(triangle, quads[triangle].tags());
    frames::launch(PROGRAM, vec![log(0), log(1)], config)
}

impl Machine {
    fn launch(&mut self, quad: Quad) {
        let event = quad.event();
        let t = quad.tags();
        let tags = Tags {
            program: 2,
            x: quad.lanes(t.x),
            y: quad.lanes(t.y),
            coverage: quad.lanes(t.coverage),
            flip: quad.flip,
            pair: Some(Member { pair: 0, member: quad.member, others: 1 }),
            ..t
        };
        let warp = usize::from(quad.member);
        let launch = quadlock_golden::Launch {
            warp,
            mask: 15,
            first_warp: warp,
            warps_in_group: 1,
            graphics: Some(Box::new(tags)),
            ..quadlock_golden::Launch::default()
        };
        self.golden.launch(&launch).unwrap();
        let launched = LaunchEvent { warp: quad.member, mask: 15, ..LaunchEvent::default() };
        self.show(GraphicsOutputs { launch: Some(event), ..Default::default() }, Some(launched), None);
    }

    fn merge(&mut self) {
        if let Ok(m) = self.golden.merge(0, 0, 1) {
            let merges = vec![MergeEvent { unit: 0, kept: 0, gone: 1, stayed: m.stayed, came: m.came }];
            self.show(GraphicsOutputs { merges, ..Default::default() }, None, None);
        }
    }
}

const WHOLE: [Quad; 2] =
    [Quad { x: 0, covered: 0b0011, flip: 0, member: 0 }, Quad { x: 2, covered: 0b1100, flip: 1, member: 1 }];
/// The second member discards all that it covers.
const ENDS: [Quad; 2] = [WHOLE[0], Quad { x: 10, ..WHOLE[1] }];

fn options() -> Options {
    let config = GpuConfig { graphics: true, merge: true, ..GpuConfig::default() };
    Options { model: true, config, ..Options::default() }
}

/// Lockstep, in a machine whose r0 holds something.
fn lockstep<'a>(launch: &'a Launch, options: &'a Options) -> Lockstep<'a> {
    let mut lockstep = Lockstep::new(launch, options);
    for (warp, lane) in (0..2).flat_map(|w| (0..4).map(move |l| (w, l))) {
        lockstep.model.golden.warp_mut(0, warp).set_reg(lane, 0, 900 + lane as u32);
    }
    lockstep
}

/// What the machine shows of a pair whose members run in that order.
fn shown(quads: &[Quad; 2], order: [usize; 2], options: &Options) -> (Launch, Vec<Outputs>) {
    let launch = launch(quads, &options.config);
    let healthy = lockstep(&launch, options).model.golden;
    let mut machine = Machine::new(healthy, options);
    order.iter().for_each(|&k| machine.launch(quads[k]));
    order.iter().for_each(|&k| machine.run(k));
    machine.merge();
    machine.run(0);
    machine.run(1);
    let events = machine.events;
    (launch, events)
}

/// What lockstep finds, also in what it holds back.
fn find(launch: &Launch, events: &[Outputs], options: &Options) -> Option<(Concern, What)> {
    frames::find(lockstep(launch, options), launch, events, options)
}

#[test]
fn a_pair_is_followed_whoever_is_first() {
    let options = options();
    for quads in [WHOLE, ENDS] {
        for order in [[0, 1], [1, 0]] {
            let (launch, events) = shown(&quads, order, &options);
            let merges: usize = events.iter().map(|e| e.graphics.merges.len()).sum();
            assert_eq!(merges, usize::from(quads[1].x == 2));
            assert_eq!(find(&launch, &events, &options), None, "{order:?}");
        }
    }
}

/// The concern that finds each planted bug.
#[test]
fn every_planted_bug_of_merging_is_found() {
    for &(fault, name, _) in Fault::ALL.iter().filter(|f| f.0.is_of_merging()) {
        let healthy = options();
        let quads = if fault == Fault::MergeAlone { ENDS } else { WHOLE };
        let (launch, events) = shown(&quads, [0, 1], &healthy);
        let expected = match fault {
            Fault::MergeStop | Fault::MergeAlone | Fault::MergeHelpers => Concern::Merge,
            _ => Concern::Retire,
        };
        let options = Options { model_fault: Some(fault), ..healthy };
        let found = find(&launch, &events, &options);
        assert_eq!(found.as_ref().map(|f| f.0), Some(expected), "{name}: {found:?}");
    }
}

/// What a machine must not do, by changing what it shows.
#[test]
fn wrong_pairs_and_merges_are_found() {
    let (launch, events) = shown(&WHOLE, [0, 1], &options());
    let change = |options: &Options, change: &dyn Fn(&mut Outputs)| {
        let mut events = events.clone();
        events.iter_mut().for_each(change);
        find(&launch, &events, options).map(|(concern, what)| (concern, format!("{what:?}")))
    };
    let on = options();
    let launches = |of: u8, change: &'static dyn Fn(&mut GraphicsLaunched)| {
        move |o: &mut Outputs| o.graphics.launch.iter_mut().filter(|l| l.member == of).for_each(change)
    };
    let merges =
        |change: &'static dyn Fn(&mut MergeEvent)| move |o: &mut Outputs| o.graphics.merges.iter_mut().for_each(change);
    let found = |found: Option<(Concern, String)>, concern: Concern, words: &str| {
        let (by, what) = found.expect(words);
        assert!(by == concern && what.contains(words), "{words}: {by:?} {what}");
    };
    found(change(&on, &merges(&|m| m.stayed = 0b1111)), Concern::Merge, "MergedLanes");
    found(change(&on, &merges(&|m| m.came = 0b0100)), Concern::Merge, "MergedLanes");
    found(change(&on, &merges(&|m| (m.kept, m.gone) = (1, 0))), Concern::Merge, "Merge { gone: 0 }");
    let three = |o: &mut Outputs| o.graphics.launch.iter_mut().for_each(|l| l.others = 2);
    found(change(&on, &three), Concern::Merge, "more members than merge-group");
    found(change(&on, &launches(1, &|l| l.flip = 0)), Concern::Coverage, "QuadPlace");
    found(change(&on, &launches(1, &|l| l.covered = 0)), Concern::Coverage, "QuadPlace");
    found(change(&on, &launches(1, &|l| l.cutoff = 3)), Concern::Quad, "QuadState");
    found(change(&on, &launches(1, &|l| l.member = 0)), Concern::Merge, "even slot");
    let with = |change: &dyn Fn(&mut GpuConfig)| {
        let mut options = options();
        change(&mut options.config);
        options
    };
    found(change(&with(&|c| c.merge_flip = false), &|_| {}), Concern::Merge, "merge-flip is off");
    found(change(&with(&|c| c.merge_triangles = false), &|_| {}), Concern::Merge, "merge-triangles is off");
    // The merge comes before a member has stopped, and the second member never.
    let at = events.iter().position(|o| !o.graphics.merges.is_empty()).unwrap();
    let mut early = events.clone();
    let merge = early.remove(at);
    early.truncate(at - 1);
    early.push(merge);
    let held = find(&launch, &early, &on).map(|(concern, what)| (concern, format!("{what:?}")));
    found(held, Concern::Merge, "Held { what: Merge { gone: 1 }");
    let one = find(&launch, &events[..2], &on);
    assert_eq!(one, Some((Concern::Merge, What::PartnerMissing { pair: 0 })));
    // Two quads that cover the same lane.
    let both = [WHOLE[0], Quad { covered: 0b0010, ..WHOLE[1] }];
    let (launch, events) = shown(&both, [0, 1], &on);
    let overlap = find(&launch, &events, &on).map(|(concern, what)| (concern, format!("{what:?}")));
    found(overlap, Concern::Merge, "both cover the same lane");
}
