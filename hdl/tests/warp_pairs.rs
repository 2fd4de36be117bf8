//! Register map and pairs of slots alone: every answer is computed again from the rules of
//! docs/blocks/register-map.md, on random launches, reads, writes and merges, on both engines. The
//! planted faults are found by the answer that they change.
//!
//! It can be wrong by rules that are misread in the same way here and there; lockstep with the
//! model is for that.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, PrivateSet, PublicRegisters, SplitShape};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::warp::groups::WarpGroups;
use quadlock_hdl::warp::pairs::WarpPairs;
use quadlock_hdl::warp::register_map::RegisterMap;
use quadlock_hdl::warp::twins::WarpTwins;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};

fn config(fault: Option<Fault>) -> GpuConfig {
    GpuConfig { graphics: true, merge: true, fault, ..GpuConfig::default() }
}

/// Options of the register map.
type Registers = (PublicRegisters, PrivateSet);
const USUAL: Registers = (PublicRegisters::Below, PrivateSet::Old);

/// What a slot was launched with, and what it owns.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    cutoff: u64,
    bitmap: u64,
    merged: bool,
    guest: bool,
    deep: bool,
    flip: u64,
    owned: u64,
    /// Its lanes are that pixel's samples.
    pixel: Option<u64>,
}

impl Slot {
    fn is_public(&self, r: u64, (public, _): Registers) -> bool {
        match public {
            _ if self.cutoff == 0 => false,
            PublicRegisters::Bitmap => self.bitmap >> r & 1 == 1,
            PublicRegisters::Above => r >= 32 - self.cutoff,
            PublicRegisters::Half => r < 16,
            PublicRegisters::Below => r < self.cutoff,
        }
    }

    /// Of a private register of a merged warp: the number of the register in the slot beside it
    /// that it is (MS-35).
    fn beside(&self, r: u64) -> Option<u64> {
        let half = (32 - self.cutoff) / 4 * 2;
        (self.merged && r >= self.cutoff + half).then(|| r - half)
    }
}

fn map(on: On, fault: Option<Fault>, option: Registers, cycles: usize) -> Result<(), String> {
    let (public_registers, merge_private) = option;
    let config = GpuConfig { public_registers, merge_private, ..config(fault) };
    map_of(on, &config, cycles)
}

