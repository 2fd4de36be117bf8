//! Cycles per second of the default core on rust-hdl's engine, running a loop of arithmetic, loads
//! and stores in every warp:
//! `cargo run --release -p quadlock-hdl --example core_speed -- [--units N] [--warps N] [--cycles N]`
//! Memory answers in the next cycle.

use std::collections::VecDeque;
use std::time::Instant;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::gpu::Gpu;
use quadlock_isa::asm::assemble;

const PROGRAM: &str = "
    S2R r1, thread_slot
    SHL r2, r1, #4
    MOV r5, #0
loop:
    IADD r5, r5, #1
    IMAD r7, r5, r1, r5
    U2F r8, r7
    FFMA r9, r8, #1.5f, r8
    ST.32 [r2+0x10000], r9
    LD.32 r10, [r2+0x10000]
    FADD r11, r10, r9
    BRA loop
";

fn main() {
    let mut config = GpuConfig::default();
    let mut cycles = 3000u64;
    let args: Vec<String> = std::env::args().skip(1).collect();
    for pair in args.chunks(2) {
        let value = pair.get(1).and_then(|v| v.parse().ok()).unwrap_or(0);
        match pair[0].as_str() {
            "--units" => config.units = value,
            "--warps" => config.warps = value,
            "--cycles" => cycles = value as u64,
            other => eprintln!("unknown option {other}"),
        }
    }
    let gpu = Gpu::new(&config).unwrap_or_else(|e| panic!("{e}"));
    let mut bench = Bench::new(gpu, |b| &mut b.clock);
    let code = assemble("speed", PROGRAM).unwrap_or_else(|e| panic!("{e}")).code;
    let mut memory = vec![0u32; 0x8000];
    for (i, word) in code.iter().enumerate() {
        memory[0x400 + 2 * i] = *word as u32;
        memory[0x401 + 2 * i] = (*word >> 32) as u32;
    }
    let setup = [0x1000, code.len() as u32, 1, 1, 1, 1024, 1, 1, 256, 0, 1, 0];
    let mut writes: VecDeque<(u64, u64)> =
        setup.iter().enumerate().map(|(i, v)| (0x1001 + i as u64, u64::from(*v))).collect();
    writes.push_back((0x1000, 1));
    let mut responses: VecDeque<[u32; 4]> = VecDeque::new();
    let mut retired = 0u64;
    let (mut start, mut passes) = (Instant::now(), 0);
    for cycle in 0..cycles + 200 {
        if cycle == 200 {
            (start, passes, retired) = (Instant::now(), bench.passes, 0);
        }
        let write = writes.pop_front();
        bench.host.valid.next = write.is_some();
        if let Some((addr, data)) = write {
            bench.host.addr.next = addr.into();
            bench.host.data.next = data.into();
        }
        bench.mem_req.ready.next = true;
        bench.mem_rsp.valid.next = !responses.is_empty();
        if let Some(line) = responses.front() {
            for (port, word) in bench.mem_rsp.data.iter_mut().zip(line) {
                port.next = u64::from(*word).into();
            }
        }
        bench.settle();
        if bench.mem_rsp.ready.val() && bench.mem_rsp.valid.next {
            responses.pop_front();
        }
        if bench.mem_req.valid.val() {
            let at = bench.mem_req.addr.val().index() / 4 % memory.len();
            for i in (0..4).filter(|_| bench.mem_req.write.val()) {
                memory[at + i] = bench.mem_req.data[i].val().to_u32();
            }
            responses.push_back(std::array::from_fn(|i| memory[at + i]));
        }
        retired += bench.ret.iter().filter(|r| r.valid.val()).count() as u64;
        bench.cycle();
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} units x {} warps: {:.0} cycles/s, {:.1} passes per cycle, {:.2} warp instructions per cycle",
        config.units,
        config.warps,
        cycles as f64 / seconds,
        (bench.passes - passes) as f64 / cycles as f64,
        retired as f64 / cycles as f64
    );
}
