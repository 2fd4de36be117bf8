//! The second opinion of the block tests: the exported Verilog of a block, run by Icarus Verilog on
//! the vectors that rust-hdl's engine was run on.

pub mod cell;
pub mod lane;
pub mod machine;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A port of the block under test: name and width in bits.
pub type Port = (&'static str, usize);

/// Runs Verilog module `top` on `vectors` (one row per clock cycle, one word per input) and
/// compares each output after each rising edge with `expected`. An expected `None` is not compared.
/// The clock port, if there is one, is called `clock`.
///
/// Without `iverilog` on the path it says so and returns; with `QUADLOCK_REQUIRE_PEERS` set, as by
/// `make unit`, it fails.
pub fn icarus_agrees(
    name: &str,
    verilog: &str,
    clocked: bool,
    inputs: &[Port],
    outputs: &[Port],
    vectors: &[Vec<u32>],
    expected: &[Vec<Option<u32>>],
) {
    if !quadlock_testkit::peers::installed("iverilog") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let mut data = String::new();
    for word in vectors.iter().flatten() {
        writeln!(data, "{word:08x}").unwrap();
    }
    std::fs::write(folder.join("vectors.hex"), data).unwrap();
    std::fs::write(folder.join("top.v"), verilog).unwrap();
    std::fs::write(folder.join("bench.v"), testbench(clocked, inputs, outputs, vectors.len())).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{name}: {program}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run("iverilog", &["-g2005", "-o", "bench.vvp", "bench.v", "top.v"]);
    let seen = run("vvp", &["-n", "bench.vvp"]);
    let rows: Vec<&str> = seen.lines().collect();
    assert_eq!(rows.len(), expected.len(), "{name}: rows printed by Icarus: {seen:.200}");
    for (cycle, (row, expected)) in rows.iter().zip(expected).enumerate() {
        for ((seen, expected), (port, _)) in row.split(' ').zip(expected).zip(outputs) {
            if let Some(expected) = expected {
                let seen = u32::from_str_radix(seen, 16);
                assert_eq!(seen, Ok(*expected), "{name}: {port} in cycle {cycle}, inputs {:x?}", vectors[cycle]);
            }
        }
    }
}

fn testbench(clocked: bool, inputs: &[Port], outputs: &[Port], cycles: usize) -> String {
    let range = |width: usize| format!("[{}:0]", width - 1);
    let mut text = String::from("module bench;\nreg clock = 0;\n");
    let mut ports: Vec<String> = if clocked { vec![".clock(clock)".into()] } else { vec![] };
    for (name, width) in inputs {
        writeln!(text, "reg {} i_{name} = 0;", range(*width)).unwrap();
        ports.push(format!(".{name}(i_{name})"));
    }
    for (name, width) in outputs {
        writeln!(text, "wire {} o_{name};", range(*width)).unwrap();
        ports.push(format!(".{name}(o_{name})"));
    }
    let count = inputs.len();
    writeln!(text, "top uut({});", ports.join(", ")).unwrap();
    writeln!(text, "reg [31:0] vectors [0:{}];\ninteger i;", cycles * count - 1).unwrap();
    writeln!(
        text,
        "initial begin\n  $readmemh(\"vectors.hex\", vectors);\n  for (i = 0; i < {cycles}; i = i + 1) begin"
    )
    .unwrap();
    for (at, (name, _)) in inputs.iter().enumerate() {
        writeln!(text, "    i_{name} = vectors[i * {count} + {at}];").unwrap();
    }
    let format = vec!["%h"; outputs.len()].join(" ");
    let values = outputs.iter().map(|(name, _)| format!("o_{name}")).collect::<Vec<_>>().join(", ");
    writeln!(
        text,
        "    #1 clock = 1;\n    #1 $display(\"{format}\", {values});\n    clock = 0;\n    #1;\n  end\nend\nendmodule"
    )
    .unwrap();
    text
}
