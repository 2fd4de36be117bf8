use quadlock_rtlsim::random::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a[1] == "print" {
        print!("{}", quadlock_rtlsim::parse::print(&random_module(a[2].parse().unwrap()).ast));
        return;
    }
    let (n, seed): (u64, u64) = (a[1].parse().unwrap(), a[2].parse().unwrap());
    let dir = std::path::PathBuf::from(&a[3]);
    let modules: Vec<_> = (seed..seed + n).map(random_module).collect();
    let steps = stimulus(seed, 64);
    let t = std::time::Instant::now();
    let i = Peer::Icarus.run(&modules, &steps, &dir).unwrap();
    println!("icarus {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let v = Peer::Verilator.run(&modules, &steps, &dir).unwrap();
    println!("verilator {:?}", t.elapsed());
    let mut bad = 0;
    for (k, m) in modules.iter().enumerate() {
        'm: for (t, (a, b)) in i[k].iter().zip(&v[k]).enumerate() {
            for (o, (a, b)) in a.iter().zip(b).enumerate() {
                if a != b {
                    bad += 1;
                    println!("{} {} at {t}: icarus {a} verilator {b}", m.seed, m.outputs[o].0);
                    break 'm;
                }
            }
        }
    }
    println!("{bad} of {n} differ");
}