/// With `split_shape` some slots are pixels.
fn map_of(on: On, config: &GpuConfig, cycles: usize) -> Result<(), String> {
    let option = (config.public_registers, config.merge_private);
    let ((public_registers, merge_private), turns) = (option, config.turns());
    let bench = Bench::new(RegisterMap::new(config), |b| &mut b.clock);
    let mut m = Machine::new(on, config, "register_map", bench);
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut slots = [Slot::default(); 16];
    for _ in 0..cycles {
        let launch = rng.random_bool(0.3);
        let at = rng.random_range(0..16);
        let launched = merge_private != PrivateSet::Joined || slots[at as usize].cutoff > 0;
        let merge = !launch && launched && rng.random_bool(0.2);
        let new = Slot {
            // A program without public registers has no merge point.
            cutoff: rng.random_range(u64::from(merge_private == PrivateSet::Joined)..33),
            bitmap: if rng.random_bool(0.9) { rng.random_range(0..1 << 32) } else { 0 },
            merged: false,
            guest: at & 3 != 0 && rng.random_bool(0.6),
            deep: at & 2 != 0 && rng.random_bool(0.5),
            flip: rng.random_range(0..4),
            owned: rng.random_range(0..16),
            pixel: (turns && rng.random()).then(|| rng.random_range(0..4)),
        };
        if turns {
            m.set("launch_turned_0", new.pixel.is_some().into());
            m.set("launch_pixel_0", new.pixel.unwrap_or(3));
        }
        for (name, value) in [
            ("launch", u64::from(launch)),
            ("launch_warp", at),
            ("launch_cutoff", new.cutoff),
            ("launch_guest", u64::from(new.guest)),
            ("launch_deep", u64::from(new.deep)),
            ("launch_flip", new.flip),
            ("launch_owned", new.owned),
            ("merge", u64::from(merge)),
            ("merge_warp", at),
            ("merge_owned", new.owned),
        ] {
            m.set(name, value);
        }
        if public_registers == PublicRegisters::Bitmap {
            m.set("launch_bitmap_0", new.bitmap);
        }
        let read = rng.random_range(0..16usize);
        let registers = [0; 3].map(|_: u64| rng.random_range(0..32u64));
        m.set("read_warp", read as u64);
        let locked = rng.random_range(0..65536u64);
        m.set("locked", locked);
        for (name, r) in ["read_a", "read_b", "read_c"].iter().zip(registers) {
            m.set(name, r);
        }
        let writes =
            [0; 2].map(|_: u64| [rng.random_range(0..16u64), rng.random_range(0..32), rng.random_range(0..16)]);
        for (bank, [warp, register, mask]) in writes.iter().enumerate() {
            m.set(&format!("write_warp_{bank}"), *warp);
            m.set(&format!("write_register_{bank}"), *register);
            m.set(&format!("write_mask_{bank}"), *mask);
        }
        m.settle();
        let slot = slots[read];
        let (mut fold, mut third, mut spread) = (0, 0, 0);
        for (k, (name, r)) in ["hide_a", "hide_b", "hide_c"].iter().zip(registers).enumerate() {
            let public = slot.is_public(r, option);
            let gone = slot.merged && !public;
            let beside = slot.beside(r).filter(|_| merge_private == PrivateSet::Joined);
            spread |= u64::from(public && slot.pixel.is_some() && locked >> read & 1 == 1) << k;
            fold |= u64::from(public && slot.guest || beside.is_some()) << k;
            third |= u64::from(gone && merge_private == PrivateSet::New) << k;
            let hidden = match public {
                true => !slot.owned & 15,
                false if gone && merge_private == PrivateSet::None => 15,
                false => 0,
            };
            if m.get(name) != hidden {
                return Err(format!("{name} is {:x}, not {hidden:x}", m.get(name)));
            }
            if merge_private == PrivateSet::Joined {
                let (name, number) = (["number_a_0", "number_b_0", "number_c_0"][k], beside.unwrap_or(r));
                if m.get(name) != number {
                    return Err(format!("{name} is {}, not {number}", m.get(name)));
                }
            }
        }
        if merge_private == PrivateSet::New && m.get("third_0") != third {
            return Err(format!("third is {}, not {third}", m.get("third_0")));
        }
        if turns && (m.get("spread_0") != spread || spread != 0 && Some(m.get("spread_lane_0")) != slot.pixel) {
            return Err(format!("spread is {}, not {spread}: {slot:?}", m.get("spread_0")));
        }
        if m.get("fold") != fold || m.get("flip") != slot.flip {
            return Err(format!("fold is {}, flip {}; not {fold}, {}", m.get("fold"), m.get("flip"), slot.flip));
        }
        let fold_warp = match slot.merged && merge_private == PrivateSet::Joined {
            true => read as u64 | 1,
            false => read as u64 & if slot.guest && slot.deep { 12 } else { 14 },
        };
        if m.get("fold_warp") != fold_warp {
            return Err(format!("fold_warp is {}, not {fold_warp}", m.get("fold_warp")));
        }
        for (bank, [warp, register, mask]) in writes.iter().enumerate() {
            let slot = slots[*warp as usize];
            let public = slot.is_public(*register, option);
            let gone = slot.merged && !public;
            let beside = slot.beside(*register).filter(|_| merge_private == PrivateSet::Joined);
            let home = match beside {
                Some(_) => warp | 1,
                None if public && slot.guest => warp & if slot.deep { 12 } else { 14 },
                None => *warp,
            };
            if merge_private == PrivateSet::Joined {
                let (seen, number) = (m.get(&format!("number_{bank}")), beside.unwrap_or(*register));
                if seen != number {
                    return Err(format!("the number is {seen}, not {number}"));
                }
            }
            if merge_private == PrivateSet::New && m.get(&format!("third_home_{bank}")) != u64::from(gone) {
                return Err(format!("third_home_{bank} is not {gone}"));
            }
            let lanes = match public {
                false if gone && merge_private == PrivateSet::None => 0,
                true if locked >> warp & 1 == 1 => 0,
                true => mask & slot.owned,
                false => *mask,
            };
            let seen = [m.get(&format!("home_{bank}")), m.get(&format!("lanes_{bank}"))];
            if seen != [home, lanes] {
                return Err(format!(
                    "home and lanes are {seen:?}, not {:?}: {warp} r{register} of {slot:?}",
                    [home, lanes]
                ));
            }
        }
        m.cycle();
        if launch {
            slots[at as usize] = new;
        }
        if merge {
            slots[at as usize].owned = new.owned;
            slots[at as usize].merged = merge_private != PrivateSet::Old;
        }
    }
    Ok(())
}

#[test]
fn ms_20_ms_21_registers_are_where_the_rules_say() {
    for (on, cycles) in [(On::Verilog, 4000), (On::RustHdl, 300)] {
        map(on, None, USUAL, cycles).unwrap_or_else(|e| panic!("{on:?}: {e}"));
    }
}

