//! Runs a module in the reference interpreter and, where Icarus is installed, in Icarus with the
//! same stimulus. Outputs are compared as hexadecimal text after every half cycle; x in Icarus is a
//! difference, so modules under test must start from known state.

use std::fmt::Write as _;
use std::process::Command;

use quadlock_rtlsim::backend::Backend;
use quadlock_rtlsim::elaborate::elaborate;
use quadlock_rtlsim::graph::{Graph, InputId, SignalId};
use quadlock_rtlsim::interp::Interpreter;
use quadlock_rtlsim::parse::parse;
use quadlock_rtlsim::{Bits, Error, Options, Source};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Elaborates a text and checks the graph.
pub fn graph(text: &str) -> Result<Graph, Error> {
    let sources = [Source::new("test.v", text)];
    let graph = elaborate(&parse(&sources)?, &sources, None)?;
    graph.check().map_err(Error::Internal)?;
    if let Err(nodes) = graph.topological() {
        return Err(Error::Internal(format!("loop of {} nodes", nodes.len())));
    }
    Ok(graph)
}

/// The error that a text gives.
pub fn error(text: &str) -> String {
    match graph(text) {
        Ok(_) => panic!("elaborated, but should not have:\n{text}"),
        Err(e) => e.to_string(),
    }
}

fn hex(b: &Bits) -> String {
    let digits = b.width().div_ceil(4);
    (0..digits).rev().map(|i| format!("{:x}", b.slice(4 * i, 4).to_u64())).collect()
}

fn random(rng: &mut ChaCha8Rng, width: u32) -> Bits {
    let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.random()).collect();
    let value = Bits::from_limbs(width, &limbs);
    // small and extreme values as often as arbitrary ones
    match rng.random_range(0..6) {
        0 => Bits::zero(width),
        1 => Bits::ones(width),
        2 => value.and(&Bits::new(width, 7)),
        3 => value.or(&Bits::new(width, 7).not()),
        _ => value,
    }
}

/// Values of the inputs (all but `clk`) in each cycle.
pub fn stimulus(graph: &Graph, cycles: usize, seed: u64) -> Vec<Vec<Bits>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..cycles)
        .map(|_| graph.inputs.iter().filter(|i| i.name != "clk").map(|i| random(&mut rng, i.width)).collect())
        .collect()
}

fn outputs(graph: &Graph) -> Vec<(String, SignalId)> {
    let of = |name: &String| {
        graph.signals.iter().position(|s| s.scope.index() == 0 && s.name == *name).expect("outputs are signals")
    };
    graph.outputs.iter().map(|(name, _)| (name.clone(), SignalId(of(name) as u32))).collect()
}

fn line(backend: &mut Interpreter, outputs: &[(String, SignalId)]) -> String {
    outputs.iter().fold(String::new(), |mut text, (name, id)| {
        let _ = write!(text, " {name}={}", hex(&backend.peek(*id)));
        text
    })
}

/// Outputs in each half cycle: after new inputs with the clock low, and after its rising edge.
pub fn interpret(graph: &Graph, stimulus: &[Vec<Bits>]) -> Vec<String> {
    let mut backend = Interpreter::new(graph, &Options::default()).expect("the graph was checked");
    let outputs = outputs(graph);
    let clk = graph.inputs.iter().position(|i| i.name == "clk").map(|i| InputId(i as u32));
    let mut lines = Vec::new();
    for values in stimulus {
        let inputs = graph.inputs.iter().enumerate().filter(|(_, i)| i.name != "clk");
        for ((i, _), v) in inputs.zip(values) {
            backend.set_input_wide(InputId(i as u32), v);
        }
        backend.settle();
        lines.push(line(&mut backend, &outputs));
        let Some(clk) = clk else { continue };
        for (rising, level) in [(true, 1), (false, 0)] {
            let domains: Vec<usize> = (0..backend.domains().len())
                .filter(|&d| {
                    let e = backend.domains()[d];
                    e.rising == rising && e.clock == graph.inputs[clk.index()].node
                })
                .collect();
            for d in domains {
                backend.commit(d);
            }
            backend.set_input(clk, level);
            backend.settle();
            if rising {
                lines.push(line(&mut backend, &outputs));
            }
        }
    }
    lines
}

fn bench(graph: &Graph, stimulus: &[Vec<Bits>]) -> String {
    let mut t = String::from("module rtlsim_bench;\n");
    let clock = graph.inputs.iter().any(|i| i.name == "clk");
    let mut ports = Vec::new();
    for i in &graph.inputs {
        let _ = writeln!(t, "reg [{}:0] {} = 0;", i.width - 1, i.name);
        ports.push(format!(".{0}({0})", i.name));
    }
    let mut show = String::from("$display(\"");
    let mut names = String::new();
    for (name, node) in &graph.outputs {
        let _ = writeln!(t, "wire [{}:0] {name};", graph.width(*node) - 1);
        ports.push(format!(".{name}({name})"));
        let _ = write!(show, " {name}=%h");
        let _ = write!(names, ", {name}");
    }
    let _ = write!(show, "\"{names});");
    let _ = writeln!(t, "{} dut({});\ninitial begin", graph.scopes[0].module, ports.join(", "));
    for values in stimulus {
        let inputs = graph.inputs.iter().filter(|i| i.name != "clk");
        for (i, v) in inputs.zip(values) {
            let _ = writeln!(t, "{} = {}'h{};", i.name, i.width, hex(v));
        }
        let _ = writeln!(t, "#1 {show}");
        if clock {
            let _ = writeln!(t, "clk = 1; #1 {show} clk = 0; #1;");
        }
    }
    t + "end\nendmodule\n"
}

/// What Icarus prints; nothing if it is not installed, unless QUADLOCK_REQUIRE_PEERS, as set by
/// `make unit`, asks for it.
pub fn icarus(text: &str, graph: &Graph, stimulus: &[Vec<Bits>]) -> Option<Vec<String>> {
    if !quadlock_testkit::peers::installed("iverilog") {
        return None;
    }
    let dir = tempfile::tempdir().expect("a folder for Icarus");
    let (source, program) = (dir.path().join("t.v"), dir.path().join("t"));
    std::fs::write(&source, format!("{text}\n{}", bench(graph, stimulus))).expect("the bench is written");
    let made =
        Command::new("iverilog").args(["-g2005", "-s", "rtlsim_bench", "-o"]).arg(&program).arg(&source).output();
    let made = made.expect("Icarus starts");
    assert!(made.status.success(), "Icarus refuses:\n{}\n{text}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new("vvp").arg("-n").arg(&program).output().expect("vvp starts");
    Some(String::from_utf8_lossy(&ran.stdout).lines().map(String::from).collect())
}

/// Compares a module with Icarus for some cycles.
pub fn agree(text: &str, cycles: usize) {
    let graph = graph(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let stimulus = stimulus(&graph, cycles, 1);
    let ours = interpret(&graph, &stimulus);
    let Some(peer) = icarus(text, &graph, &stimulus) else { return };
    assert_eq!(ours.len(), peer.len(), "{text}");
    for (n, (a, b)) in ours.iter().zip(&peer).enumerate() {
        assert_eq!(a.trim(), b.trim(), "half cycle {n} (ours left, Icarus right) of\n{text}");
    }
}

/// The last line of outputs with all inputs zero for one cycle.
pub fn outputs_at_zero(text: &str) -> String {
    let graph = graph(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let zeros = vec![graph.inputs.iter().filter(|i| i.name != "clk").map(|i| Bits::zero(i.width)).collect()];
    interpret(&graph, &zeros).pop().unwrap_or_default().trim().to_string()
}
