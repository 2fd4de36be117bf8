//! The judge of the merge queue. It sees the ports, cycle by cycle, and knows the rules: each quad
//! goes out once and unchanged, members of a pair follow each other and may pair, nobody goes alone
//! without a reason, and nobody waits too long. A quad that splits is one for the rules: it has
//! come with its last sample, and has gone with its last sample. Its samples go in order, each with
//! its own depths, and nothing between.

use quadlock_hdl::config::GpuConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::quads::{flipped, Quad, FIELDS, SPLITTING, UNMARKED};
use crate::common::machine::Machine;

/// Fields of the pairing.
const PAIRING: [&str; 5] = ["mergeable", "pair", "member", "others", "flip"];

/// Cycles in which the output is ready that a quad may be here longer than the limit: one after the
/// other of a full queue goes before it, and the way through the queue.
pub fn slack(depth: usize) -> u64 {
    2 * depth as u64 + 8
}

/// A quad that is in the queue.
struct Inside {
    quad: Quad,
    /// Cycles since it came in which the output was ready.
    ready: u64,
    /// The same, since nothing may wait any more: a drain, or a quad of another draw or tile.
    flushed: u64,
    /// A quad of another draw or tile has come behind it.
    over: bool,
    /// A reason to go alone: a drain, another draw, a full queue.
    reason: bool,
}

/// The rules for a queue.
pub struct Judge<'a> {
    config: &'a GpuConfig,
    limit: u64,
    inside: Vec<Inside>,
    /// Members of a group that have gone, until the last one has; other members, as they say.
    members: Vec<Quad>,
    others: u64,
    /// Lanes of those members, where they stand.
    joint: u64,
    /// What was shown and not taken.
    kept: Option<(Quad, [u64; 5])>,
    /// Samples that have gone of the quad that goes.
    sent: Vec<u64>,
    /// Some samples have come of a quad, and not all.
    half: bool,
    /// Quads that have gone, in order, with the number of their pair's member if they have one.
    pub gone: Vec<(Quad, Option<u64>)>,
    /// The longest stay beyond the limit.
    pub longest: u64,
}

impl<'a> Judge<'a> {
    pub fn new(config: &'a GpuConfig, limit: u64) -> Self {
        Self {
            config,
            limit,
            inside: vec![],
            members: vec![],
            others: 0,
            joint: 0,
            kept: None,
            sent: vec![],
            half: false,
            gone: vec![],
            longest: 0,
        }
    }

    /// Pairs that have gone; a group of n counts as n - 1.
    pub fn pairs(&self) -> usize {
        self.gone.iter().filter(|(_, member)| member.is_some_and(|m| m > 0)).count()
    }

    fn legal(&self, second: &Quad, flip: u64) -> Result<(), String> {
        let first = self.members.first().ok_or("a second member comes without a first")?;
        if first.get("context") != second.get("context") {
            return Err(format!("a pair across contexts: {first:?}, {second:?}"));
        }
        for quad in [first, second] {
            if !quad.sparse() {
                return Err(format!("{quad:?} is full or has no merge point, and pairs"));
            }
        }
        if first.foreign(second, self.config) {
            return Err(format!("a pair across tiles, kinds or triangles: {first:?}, {second:?}"));
        }
        if flip != 0 && !self.config.merge_flip {
            return Err("a flip, and there are none".into());
        }
        if self.joint & flipped(second.lanes(), flip) != 0 {
            let (a, b) = (self.joint, second.lanes());
            return Err(format!("lanes overlap: {a:04b}, {b:04b} with flip {flip}"));
        }
        if flip != 0 && self.joint & second.lanes() == 0 {
            return Err("a flip that is not needed".into());
        }
        Ok(())
    }