const OPTIONS: [Registers; 8] = [
    (PublicRegisters::Above, PrivateSet::Old),
    (PublicRegisters::Half, PrivateSet::Old),
    (PublicRegisters::Bitmap, PrivateSet::Old),
    (PublicRegisters::Below, PrivateSet::None),
    (PublicRegisters::Bitmap, PrivateSet::None),
    (PublicRegisters::Below, PrivateSet::Joined),
    (PublicRegisters::Below, PrivateSet::New),
    (PublicRegisters::Above, PrivateSet::New),
];

#[test]
fn ms_20_ms_22_registers_are_where_each_option_says() {
    for option in OPTIONS {
        for (on, cycles) in [(On::Verilog, 3000), (On::RustHdl, 100)] {
            map(on, None, option, cycles).unwrap_or_else(|e| panic!("{option:?} {on:?}: {e}"));
        }
    }
}

fn pairs(on: On, fault: Option<Fault>, cycles: usize) -> Result<(), String> {
    let config = config(fault);
    let bench = Bench::new(WarpPairs::new(&config), |b| &mut b.clock);
    let mut m = Machine::new(on, &config, "warp_pairs", bench);
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut open = 0u64;
    for _ in 0..cycles {
        let launch = rng.random_bool(0.4);
        let warp = rng.random_range(0..16u64);
        let member = rng.random_bool(0.7);
        let guest = member && warp & 1 == 1;
        let names = ["even_member", "odd_member", "even_alive", "odd_alive", "even_ready", "odd_ready"];
        let words = names.map(|_| rng.random_range(0..256u64));
        m.set("launch", u64::from(launch));
        m.set("launch_warp", warp);
        m.set("launch_member", u64::from(member));
        m.set("launch_guest", u64::from(guest));
        for (name, word) in names.iter().zip(words) {
            m.set(name, word);
        }
        m.settle();
        let [even_member, odd_member, even_alive, odd_alive, even_ready, odd_ready] = words;
        let both = even_ready & odd_ready & !open;
        let merge = if launch { 0 } else { both & both.wrapping_neg() };
        let expected = [open | odd_member & odd_alive, even_member & even_alive, merge];
        let seen = ["even_partner", "odd_partner", "merge"].map(|name| m.get(name));
        if seen != expected {
            return Err(format!("partners and merge are {seen:x?}, not {expected:x?}"));
        }
        m.cycle();
        if launch {
            open &= !(1 << (warp >> 1));
            open |= u64::from(member && !guest) << (warp >> 1);
        }
    }
    Ok(())
}

#[test]
fn ms_11_ms_14_pairs_merge_when_both_can() {
    for (on, cycles) in [(On::Verilog, 4000), (On::RustHdl, 300)] {
        pairs(on, None, cycles).unwrap_or_else(|e| panic!("{on:?}: {e}"));
    }
}

/// Random launches and states of slots; what a slot is goes by its last launch.
fn groups(on: On, fault: Option<Fault>, cycles: usize) -> Result<(), String> {
    let config = GpuConfig { merge_group: 4, ..config(fault) };
    let bench = Bench::new(WarpGroups::new(&config), |b| &mut b.clock);
    let mut m = Machine::new(on, &config, "warp_groups", bench);
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    // Of each slot: launched last as a member of a group of more than two; by home: not all are
    // launched.
    let (mut deep, mut open) = ([false; 16], [false; 16]);
    for _ in 0..cycles {
        let launch = rng.random_bool(0.4);
        let warp = rng.random_range(0..16usize);
        let member = rng.random_bool(0.8);
        let in_four = rng.random_bool(0.5);
        let number = if in_four { warp & 3 } else { warp & 1 };
        let others = if in_four { rng.random_range(number.max(2)..4) } else { 1 };
        let words = [0; 3].map(|_: u64| rng.random_range(0..65536u64));
        for (name, value) in [
            ("launch", u64::from(launch)),
            ("launch_warp", warp as u64),
            ("launch_member", u64::from(member)),
            ("launch_number", number as u64),
            ("launch_others", others as u64),
            ("member", words[0]),
            ("alive", words[1]),
            ("ready", words[2]),
        ] {
            m.set(name, value);
        }
        m.settle();
        let is = |k: usize, slot: usize| words[k] >> slot & 1 == 1;
        let live = |slot: usize| is(0, slot) && is(1, slot);
        // Slot of member 0 of what a slot holds: of one of a group, the last multiple of four.
        let home = |slot: usize| if deep[slot] { slot & 12 } else { slot & 14 };
        let guests = |h: usize| (h + 1..16.min(h + 4)).filter(move |&g| home(g) == h);
        let partner = |s: usize| match home(s) {
            h if h == s => open[h] || guests(h).any(live),
            h => home(h) == h && live(h),
        };
        let (mut merge, mut more) = (None, false);
        for h in (0..16).filter(|&h| !launch && home(h) == h && live(h) && is(2, h)) {
            let gone = guests(h).find(|&g| live(g) && is(2, g));
            if let Some(gone) = gone.filter(|_| merge.is_none()) {
                merge = Some((h, gone));
                more = open[h] || guests(h).any(|g| g != gone && live(g));
            }
        }
        let bit = |slot: Option<usize>| slot.map_or(0, |s| 1u64 << s);
        let expected = [
            (0..16).filter(|&s| partner(s)).map(|s| 1 << s).sum(),
            bit(merge.map(|m| m.1)),
            bit(merge.map(|m| m.0)),
            u64::from(more),
            merge.map_or(0, |m| m.1 as u64),
            merge.map_or(0, |m| m.0 as u64),
            merge.map_or(0, |m| (m.1 - m.0) as u64),
        ];
        let names = [
            "partner",
            "merge_source",
            "merge_target",
            "more",
            "merge_source_warp",
            "merge_target_warp",
            "merge_source_number",
        ];
        let seen = names.map(|name| m.get(name));
        if seen != expected {
            return Err(format!("{names:?} are {seen:x?}, not {expected:x?}"));
        }
        m.cycle();
        if launch {
            deep[warp] = member && in_four;
            if member {
                open[warp - number] = number != others;
            }
        }
    }
    Ok(())
}

