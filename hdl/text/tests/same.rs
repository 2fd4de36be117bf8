//! The modules of an export are made once for each kind of block. Here they are compared, line by
//! line, with what comes of rust-hdl's text of every instance. A kind that is taken for another
//! shows as a module that differs or is missing. What is done to both afterwards is not compared.

use quadlock_hdl::bus::MessageBus;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::dispatch::walker::GridWalker;
use quadlock_hdl::export::make;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::geometry::gradient::GeometryGradient;
use quadlock_hdl::memory::AtomicAlu;
use quadlock_hdl::semaphore::WaitingRoom;
use quadlock_hdl_text::{modules, modules_by_rust_hdl, verilog, Unique};
use rust_hdl::prelude::*;

/// Bytes of a stack on which a machine is made.
const STACK: usize = 64 << 20;

/// Of a block in that configuration, both ways end in the same modules of the same names.
fn same(top: &str, settings: &[(&str, &str)]) {
    let mut config = GpuConfig::default();
    settings.iter().for_each(|(key, value)| config.set(key, value).unwrap());
    config.check().unwrap();
    let compare = || {
        let mut block = make(top, &config).unwrap();
        block.connect_all();
        let text = |(unique, root): (Unique, usize)| {
            let names = unique.names(root, top);
            let modules = unique.modules.iter().zip(&names);
            let text = modules.map(|(module, name)| (name.clone(), module.named(&names, name).unwrap().text));
            text.collect::<Vec<_>>()
        };
        let (fast, slow) = (text(modules(&block).unwrap()), text(modules_by_rust_hdl(&block).unwrap()));
        for (fast, slow) in fast.iter().zip(&slow) {
            assert!(fast == slow, "{top} {settings:?}: {} differs from {}:\n{}", fast.0, slow.0, fast.1);
        }
        assert_eq!(fast.len(), slow.len(), "{top} {settings:?}");
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, compare).unwrap();
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
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
fn a_machine_with_trace_off_has_the_text_of_every_instance() {
    same("quadlock", &[("graphics", "on"), ("trace", "off")]);
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
    for (_, fault, _) in Fault::ALL.iter().step_by(quadlock_testkit::tier::cases(160, 40)) {
        same("quadlock", &[("graphics", "on"), ("units", "1"), ("warps", "2"), ("fault", fault)]);
    }
}

/// The blocks that have others in them, beyond flip-flops.
#[test]
fn single_blocks_have_the_text_of_every_instance() {
    let tops = ["lsa", "geometry", "rasteriser", "blend", "depth_stencil", "tile_buffers", "semaphore_entity"];
    for top in tops {
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
    // These have no field `..._ports`, whose name our text leaves out and rust-hdl writes.
    same(AtomicAlu::new(&config));
    same(GeometryGradient::new(&config));
}