    fn shown(&mut self, quad: &Quad, pairing: [u64; 5], taken: bool) -> Result<(), String> {
        let [mergeable, pair, member, others, flip] = pairing;
        let here = self.inside.iter().position(|i| i.quad == *quad);
        let here = here.ok_or_else(|| format!("{quad:?} goes and is not inside"))?;
        if mergeable == 0 {
            if pairing != [0; 5] {
                return Err(format!("a pairing of a quad without a partner: {pairing:?}"));
            }
            if !self.members.is_empty() {
                return Err(format!("{quad:?} goes between the members of a pair"));
            }
            let inside = &self.inside[here];
            if quad.sparse() && !inside.reason && inside.ready < self.limit {
                return Err(format!("{quad:?} goes alone without a reason"));
            }
        } else {
            if others == 0 || others >= self.config.merge_group as u64 || member != self.members.len() as u64 {
                return Err(format!("not the next member of a group: {pairing:?}, {} before", self.members.len()));
            }
            if member != 0 && others != self.others {
                return Err(format!("{others} others, and {} were told", self.others));
            }
            if member == 0 && flip != 0 {
                return Err("the first member is flipped".into());
            }
            let named = self.members.first().unwrap_or(quad);
            if pair != named.get("ticket") {
                return Err(format!("pair {pair} of {named:?}"));
            }
            if member != 0 {
                self.legal(quad, flip)?;
            }
        }
        // MS-9: one at its place that came before has gone before, or is its partner.
        let older = self.inside[..here].iter().find(|i| i.quad.place() == quad.place() && i.quad.sparse());
        if let Some(older) = older.filter(|i| self.config.merge_ordered && !i.quad.foreign(quad, self.config)) {
            return Err(format!("{quad:?} overtakes {:?} at its place", older.quad));
        }
        if taken {
            if mergeable == 1 {
                self.members.push(quad.clone());
                self.others = others;
                self.joint |= flipped(quad.lanes(), flip);
            }
            if mergeable == 0 || member == others {
                self.members.clear();
                self.joint = 0;
            }
            self.gone.push((quad.clone(), (mergeable == 1).then_some(member)));
            self.inside.remove(here);
        }
        self.kept = (!taken).then(|| (quad.clone(), pairing));
        Ok(())
    }

    /// A cycle, seen before its edge. `offered` is what stands at the input.
    pub fn cycle(&mut self, m: &Machine, offered: Option<&Quad>, ready: bool, drain: bool) -> Result<bool, String> {
        if !self.half && m.get("idle") != u64::from(self.inside.is_empty()) {
            return Err(format!("idle is {} with {} inside", m.get("idle"), self.inside.len()));
        }
        for inside in &mut self.inside {
            inside.reason |= drain;
            inside.ready += u64::from(ready);
            inside.flushed = if drain || inside.over { inside.flushed + u64::from(ready) } else { 0 };
        }
        // A quad that splits takes a cycle for each sample.
        let bound = slack(self.config.merge_queue) * if self.config.twins() { 4 } else { 1 };
        if let Some(i) = self.inside.iter().find(|i| i.ready > self.limit + bound) {
            return Err(format!("{:?} waits longer than {} + {bound}", i.quad, self.limit));
        }
        if let Some(i) = self.inside.iter().find(|i| i.flushed > bound) {
            return Err(format!("{:?} waits in a drain", i.quad));
        }
        if m.get("shade_valid") == 1 {
            let mut quad = Quad(FIELDS.map(|(name, _)| m.get(&format!("shade_{name}"))));
            let mut ready = ready;
            if self.config.twins() {
                ready = self.sample(&mut quad, m.get("shade_splits") == 1, ready)?;
            }
            let pairing = PAIRING.map(|name| m.get(&format!("pairing_{name}")));
            if self.kept.as_ref().is_some_and(|kept| *kept != (quad.clone(), pairing)) {
                return Err("what is shown changes".into());
            }
            let longest = self.inside.iter().find(|i| i.quad == quad).map_or(0, |i| i.ready);
            self.longest = self.longest.max(longest.saturating_sub(self.limit));
            self.shown(&quad, pairing, ready)?;
        } else if self.kept.is_some() {
            return Err("what is shown goes away".into());
        }
        let taken = offered.filter(|_| m.get("in_quad_ready") == 1);
        if let Some(quad) = taken.filter(|quad| quad.get("end") == 0) {
            self.take(quad, drain);
        }
        Ok(taken.is_some())
    }

    /// A sample of a quad that splits, which becomes the quad. Whether that has gone.
    fn sample(&mut self, quad: &mut Quad, splits: bool, ready: bool) -> Result<bool, String> {
        if splits != SPLITTING.contains(&quad.get("context")) {
            return Err(format!("splits is {splits} of {quad:?}"));
        }
        if !splits {
            return Ok(ready);
        }
        let samples = quad.samples();
        let sample = quad.get("sample");
        if samples.get(self.sent.len()) != Some(&sample) {
            return Err(format!("sample {sample} of {samples:?} goes behind {:?}", self.sent));
        }
        *quad = quad.of_sample(sample, true);
        if ready {
            self.sent.push(sample);
        }
        let all = self.sent.len() == samples.len();
        if all {
            self.sent.clear();
        }
        Ok(ready && all)
    }