#[test]
fn ms_6_members_of_a_group_go_to_the_first_when_both_can() {
    for (on, cycles) in [(On::Verilog, 8000), (On::RustHdl, 300)] {
        groups(on, None, cycles).unwrap_or_else(|e| panic!("{on:?}: {e}"));
    }
}

/// MS-41: behind a split into pixels public registers are those of one lane.
#[test]
fn ms_41_public_registers_of_a_pixel_are_those_of_its_lane() {
    for merge in [false, true] {
        for (on, cycles) in [(On::Verilog, 2000), (On::RustHdl, 200)] {
            let config = GpuConfig { merge, split: true, split_shape: SplitShape::Pixels, ..config(None) };
            map_of(on, &config, cycles).unwrap_or_else(|e| panic!("{on:?}: {e}"));
        }
    }
}

fn both(fault: Option<Fault>) -> GpuConfig {
    GpuConfig { split: true, warps: 16, ..config(fault) }
}

/// Samples of the second group have the public registers of slot 4 q or 8 q.
fn far(on: On, fault: Option<Fault>) -> Result<(), String> {
    let config = both(fault);
    let bench = Bench::new(RegisterMap::new(&config), |b| &mut b.clock);
    let mut m = Machine::new(on, &config, "register_map", bench);
    // Slot, how its home is told, and its home.
    for (slot, guest, deep, far, home) in
        [(12, 1, 1, 1, 8), (15, 1, 1, 1, 8), (6, 1, 1, 0, 4), (7, 1, 1, 0, 4), (4, 1, 1, 1, 0), (9, 1, 0, 0, 8)]
    {
        m.set("launch", 1);
        m.set("launch_warp", slot);
        m.set("launch_cutoff", 8);
        m.set("launch_guest", guest);
        m.set("launch_deep", deep);
        m.set("launch_far_0", far);
        m.set("launch_owned", 15);
        m.settle();
        m.cycle();
        m.set("launch", 0);
        m.set("read_warp", slot);
        m.set("read_a", 3);
        m.set("read_b", 8);
        m.set("write_warp_0", slot);
        m.set("write_register_0", 6);
        m.set("write_mask_0", 9);
        m.settle();
        let seen = ["fold", "fold_warp", "home_0", "lanes_0"].map(|name| m.get(name));
        if seen[0] & 3 != 1 || seen[1..] != [home, home, 9] {
            return Err(format!("slot {slot} with home {home}: {seen:?}"));
        }
    }
    Ok(())
}

#[test]
fn ms_42_registers_of_two_groups_are_where_the_rules_say() {
    for on in [On::Verilog, On::RustHdl] {
        far(on, None).unwrap_or_else(|e| panic!("{on:?}: {e}"));
    }
}

