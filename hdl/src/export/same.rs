//! The export makes the text of each kind of block once. Here it is compared, file by file, with
//! what comes of rust-hdl's text of every instance; and what rust-hdl's checks refuse is refused.
//! A kind that is taken for another shows as a file that differs or is missing.

use quadlock_hdl_text::{modules_by_rust_hdl, verilog};
use rust_hdl::prelude::*;

use super::{make, Export, TOPS};
use crate::bus::MessageBus;
use crate::config::GpuConfig;
use crate::dispatch::walker::GridWalker;
use crate::fault::Fault;
use crate::semaphore::WaitingRoom;
use crate::warp::table::WarpTable;

/// Of a block in that configuration, both exports have the same files.
fn same(top: &str, settings: &[(&str, &str)]) {
    let mut config = GpuConfig::default();
    settings.iter().for_each(|(key, value)| config.set(key, value).unwrap());
    config.check().unwrap();
    // As in `build`: the machine does not fit on a usual stack.
    let compare = || {
        let fast = Export::new(&mut make(top, &config).unwrap(), top, &config).unwrap();
        let mut block = make(top, &config).unwrap();
        block.connect_all();
        let (unique, root) = modules_by_rust_hdl(&block).unwrap();
        let slow = Export::of(unique, root, top, &config).unwrap();
        let names = |export: &Export| export.modules.iter().map(|m| m.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&fast), names(&slow), "{top} {settings:?}");
        for (fast, slow) in fast.files().iter().zip(slow.files()) {
            assert!(*fast == slow, "{top} {settings:?}: {} differs", fast.0);
        }
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(super::STACK);
        thread.spawn_scoped(scope, compare).unwrap().join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

/// Everything that graphics can have.
const EVERYTHING: &[(&str, &str)] = &[
    ("graphics", "on"),
    ("cores", "2"),
    ("merge", "on"),
    ("split", "on"),
    ("tbimr", "window"),
    ("hi_z", "visibility+binner"),
    ("hi_z_levels", "four"),
    ("hi_z_memory", "on"),
    ("cull_pipeline", "depth"),
];

#[test]
fn the_default_machine_has_the_text_of_every_instance() {
    same("quadlock", &[]);
}

#[test]
fn the_machine_with_all_graphics_has_the_text_of_every_instance() {
    same("quadlock", EVERYTHING);
}

#[test]
fn a_machine_without_events_has_the_text_of_every_instance() {
    same("quadlock", &[("graphics", "on"), ("trace", "off")]);
    same("core", &[("trace", "off"), ("units", "1")]);
}

#[test]
fn a_machine_of_different_cores_has_the_text_of_every_instance() {
    same(
        "quadlock",
        &[
            ("rows", "2"),
            ("cores", "2"),
            ("core.0.1.units", "1"),
            ("core.1.0.warps", "4"),
            ("core.1.1.function_unit", "off"),
            ("bus", "shared"),
        ],
    );
}

/// A fault is a constant of one bit in one kind of block, or a line of a cell.
#[test]
fn planted_faults_have_the_text_of_every_instance() {
    for (_, fault, _) in Fault::ALL.iter().step_by(40) {
        same("quadlock", &[("graphics", "on"), ("units", "1"), ("warps", "2"), ("fault", fault)]);
    }
}

/// The blocks that have others in them, beyond flip-flops.
#[test]
fn single_blocks_have_the_text_of_every_instance() {
    let tops = ["lsa", "geometry", "rasteriser", "blend", "depth_stencil", "tile_buffers", "semaphore_entity"];
    for top in tops {
        assert!(TOPS.iter().any(|t| t.0 == top), "{top}");
        same(top, &[("graphics", "on")]);
    }
}

/// Loops, chains of `else if`, indices with arithmetic, enumerations. Bundles are not among them:
/// rust-hdl does not know their names.
#[test]
fn kernels_without_loops_have_the_text_of_rust_hdl() {
    fn same<B: Block>(mut block: B) {
        block.connect_all();
        assert!(verilog(&block) == generate_verilog(&block), "{}", std::any::type_name::<B>());
    }
    let config = GpuConfig { rows: 2, warps: 2, ..GpuConfig::default() };
    same(MessageBus::of(&config));
    same(GridWalker::new(&config));
    same(WaitingRoom::new(&config));
    same(WarpTable::new(&config));
}
