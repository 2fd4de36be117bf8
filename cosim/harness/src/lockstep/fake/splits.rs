//! A machine that splits, made of a healthy model: the covered samples of a quad as a group.
//! Lockstep follows it, and finds each planted bug of the model and each event that was changed.
//! Wrong would be a group whose samples are numbered like its members: sample 1 is missing here.

use quadlock_golden::{Fault, GroupMember, Tags};
use quadlock_hdl::config::GpuConfig;

use super::frames::{self, Machine};
use crate::lockstep::finding::{Concern, What};
use crate::lockstep::follow::Lockstep;
use crate::lockstep::Options;
use crate::machine::launch::Launch;
use crate::machine::ports::{GraphicsLaunched, GraphicsOutputs, LaunchEvent, Outputs, SplitEvent};

/// Each rule of splitting matters to it: lanes that stop apart, one that is demoted, helpers,
/// private and public registers behind the split. Right of pixel 7 all end before it.
const PROGRAM: &str = "S2R r8, pixel_x\nSSETLT r9, r8, #8\nBNZ r9, @4\nEND\nS2R r9, pixel_y\nSHL r9, r9, #1
    IADD r8, r8, r9\nIADD r0, r8, #100\nBNZ r8, @10\nDEMOTE\nAND r9, r8, #1\nBNZ r9, @14\nSPLIT\nBRA @15\nSPLIT
    S2R r10, sample\nMOV r0, #7\nIADD r10, r10, r0\nI2F r11, r10\nDDX r12, r11\nS2R r13, helper\nEND";

const CUTOFF: u32 = 2;

/// A quad: its pixels begin at x; (number, lanes) of its covered samples.
#[derive(Clone, Copy)]
struct Quad {
    x: u32,
    samples: &'static [(u32, u8)],
}

/// Of the last sample nothing is left.
const WHOLE: Quad = Quad { x: 0, samples: &[(0, 0b0011), (2, 0b0110), (3, 0b0001)] };
/// All its lanes end before the split.
const ENDS: Quad = Quad { x: 10, ..WHOLE };

impl Quad {
    fn tags(self, member: usize) -> Tags {
        let (sample, covered) = self.samples[member];
        Tags {
            fragments: true,
            x: [0, 1, 0, 1].map(|x| self.x + x),
            y: [0, 0, 1, 1],
            sample: [sample; 4],
            coverage: std::array::from_fn(|l| u32::from(covered >> l & 1) << sample),
            facing: [1; 4],
            depth: [7; 4],
            cutoff: CUTOFF,
            splits: true,
            ..Tags::default()
        }
    }

    fn group(self, member: usize) -> GroupMember {
        let union = self.samples.iter().fold(0, |all, s| all | s.1);
        GroupMember { member: member as u8, others: self.samples.len() as u8 - 1, union }
    }

    fn event(self, warp: usize, member: usize) -> GraphicsLaunched {
        let (t, group) = (self.tags(member), self.group(member));
        let word = |l: usize| t.x[l] | t.y[l] << 12 | t.sample[l] << 24 | t.coverage[l] << 26 | 1 << 30 | 1 << 31;
        GraphicsLaunched {
            warp: warp as u8,
            mask: 15,
            kind: 2,
            covered: if member == 0 { group.union } else { self.samples[member].1 },
            place: std::array::from_fn(word),
            depth: [0, 1, 2, 3].map(|l| 7 | l << 24),
            member: group.member,
            others: group.others,
            split: 1,
            cutoff: CUTOFF as u8,
            ..GraphicsLaunched::default()
        }
    }
}

impl Machine {
    fn launch_sample(&mut self, quad: Quad, base: usize, member: usize) {
        let warp = base + member;
        let tags = Tags { program: 2, group: Some(quad.group(member)), ..quad.tags(member) };
        let launch = quadlock_golden::Launch {
            warp,
            mask: 15,
            first_warp: warp,
            warps_in_group: 1,
            graphics: Some(Box::new(tags)),
            ..quadlock_golden::Launch::default()
        };
        self.golden.launch(&launch).unwrap();
        let launched = LaunchEvent { warp: warp as u8, mask: 15, ..LaunchEvent::default() };
        let graphics = GraphicsOutputs { launch: Some(quad.event(warp, member)), ..Default::default() };
        self.show(graphics, Some(launched), None);
    }

    fn split(&mut self, base: usize) {
        let s = self.golden.split(0, base).unwrap();
        let (warp, lanes, covered) = (base as u8, s.lanes, s.covered);
        let splits = vec![SplitEvent { unit: 0, warp, others: s.others, lanes, covered }];
        self.show(GraphicsOutputs { splits, ..Default::default() }, None, None);
    }
}

