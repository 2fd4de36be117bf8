//! Developer's replay of a recording on a Verilog text: cycles per second and checksum.
use quadlock_rtlsim::backend::Backend;
use quadlock_rtlsim::graph::*;
use quadlock_rtlsim::jit::Jit;
use quadlock_rtlsim::*;
use std::time::Instant;
fn key(i: u64) -> u64 {
    let mut z = (i + 1).wrapping_mul(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
    (z ^ (z >> 31)) | 1
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let rec = std::fs::read(&args[2]).unwrap();
    let repeat: u32 = args.get(3).map_or(1, |s| s.parse().unwrap());
    let flags = args.get(4).cloned().unwrap_or_default();
    let t = Instant::now();
    let sources = [Source::new("core.v", text)];
    let ast = parse::parse(&sources).unwrap();
    let t1 = t.elapsed();
    let mut graph = elaborate::elaborate(&ast, &sources, None).unwrap();
    let t2 = t.elapsed();
    let n0 = graph.topological().unwrap().len();
    let rep = passes::optimize(&mut graph, &Default::default());
    let t3 = t.elapsed();
    println!("{rep:?}");
    let mut options = Options::default().gating(!flags.contains("nogate"));
    if flags.contains("trace") { options = options.trace_all(); }
    let mut jit = Jit::new(&graph, &options).unwrap();
    let t4 = t.elapsed();
    println!("parse {t1:?} elaborate {:?} passes {:?} jit {:?}; nodes {n0} -> {}; {:?}", t2 - t1, t3 - t2, t4 - t3, graph.topological().unwrap().len(), jit.statistics());
    let inp = |n: &str| InputId(graph.inputs.iter().position(|i| i.name == n).unwrap_or_else(|| panic!("{n}")) as u32);
    let (hv, ha, hd, rr, rv) = (inp("host_valid"), inp("host_addr"), inp("host_data"), inp("mem_req_ready"), inp("mem_rsp_valid"));
    let data: Vec<InputId> = (0..4).map(|i| inp(&format!("mem_rsp_data_{i}"))).collect();
    let top_outputs: Vec<SignalId> = (0..graph.signals.len()).filter(|&i| graph.signals[i].scope.0 == 0 && graph.signals[i].kind == SignalKind::Output).map(|i| SignalId(i as u32)).collect();
    // port order
    let ports: Vec<String> = ast.modules.iter().find(|m| m.name == "quadlock").unwrap().ports.clone();
    let outs: Vec<SignalId> = ports.iter().filter_map(|p| top_outputs.iter().find(|s| graph.signals[s.index()].name == *p).copied()).collect();
    assert_eq!(outs.len(), top_outputs.len());
    let keys: Vec<u64> = (0..outs.len()).map(|i| key(i as u64)).collect();
    let u = |o: usize| u64::from_le_bytes(rec[o..o + 8].try_into().unwrap());
    let cycles = u(8 + 32);
    let n = cycles.div_ceil(1000) as usize;
    let want = u(56 + 8 * (n - 1));
    let start = jit.save(0);
    let mut best = f64::MAX;
    for _ in 0..repeat {
        jit.load(0, &start);
        let mut at = 56 + 8 * n;
        let mut state = 0u64;
        let t = Instant::now();
        for c in 0..cycles {
            let f = rec[at];
            at += 1;
            jit.set_input(0, hv, u64::from(f & 1));
            let (mut a, mut d) = (0, 0);
            if f & 1 != 0 { a = u64::from(u16::from_le_bytes(rec[at..at + 2].try_into().unwrap())); d = u64::from(u32::from_le_bytes(rec[at + 2..at + 6].try_into().unwrap())); at += 6; }
            jit.set_input(0, ha, a);
            jit.set_input(0, hd, d);
            jit.set_input(0, rr, u64::from(f >> 1 & 1));
            jit.set_input(0, rv, u64::from(f >> 2 & 1));
            for i in 0..4 {
                let mut w = 0;
                if f & 4 != 0 { w = u64::from(u32::from_le_bytes(rec[at..at + 4].try_into().unwrap())); at += 4; }
                jit.set_input(0, data[i], w);
            }
            jit.settle();
            let mut sum = 0u64;
            for (o, k) in outs.iter().zip(&keys) { sum = sum.wrapping_add(jit.peek_u64(0, *o).wrapping_mul(*k)); }
            state = (state.rotate_left(5) ^ sum).wrapping_mul(0x9E3779B97F4A7C15);
            if (c + 1) % 1000 == 0 {
                let w = u(56 + 8 * (c / 1000) as usize);
                if w != state { println!("MISMATCH by cycle {c}"); return; }
            }
            jit.commit(0);
        }
        let s = t.elapsed().as_secs_f64();
        assert_eq!(state, want, "checksum");
        best = best.min(s);
    }
    println!("{cycles} cycles, {:.0} cycles/s, checksum ok", cycles as f64 / best);
}