/// Two groups of a pair, their slots `apart`, with two samples and three: partners, the merge, and
/// how long the first slot is held.
fn twins(on: On, fault: Option<Fault>, home: u64, apart: u64) -> Result<(), String> {
    let config = both(fault);
    let bench = Bench::new(WarpTwins::new(&config), |b| &mut b.clock);
    let mut m = Machine::new(on, &config, "warp_twins", bench);
    let second = home + apart;
    let bits = |slots: &[u64]| slots.iter().fold(0, |all, s| all | 1u64 << s);
    let expect = |m: &mut Machine, what: &str, values: [u64; 4]| {
        m.settle();
        let seen = ["partner", "merge_target", "merge_source", "held"].map(|name| m.get(name));
        if seen == values {
            Ok(())
        } else {
            Err(format!("{what}: partner, kept, gone, held are {seen:x?}, not {values:x?}"))
        }
    };
    let launch = |m: &mut Machine, twin: u64, rank: u64, others: u64, slot: u64| {
        m.set("launch", 1);
        for (name, value) in
            [("launch_warp", slot), ("launch_twin", twin), ("launch_rank", rank), ("launch_others", others)]
        {
            m.set(name, value);
        }
        m.settle();
        m.cycle();
        m.set("launch", 0);
    };
    m.set("free", 0xFFFF & !bits(&[home, home + 1]));
    launch(&mut m, 1, 0, 1, home);
    m.set("member", bits(&[home]));
    m.set("alive", bits(&[home]));
    // It can merge at once, and has a partner that is not there.
    m.set("ready", bits(&[home]));
    expect(&mut m, "the first group", [bits(&[home]), 0, 0, bits(&[home])])?;
    launch(&mut m, 1, 1, 1, home + 1);
    let of = if apart == 2 { 2 } else { 3 };
    let last = if apart == 2 { 1 } else { 2 };
    for rank in 0..=last {
        launch(&mut m, of, rank, last, second + rank);
        m.set("member", bits(&[home, second]));
        m.set("alive", bits(&[home, second]));
        m.set("ready", bits(&[home, second]));
        m.set("free", 0);
        m.settle();
        let open = rank < last;
        if (m.get("merge_target") == 0) != open {
            return Err(format!("sample {rank} of the second group: kept is {:x}", m.get("merge_target")));
        }
    }
    let both = bits(&[home, second]);
    expect(&mut m, "both can", [both, bits(&[home]), bits(&[second]), bits(&[home])])?;
    // Not while others of the unit merge, nor while one is launched.
    m.set("others_merge", 1);
    expect(&mut m, "others merge", [both, 0, 0, bits(&[home])])?;
    m.set("others_merge", 0);
    m.set("ready", bits(&[home]));
    expect(&mut m, "one can", [both, 0, 0, bits(&[home])])?;
    m.set("alive", bits(&[second]));
    expect(&mut m, "the first group is no more", [bits(&[home]), 0, 0, bits(&[home])])?;
    m.set("free", bits(&[second]));
    m.settle();
    m.cycle();
    m.settle();
    match m.get("held") {
        0 => Ok(()),
        held => Err(format!("the second slot is free, and {held:x} is held")),
    }
}

#[test]
fn ms_42_first_samples_of_two_groups_merge() {
    for on in [On::Verilog, On::RustHdl] {
        for (home, apart) in [(8, 4), (0, 4), (4, 2), (12, 2)] {
            twins(on, None, home, apart).unwrap_or_else(|e| panic!("{on:?}, {home}, {apart}: {e}"));
        }
    }
}

#[test]
fn planted_faults_of_two_groups_are_caught() {
    for fault in [Fault::TwinEarly, Fault::TwinFree] {
        twins(On::Verilog, Some(fault), 8, 4).expect_err(&format!("{fault:?} is not caught"));
    }
    far(On::Verilog, Some(Fault::TwinHome)).expect_err("not caught");
}

#[test]
fn planted_faults_of_pairs_are_caught() {
    for fault in [Fault::PublicHelper, Fault::PublicOwn, Fault::PrivateShared, Fault::SplitWrite, Fault::SplitHome] {
        map(On::Verilog, Some(fault), USUAL, 500).expect_err(&format!("{fault:?} is not caught"));
    }
    for (fault, option) in [
        (Fault::PublicBitmap, (PublicRegisters::Bitmap, PrivateSet::Old)),
        (Fault::MergedBare, (PublicRegisters::Below, PrivateSet::None)),
        (Fault::MergedJoined, (PublicRegisters::Below, PrivateSet::Joined)),
    ] {
        map(On::Verilog, Some(fault), option, 500).expect_err(&format!("{fault:?} is not caught"));
    }
    pairs(On::Verilog, Some(Fault::PairOpen), 500).expect_err("not caught");
    groups(On::Verilog, Some(Fault::PairOpen), 500).expect_err("not caught");
}