    fn take(&mut self, quad: &Quad, drain: bool) {
        for inside in &mut self.inside {
            if inside.quad.foreign(quad, self.config) {
                inside.reason = true;
                inside.over = true;
            }
        }
        // One at its place has to go, and older ones before it.
        if self.config.merge_ordered && self.inside.iter().any(|i| i.quad.place() == quad.place()) {
            self.inside.iter_mut().for_each(|i| i.reason = true);
        }
        let quad = quad.clone();
        self.inside.push(Inside { quad, ready: 0, flushed: 0, over: false, reason: drain });
        if self.inside.len() > self.config.merge_queue {
            self.inside.iter_mut().for_each(|i| i.reason = true);
        }
    }
}

/// How a stream runs.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Probability that the collector has a quad.
    pub give: f64,
    /// Probability that the dispatcher takes one.
    pub take: f64,
    /// Probability that a drain begins, in a cycle.
    pub drain: f64,
    pub limit: u64,
    pub seed: u64,
}

impl Default for Run {
    fn default() -> Self {
        Self { give: 1.0, take: 1.0, drain: 0.0, limit: 1000, seed: 1 }
    }
}

/// Where programs merge, and words that say nothing of it.
pub fn contexts(m: &mut Machine, twins: bool) {
    for context in 0..8 {
        let splits = twins && SPLITTING.contains(&(context as u64));
        let unmarked = UNMARKED.contains(&(context as u64)) && !splits;
        if twins {
            // A split point alone, or a merge point before it.
            let before = if UNMARKED.contains(&(context as u64)) { 0 } else { 4 };
            m.state(false, context, 37, 9 << 16 | before);
            m.state(true, context, 37, before ^ 4);
        }
        let (point, other) = if unmarked { (63, 9) } else { (9, 63) };
        m.state(false, context, 7, point << 16 | 0x80c0_1234);
        m.state(false, context, 6, other << 16);
        m.state(true, context, 7, other << 16);
    }
}

/// Runs a stream, then drains; the judge, and cycles until the last quad of the stream was taken
/// and until the last one had gone.
pub fn run<'a>(
    m: &mut Machine,
    config: &'a GpuConfig,
    stream: &[Quad],
    run: Run,
) -> Result<(Judge<'a>, u64, u64), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(run.seed);
    let twins = config.twins();
    contexts(m, twins);
    let mut stream = stream.to_vec();
    if twins {
        let splitting = stream.iter_mut().filter(|q| SPLITTING.contains(&q.get("context")));
        splitting.for_each(|q| q.set("sample", 0));
    }
    let mut judge = Judge::new(config, run.limit);
    let (mut next, mut offered, mut drain) = (0, false, 0u32);
    // Samples of the next quad that have come.
    let mut told = 0;
    m.set("limit", run.limit);
    let start = m.cycles;
    let mut taken = start;
    loop {
        if m.cycles - start > 40 * stream.len() as u64 + 3 * run.limit + 2000 {
            return Err(format!("{} of {} have gone", judge.gone.len(), stream.len()));
        }
        offered = next < stream.len() && (offered || rng.random_bool(run.give));
        let splits = twins && next < stream.len() && SPLITTING.contains(&stream[next].get("context"));
        let splits = splits && stream[next].get("end") == 0;
        let samples = if splits { stream[next].samples() } else { vec![] };
        let whole = offered.then(|| &stream[next]);
        let beat = whole.map(|q| if splits { q.of_sample(samples[told], false) } else { q.clone() });
        let (quad, last) = (beat.as_ref(), told + 1 >= samples.len());
        if twins {
            m.set("in_quad_splits", u64::from(splits));
        }
        m.set("in_quad_valid", u64::from(offered));
        for (k, (name, width)) in FIELDS.iter().enumerate() {
            m.set(&format!("in_quad_{name}"), quad.map_or_else(|| rng.random_range(0..1 << width), |q| q.0[k]));
        }
        drain = if rng.random_bool(run.drain) { rng.random_range(1..20) } else { drain.saturating_sub(1) };
        // The last drain begins when the last quad has left the head.
        let drains = drain != 0 || (next == stream.len() && m.cycles > taken + 4);
        m.set("drain", u64::from(drains));
        let ready = rng.random_bool(run.take);
        m.set("shade_ready", u64::from(ready));
        m.settle();
        let came = judge.cycle(m, whole.filter(|_| last), ready, drains)?;
        if came || offered && m.get("in_quad_ready") == 1 {
            told = if came { 0 } else { told + 1 };
            next += usize::from(came);
            judge.half = told != 0;
            offered = false;
            taken = m.cycles + 1;
        }
        m.cycle();
        if next == stream.len() && judge.inside.is_empty() {
            return Ok((judge, taken - start, m.cycles - start));
        }
    }
}