fn options() -> Options {
    let config = GpuConfig { graphics: true, split: true, ..GpuConfig::default() };
    Options { model: true, config, ..Options::default() }
}

/// Lockstep, in a machine whose registers hold something.
fn lockstep<'a>(launch: &'a Launch, options: &'a Options) -> Lockstep<'a> {
    let mut lockstep = Lockstep::new(launch, options);
    for (warp, lane, register) in (0..4).flat_map(|w| (0..4).flat_map(move |l| [0, 1].map(|r| (w, l, r)))) {
        let value = (1000 * (warp + 1) + 10 * register + lane) as u32;
        lockstep.model.golden.warp_mut(0, warp).set_reg(lane, register, value);
    }
    lockstep
}

fn frame(quads: &[Quad], options: &Options) -> Launch {
    let samples = |(triangle, quad): (usize, &Quad)| {
        let quad = *quad;
        (0..quad.samples.len()).map(move |m| frames::logged(triangle, quad.tags(m))).collect::<Vec<_>>()
    };
    frames::launch(PROGRAM, quads.iter().enumerate().flat_map(samples).collect(), &options.config)
}

/// What the machine shows of a group from slot `base` on, whose members then run in that order.
fn shown(quad: Quad, base: usize, order: &[usize], options: &Options) -> (Launch, Vec<Outputs>) {
    let launch = frame(&[quad], options);
    let mut machine = Machine::new(lockstep(&launch, options).model.golden, options);
    (0..quad.samples.len()).for_each(|m| machine.launch_sample(quad, base, m));
    machine.run(base);
    machine.split(base);
    order.iter().for_each(|m| machine.run(base + m));
    (launch, machine.events)
}

fn find(launch: &Launch, events: &[Outputs], options: &Options) -> Option<(Concern, What)> {
    frames::find(lockstep(launch, options), launch, events, options)
}

#[test]
fn a_group_is_followed_whatever_its_size() {
    let options = options();
    let four = Quad { x: 2, samples: &[(0, 1), (1, 2), (2, 12), (3, 15)] };
    let two = Quad { x: 4, samples: &[(1, 8), (3, 9)] };
    let one = Quad { x: 6, samples: &[(2, 6)] };
    for quad in [WHOLE, ENDS, four, two, one] {
        let count = quad.samples.len();
        let base = if count == 1 { 3 } else { 0 };
        for order in [[0, 1, 2, 3], [3, 2, 1, 0]] {
            let order: Vec<usize> = order.into_iter().filter(|&m| m < count).collect();
            let (launch, events) = shown(quad, base, &order, &options);
            assert_eq!(find(&launch, &events, &options), None, "{count} at {} {order:?}", quad.x);
        }
    }
}

/// The slots of a group are launched into again, that of member 0 last; the records of its end may
/// come later than the launch.
#[test]
fn a_group_follows_another() {
    let options = options();
    let quads = [WHOLE, Quad { x: 2, ..WHOLE }, ENDS];
    let launch = frame(&quads, &options);
    let mut machine = Machine::new(lockstep(&launch, &options).model.golden, &options);
    let mut starts = vec![];
    for (order, quad) in (0..).zip(quads) {
        starts.push(machine.events.len());
        (0..3).for_each(|m| machine.launch_sample(quad, 0, m));
        let launches = machine.events.iter_mut().rev().take(3);
        launches.filter_map(|o| o.graphics.launch.as_mut()).for_each(|l| l.order = order);
        machine.run(0);
        machine.split(0);
        [1, 0, 2].iter().for_each(|&m| machine.run(m));
    }
    assert_eq!(find(&launch, &machine.events, &options), None);
    // The last record of the group before is shown behind the launches.
    for start in [starts[2], starts[1]] {
        machine.events[start - 1..start + 3].rotate_left(1);
    }
    assert_eq!(find(&launch, &machine.events, &options), None);
}

/// The concern that finds each planted bug.
#[test]
fn every_planted_bug_of_splitting_is_found() {
    // Those of pixels are found in scenes: tests/splitting.rs.
    for &(fault, name, _) in Fault::ALL.iter().filter(|f| f.0.is_of_splitting() && !f.0.is_of_shapes()) {
        let healthy = options();
        let quad = if fault == Fault::SplitDead { ENDS } else { WHOLE };
        let (launch, events) = shown(quad, 0, &[0, 1, 2], &healthy);
        let expected = match fault {
            // A warp of the model has not ended.
            Fault::SplitDead | Fault::SplitEmpty => Concern::EndState,
            _ => Concern::Retire,
        };
        let options = Options { model_fault: Some(fault), ..healthy };
        let found = find(&launch, &events, &options);
        assert_eq!(found.as_ref().map(|f| f.0), Some(expected), "{name}: {found:?}");
    }
}

