//! `trace=off` changes nothing but the event ports: a job's inputs, recorded on the machine with
//! them, give the same values at every other port in every cycle of the machine without. Both are
//! the exported Verilog on rtlsim. As the memory answers and the host acts on those ports alone,
//! the machine without event ports runs the whole job as the other one does. That a difference is
//! seen: a planted fault in one of the two.

use std::path::Path;

use quadlock::engine::record::{Recorder, Recording};
use quadlock::job::Size;
use quadlock::lockstep::Quiet;
use quadlock::peer::port_reader::PortReader;
use quadlock::peer::workload::Workload;
use quadlock::simulate;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, export_named, Export};
use quadlock_hdl::fault::Fault;
use quadlock_rtlsim::{Design, Options, Simulation, Source};

const CYCLES: u64 = 6000;

/// The first cycles of a job on its machine, made smaller.
fn record(job: &str, change: fn(&mut GpuConfig)) -> Recording {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(job);
    let change = |c: &mut GpuConfig| {
        change(c);
        Ok(())
    };
    let mut workload = Workload::changed(&path, Size::Small, change).unwrap_or_else(|e| panic!("{e}"));
    workload.options.limits.cycles = CYCLES;
    let config = &workload.options.config;
    let reader = PortReader::new(config, &export_named("quadlock", config).unwrap()).unwrap();
    let mut recorder = Recorder::new(reader, config);
    simulate::on_engine(&mut recorder, &workload.launch, &workload.options, &mut Quiet);
    recorder.finish()
}

fn simulation(export: &Export) -> Simulation {
    let source = Source::new("quadlock.v", export.text());
    Design::parse(&[source], Some("quadlock")).unwrap().compile(&Options::default()).unwrap()
}

/// The first difference at a machine port, and the memory requests until then.
fn compare(recording: &Recording, untraced: &GpuConfig) -> (Option<String>, u64) {
    let traced = build("quadlock", &recording.config).unwrap();
    let untraced = build("quadlock", untraced).unwrap();
    let outputs: Vec<&str> =
        untraced.ports.iter().filter(|p| p.direction == "output").map(|p| p.name.as_str()).collect();
    let mut simulations = [simulation(&traced), simulation(&untraced)];
    let mut requests = 0;
    for (cycle, inputs) in recording.inputs().enumerate() {
        for s in &mut simulations {
            let (address, data) = inputs.host.unwrap_or_default();
            let line = inputs.mem_rsp.unwrap_or_default();
            let mut set = |name: &str, value: u64| s.set(name, value).unwrap();
            set("host_valid", inputs.host.is_some().into());
            set("host_addr", address.into());
            set("host_data", data.into());
            set("mem_req_ready", inputs.mem_req_ready.into());
            set("mem_rsp_valid", inputs.mem_rsp.is_some().into());
            (0..4).for_each(|k| set(&format!("mem_rsp_data_{k}"), line[k].into()));
            s.eval().unwrap();
        }
        let [a, b] = &mut simulations;
        requests += a.get("mem_req_valid").unwrap();
        for name in &outputs {
            let (a, b) = (a.get_bits(name).unwrap(), b.get_bits(name).unwrap());
            if a != b {
                return (Some(format!("{name} in cycle {cycle}")), requests);
            }
        }
        for s in &mut simulations {
            s.tick().unwrap();
        }
    }
    (None, requests)
}

#[test]
fn without_event_ports_every_other_port_is_the_same_in_every_cycle() {
    for (job, change) in [
        ("mandelbrot/job.toml", (|c| (c.units, c.warps) = (1, 4)) as fn(&mut GpuConfig)),
        ("ordered-z/job.toml", |c| (c.rows, c.cores, c.units) = (2, 1, 1)),
    ] {
        let recording = record(job, change);
        let (difference, requests) = compare(&recording, &GpuConfig { trace: false, ..recording.config.clone() });
        assert_eq!(difference, None, "{job}");
        assert!(requests > 50, "{job}: {requests} cycles with a memory request");
    }
}

#[test]
fn a_difference_between_the_two_would_be_seen() {
    let recording = record("mandelbrot/job.toml", |c| (c.units, c.warps) = (1, 4));
    let fault = Some(Fault::DispatchSlotTwice);
    let (difference, _) = compare(&recording, &GpuConfig { trace: false, fault, ..recording.config.clone() });
    assert!(difference.is_some());
}
