//! Speed of rust-hdl's engine on eight lanes: clock cycles per second, every lane busy with random
//! operations of all kinds, and idle. `cargo run --release -p quadlock-hdl --example lane_speed`

use std::time::Instant;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::warp::lane::Lane;
use quadlock_isa::{Class, Op, TABLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

const LANES: usize = 8;
const CYCLES: u64 = 3000;

fn measure(what: &str, choose: impl Fn(&mut ChaCha8Rng) -> Op) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut lanes: Vec<_> =
        (0..LANES).map(|_| Bench::new(Lane::new(&GpuConfig::default()), |b| &mut b.clock)).collect();
    let start = Instant::now();
    for _ in 0..CYCLES {
        for lane in &mut lanes {
            let op = choose(&mut rng);
            if op != Op::End {
                lane.op.next = bits(op as u64);
                lane.a.next = bits(rng.random::<u32>().into());
                lane.b.next = bits(rng.random::<u32>().into());
                lane.c.next = bits(rng.random::<u32>().into());
            }
            lane.cycle();
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let passes = lanes[0].passes as f64 / CYCLES as f64;
    println!("{what:<12} {:>9.0} cycles/s of {LANES} lanes, {passes:.1} passes per cycle", CYCLES as f64 / seconds);
}

fn main() {
    let alu: Vec<Op> = TABLE.iter().filter(|row| row.class == Class::Alu).map(|row| row.op).collect();
    measure("all kinds", |rng| alu[rng.random_range(0..alu.len())]);
    measure("FFMA", |_| Op::FFma);
    measure("IADD", |_| Op::IAdd);
    measure("idle", |_| Op::End);
}
