//! Blocks of `hdl/` before and after synthesis: yosys's netlist (`synth`, `write_verilog` with and
//! without `-noexpr`) and the exported Verilog run the same in rtlsim, every output in every cycle
//! of random inputs. A difference is a misread netlist, or RTL that means something else to a
//! synthesiser. Not compared: reset, timing, x. Without yosys it says so and passes, unless
//! QUADLOCK_REQUIRE_PEERS is set.

use std::path::Path;
use std::process::Command;

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::export_named;
use quadlock_rtlsim::graph::SignalKind;
use quadlock_rtlsim::{Design, Options, Simulation, Source};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn simulation(text: &str, block: &str) -> Simulation {
    let source = [Source::new(format!("{block}.v"), text)];
    let design = Design::parse(&source, Some(block)).unwrap_or_else(|e| panic!("{block}: {e}"));
    design.compile(&Options::default().profile(64)).unwrap_or_else(|e| panic!("{block}: {e}"))
}

fn netlist(folder: &Path, block: &str, text: &str, options: &str) -> String {
    std::fs::write(folder.join("in.v"), text).expect("a file");
    let script = format!("read_verilog in.v; synth -flatten -top {block}; clean; write_verilog {options} out.v");
    let run = Command::new("yosys").args(["-q", "-p", &script]).current_dir(folder).output().expect("yosys runs");
    assert!(run.status.success(), "{block}: {}", String::from_utf8_lossy(&run.stderr));
    std::fs::read_to_string(folder.join("out.v")).expect("a netlist")
}

fn compare(block: &str, rtl: &mut Simulation, net: &mut Simulation, cycles: std::ops::Range<u32>) {
    let of_top =
        |s: &quadlock_rtlsim::design::SignalView<'_>| s.kind() == SignalKind::Output && s.scope().parent().is_none();
    let outputs: Vec<String> = rtl.design().signals().filter(of_top).map(|s| s.path()).collect();
    assert!(!outputs.is_empty());
    let inputs: Vec<(String, u32)> =
        rtl.graph().inputs.iter().filter(|i| i.name != "clock").map(|i| (i.name.clone(), i.width)).collect();
    let clocked = rtl.graph().inputs.iter().any(|i| i.name == "clock");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for cycle in 0..cycles.end {
        for (name, width) in &inputs {
            let value: u64 = if rng.random_bool(0.2) { rng.random_range(0..4) } else { rng.random() };
            let value = value & u64::MAX >> (64 - width);
            for sim in [&mut *rtl, &mut *net] {
                sim.set(name, value).expect("an input");
            }
        }
        for sim in [&mut *rtl, &mut *net] {
            sim.eval().expect("settles");
        }
        for name in outputs.iter().filter(|_| cycle >= cycles.start) {
            let (x, y) = (rtl.get_bits(name).expect("an output"), net.get_bits(name).expect("an output"));
            assert_eq!(x, y, "{name} in cycle {cycle}, RTL and netlist");
        }
        for level in if clocked { &[1, 0][..] } else { &[] } {
            for sim in [&mut *rtl, &mut *net] {
                sim.set("clock", *level).expect("the clock");
                sim.eval().expect("settles");
            }
        }
    }
    assert_eq!(rtl.design().graph().inputs.len(), net.design().graph().inputs.len(), "{block}");
}

#[test]
fn netlists_of_blocks_run_as_their_rtl() {
    if Command::new("yosys").arg("-V").output().is_err() {
        assert!(std::env::var_os("QUADLOCK_REQUIRE_PEERS").is_none(), "yosys is not installed");
        eprintln!("skipped: yosys is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // With -noexpr, start values are in attributes, which vanish: the memory is compared when it
    // has been written all over, what has no reset not at all.
    let cells = "-noattr -noexpr";
    let cases = [
        ("integer_alu", "", 0),
        ("integer_alu", cells, 0),
        ("decoder", "", 0),
        ("decoder", cells, 0),
        ("lutram", "", 0),
        ("lutram", cells, 400),
        ("warp_scheduler", "", 0),
        ("unit_arbiter", "", 0),
    ];
    for (block, options, from) in cases {
        let text = export_named(block, &GpuConfig::default()).expect("a block");
        let netlist = netlist(folder.path(), block, &text, options);
        compare(block, &mut simulation(&text, block), &mut simulation(&netlist, block), from..700);
    }
}
