//! Without graphics the machine is the compute machine, port for port: its ports and its modules
//! are those of the list in `tests/lists/compute_machine.txt`, and no name is one of graphics. With
//! graphics the ports of the compute machine are all there, unchanged. `QUADLOCK_WRITE_LISTS=1`
//! writes the list anew, for a change that is meant.

use std::collections::BTreeSet;
use std::path::Path;

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::export_named;

/// Ports of the module `name`, one a line, as declared; `reg` says nothing of a port.
fn ports(text: &str, name: &str) -> Vec<String> {
    let begin = text.find(&format!("module {name}(")).expect("the module is there");
    let module = &text[begin..];
    let end = module.find("endmodule").unwrap();
    let port = |line: &str| {
        let line = line.trim().trim_end_matches([',', ';', ')']).trim();
        let words = line.strip_prefix("input ").map(|l| ("input", l));
        let (way, rest) = words.or_else(|| line.strip_prefix("output ").map(|l| ("output", l)))?;
        let rest = rest.trim_start_matches("wire ").trim_start_matches("reg ").trim();
        Some(format!("{way} {rest}"))
    };
    module[..end].lines().filter_map(port).collect()
}

fn modules(text: &str) -> BTreeSet<&str> {
    text.lines().filter_map(|l| l.strip_prefix("module ")).filter_map(|l| l.split('(').next()).collect()
}

fn machine(graphics: bool) -> String {
    export_named("quadlock", &GpuConfig { graphics, ..GpuConfig::default() }).unwrap()
}

/// What the list has, as the machine is now.
fn list(text: &str) -> String {
    let mut list = String::new();
    for port in ports(text, "quadlock") {
        list += &format!("{port}\n");
    }
    for module in modules(text) {
        list += &format!("module {module}\n");
    }
    list
}

#[test]
fn without_graphics_it_is_the_compute_machine() {
    let now = list(&machine(false));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lists/compute_machine.txt");
    if std::env::var_os("QUADLOCK_WRITE_LISTS").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    let difference = |a: &str, b: &str| {
        let b: BTreeSet<&str> = b.lines().collect();
        a.lines().filter(|l| !b.contains(l)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(kept == now, "missing: {:?}\nnew: {:?}", difference(&kept, &now), difference(&now, &kept));
    assert!(kept.lines().count() > 100, "{kept}");
}

/// A list with a port more or less is another one.
#[test]
fn a_port_of_graphics_would_be_seen() {
    let (off, on) = (machine(false), machine(true));
    assert_ne!(list(&off), list(&on));
    let (off, on) = (ports(&off, "quadlock"), ports(&on, "quadlock"));
    let missing: Vec<_> = off.iter().filter(|p| !on.contains(p)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let more: Vec<_> = on.iter().filter(|p| !off.contains(p)).collect();
    let events = ["glaunch_", "tri_", "pix_", "gstate_", "tile_", "work_", "stage_"];
    assert!(!more.is_empty());
    for port in more {
        let name = port.rsplit(' ').next().unwrap();
        assert!(events.iter().any(|e| name.starts_with(e)), "{port}");
    }
}