fn is_found(found: Option<(Concern, What)>, concern: Concern, words: &str) {
    let (by, what) = found.expect(words);
    let text = format!("{what:?}");
    assert!(by == concern && text.contains(words), "{words}: {by:?} {text}");
}

/// What a machine must not do, by changing what it shows.
#[test]
fn wrong_groups_and_splits_are_found() {
    let on = options();
    let (launch, events) = shown(WHOLE, 0, &[0, 1, 2], &on);
    let change = |change: &dyn Fn(&mut Outputs)| {
        let mut events = events.clone();
        events.iter_mut().for_each(change);
        find(&launch, &events, &on)
    };
    let launches = |of: u8, change: &'static dyn Fn(&mut GraphicsLaunched)| {
        move |o: &mut Outputs| o.graphics.launch.iter_mut().filter(|l| l.member == of).for_each(change)
    };
    let splits =
        |change: &'static dyn Fn(&mut SplitEvent)| move |o: &mut Outputs| o.graphics.splits.iter_mut().for_each(change);
    is_found(change(&splits(&|s| s.lanes = 0b0110)), Concern::Split, "SplitLanes");
    is_found(change(&splits(&|s| s.covered = 0b0111)), Concern::Split, "SplitLanes");
    is_found(change(&splits(&|s| s.others = 1)), Concern::Split, "SplitLanes");
    is_found(change(&splits(&|s| s.warp = 1)), Concern::Split, "Held { what: Split");
    is_found(change(&splits(&|s| s.warp = 15)), Concern::Retire, "Impossible(Split");
    is_found(change(&launches(1, &|l| l.member = 2)), Concern::Split, "GroupMember");
    is_found(change(&launches(1, &|l| l.others = 3)), Concern::Split, "GroupMember");
    is_found(change(&launches(0, &|l| l.covered = 0b0011)), Concern::Coverage, "QuadPlace");
    is_found(change(&launches(2, &|l| l.covered = 0b0111)), Concern::Coverage, "QuadPlace");
    is_found(change(&launches(1, &|l| l.mergeable = true)), Concern::Split, "a member is one of a pair, too");
    is_found(change(&launches(1, &|l| l.mask = 7)), Concern::Split, "does not start");
    is_found(change(&launches(1, &|l| l.cutoff = 3)), Concern::Quad, "QuadState");
    let elsewhere = |o: &mut Outputs| o.launch.iter_mut().filter(|l| l.warp == 1).for_each(|l| l.warp = 3);
    is_found(change(&elsewhere), Concern::Split, "more of 4");
    let mut off = options();
    off.config.split = false;
    is_found(find(&launch, &events, &off), Concern::Split, "does not split");
}

/// What a machine must not leave out, or do in another order.
#[test]
fn missing_and_early_events_are_found() {
    let on = options();
    let (launch, events) = shown(WHOLE, 0, &[0, 1, 2], &on);
    let at = events.iter().position(|o| !o.graphics.splits.is_empty()).unwrap();
    is_found(find(&launch, &events[..3], &on), Concern::Split, "GroupIncomplete { launched: 2, members: 3 }");
    is_found(find(&launch, &events[..at], &on), Concern::Split, "NeverSplit");
    let mut swapped = events.clone();
    swapped.swap(2, 3);
    is_found(find(&launch, &swapped, &on), Concern::Split, "in the order of their numbers");
    let mut late = events.clone();
    late.swap(1, 2);
    is_found(find(&launch, &late, &on), Concern::Split, "one after the other");
    // Members go on without a split.
    for (order, asleep) in [([0, 1, 2], false), ([1, 0, 2], true)] {
        let (launch, mut events) = shown(WHOLE, 0, &order, &on);
        events.remove(at);
        is_found(find(&launch, &events, &on), Concern::Split, &format!("UnsplitRetires {{ asleep: {asleep} }}"));
    }
    // It splits before member 0 has stopped, and that never does.
    let mut early = events[..at - 1].to_vec();
    early.push(events[at].clone());
    is_found(find(&launch, &early, &on), Concern::Split, "Held { what: Split");
}
