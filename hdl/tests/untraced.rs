//! `trace=off`: what is left of the exported machine is exactly the machine ports of
//! `docs/machine.md`, no module below carries events, and the rest of the text is that of the
//! traced machine: what is left in a module stands in the traced one too, line for line and in that
//! order. (That the machine behaves the same in every cycle is `cosim/harness/tests/untraced.rs`.)

use quadlock_hdl::config::{GpuConfig, WarpWide, WideResult};
use quadlock_hdl::export::{build, Export};

/// Ports of the machine without event ports: direction, name, bits (`docs/machine.md`).
const PORTS: [(&str, &str, usize); 24] = [
    ("input", "clock", 1),
    ("input", "host_valid", 1),
    ("input", "host_addr", 16),
    ("input", "host_data", 32),
    ("input", "mem_req_ready", 1),
    ("input", "mem_rsp_valid", 1),
    ("input", "mem_rsp_data_0", 32),
    ("input", "mem_rsp_data_1", 32),
    ("input", "mem_rsp_data_2", 32),
    ("input", "mem_rsp_data_3", 32),
    ("output", "busy", 1),
    ("output", "trapped", 1),
    ("output", "trap_unit", 6),
    ("output", "trap_warp", 4),
    ("output", "trap_pc", 16),
    ("output", "mem_req_valid", 1),
    ("output", "mem_req_addr", 32),
    ("output", "mem_req_write", 1),
    ("output", "mem_req_mask", 16),
    ("output", "mem_req_data_0", 32),
    ("output", "mem_req_data_1", 32),
    ("output", "mem_req_data_2", 32),
    ("output", "mem_req_data_3", 32),
    ("output", "mem_rsp_ready", 1),
];

/// Names that no port of a module of the untraced machine begins with.
const EVENTS: [&str; 7] = ["ret_", "mret_", "shw_", "stall", "issue_valid", "op_valid", "mem_req_source"];

fn untraced(top: &str, config: &GpuConfig) -> Export {
    build(top, &GpuConfig { trace: false, ..config.clone() }).unwrap()
}

fn configs() -> [GpuConfig; 2] {
    let small = GpuConfig { units: 1, warps: 2, icache_lines: 8, shared_words: 64, ..GpuConfig::default() };
    let (warp_wide, warp_wide_result) = (WarpWide::Scalar, WideResult::Shared);
    [GpuConfig { rows: 2, cores: 2, warp_wide, warp_wide_result, ..small.clone() }, GpuConfig { units: 2, ..small }]
}

/// A port that a text declares.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim().strip_suffix(';')?;
    line.strip_prefix("input ").or(line.strip_prefix("output "))?.rsplit(' ').next()
}

/// Lines of a module without the commas of its lists, and without its port list.
fn lines(text: &str) -> Vec<String> {
    text.lines().skip(1).map(|l| l.trim_end_matches(',').to_string()).collect()
}

/// Text is left out, never changed: each module's lines are found in the traced module of that
/// name, in the same order.
#[test]
fn without_events_the_machine_has_its_machine_ports_only_and_otherwise_the_same_text() {
    for config in configs() {
        let (traced, untraced) = (build("quadlock", &config).unwrap(), untraced("quadlock", &config));
        let ports: Vec<_> = untraced.ports.iter().map(|p| (p.direction, p.name.as_str(), p.width)).collect();
        assert_eq!(ports, PORTS);
        for module in &untraced.modules {
            let ports = module.text.lines().filter_map(declared);
            // What the issue stage takes in is no event, though it has the name of one.
            let own = |p: &&str| module.name == "issue_stage" && *p == "issue_valid";
            let ports = ports.filter(|p| !own(p));
            let events: Vec<_> = ports.filter(|p| EVENTS.iter().any(|e| p.starts_with(e))).collect();
            assert!(events.is_empty(), "{}: {events:?}", module.name);
            let of_trace = |l: &String| l.trim_start().starts_with("localparam ") && l.contains(" trace");
            let full = traced.modules.iter().find(|m| m.name == module.name).expect("a module of that name");
            let full = lines(&full.text);
            let mut rest = full.iter();
            for line in lines(&module.text).iter().filter(|l| !of_trace(l)) {
                assert!(rest.any(|l| l == line), "{}: `{line}` is not in the traced module, or not here", module.name);
            }
        }
        assert!(untraced.modules.iter().all(|m| m.name != "thread_view"), "only waves look at it");
    }
}

/// The other blocks keep their ports: a block by itself is what its page says.
#[test]
fn a_block_that_is_not_machine_core_or_unit_keeps_its_ports() {
    let config = GpuConfig::default();
    for top in ["semaphore_entity", "memory_arbiter", "thread_dispatcher", "retire_pipe", "thread_view"] {
        assert_eq!(untraced(top, &config).ports, build(top, &config).unwrap().ports, "{top}");
    }
    let names = |top: &str| untraced(top, &config).ports.into_iter().map(|p| p.name).collect::<Vec<_>>();
    for top in ["core", "warp_unit"] {
        let names = names(top);
        assert!(names.iter().any(|n| n.starts_with("global_req_") || n.starts_with("m_req_")), "{names:?}");
        assert!(!names.iter().any(|n| n.starts_with("ret_") || n.starts_with("stall")), "{names:?}");
    }
}
