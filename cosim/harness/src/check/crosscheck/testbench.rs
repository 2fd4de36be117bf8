//! The test bench that Verilator and Icarus run: one Verilog text with any number of blocks side by
//! side. Each cycle it reads one line of inputs, lets them settle, and prints one checksum per
//! block over all outputs and registers (and now and then the memories). Asked for by `+dump_block`
//! and `+dump_cycle`, it prints every value of one cycle instead of leaving the reader with a
//! checksum that differs. Both simulators run the same text; the clock comes from outside, from C++
//! for Verilator and from a few lines of Verilog with delays for Icarus. It can be wrong by
//! sampling on the other side of the edge than [`super::own`] does: then every registered output
//! differs.

use std::collections::BTreeMap;
use std::fmt::Write;

use quadlock_hdl::export::Export;

use super::subject::{Subject, CLOCK, MEMORY_EVERY, MIX};

/// Module of the test bench.
pub const TOP: &str = "crosscheck";
/// Module around it that makes time pass, for Icarus.
pub const TIMED: &str = "crosscheck_timed";
/// File of the inputs, in the folder that the simulator runs in.
pub const STIMULUS: &str = "stimulus.hex";
/// Words that one task of the test bench handles: a simulator's compiler is slow on very long
/// functions.
const CHUNK: usize = 64;

/// The exported modules of several blocks in one text, and the name of each block's top module in
/// it. A module that two blocks share appears once; of different modules of one name each gets a
/// name of its own.
pub fn join(exports: &[Export]) -> (String, Vec<String>) {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let (mut all, mut tops) = (String::new(), Vec::new());
    for export in exports {
        let mut renamed: BTreeMap<&str, String> = BTreeMap::new();
        for module in &export.modules {
            let mut text = module.text.clone();
            for (instance, child) in &module.instances {
                let new = renamed.get(child.as_str()).unwrap_or(child);
                text = text.replace(&format!(" {child} {instance}("), &format!(" {new} {instance}("));
            }
            let head = format!("module {}(", module.name);
            let body = text.split_once(&head).map_or(text.as_str(), |(_, body)| body);
            let mut name = module.name.clone();
            let mut number = 1;
            while texts.get(&name).is_some_and(|known| known != body) {
                number += 1;
                name = format!("{}__{number}", module.name);
            }
            if !texts.contains_key(&name) {
                let _ = writeln!(all, "module {name}({body}");
                texts.insert(name.clone(), body.to_owned());
            }
            renamed.insert(&module.name, name);
        }
        tops.push(renamed.get(export.top.as_str()).unwrap_or(&export.top).clone());
    }
    (all, tops)
}

/// The test bench for blocks whose top modules have these names.
pub fn bench(subjects: &[&Subject], tops: &[String]) -> String {
    let mut text = head();
    for (k, (subject, top)) in subjects.iter().zip(tops).enumerate() {
        instance(&mut text, k, subject, top);
        tasks(&mut text, k, subject);
    }
    apply(&mut text, subjects);
    sample(&mut text, subjects);
    text += "endmodule\n";
    text + &timed()
}

/// Bits of a block's inputs. They are one number in the stimulus: Verilator reads none of more than
/// 8,192 bits.
pub fn input_bits(subject: &Subject) -> usize {
    subject.inputs.iter().map(|i| i.width).sum()
}

fn head() -> String {
    format!(
        "module {TOP}(input clock, input apply, input sample);
integer stimulus /*verilator public*/;
integer got, dump_block, dump_cycle, length, cycle;
reg memories;
initial begin
   cycle = -1;
   if (!$value$plusargs(\"length=%d\", length)) length = 0;
   if (!$value$plusargs(\"dump_block=%d\", dump_block)) dump_block = -1;
   if (!$value$plusargs(\"dump_cycle=%d\", dump_cycle)) dump_cycle = -1;
end
"
    )
}

fn instance(text: &mut String, k: usize, subject: &Subject, top: &str) {
    let mut ports: Vec<String> = subject.clocked.then(|| format!(".{CLOCK}(clock)")).into_iter().collect();
    for item in &subject.inputs {
        let _ = writeln!(text, "reg [{}:0] b{k}_{};", item.width - 1, item.name);
        ports.push(format!(".{0}(b{k}_{0})", item.name));
    }
    for item in &subject.signals[..subject.outputs] {
        let _ = writeln!(text, "wire [{}:0] b{k}_{};", item.width - 1, item.name);
        ports.push(format!(".{0}(b{k}_{0})", item.name));
    }
    let _ = writeln!(text, "{top} b{k}({});\nreg [63:0] sum{k};\ninteger word{k};", ports.join(", "));
}

/// Verilog of each word of [`Subject::pack`].
fn words(k: usize, subject: &Subject) -> Vec<String> {
    let mut index = 0;
    let mut words = Vec::with_capacity(subject.words());
    for pack in subject.packed() {
        let names: Vec<String> = pack
            .iter()
            .map(|item| {
                index += 1;
                if index <= subject.outputs {
                    format!("b{k}_{}", item.name)
                } else {
                    format!("b{k}.{}", item.name)
                }
            })
            .collect();
        words.push(format!("{{{}}}", names.join(", ")));
    }
    words
}

fn tasks(text: &mut String, k: usize, subject: &Subject) {
    let words = words(k, subject);
    let step = |word: &str| format!("   sum{k} = ({{sum{k}[31:0], sum{k}[63:32]}} ^ {word}) * 64'h{MIX:x};\n");
    for (c, chunk) in words.chunks(CHUNK).enumerate() {
        let _ = writeln!(text, "task sum{k}_{c}; begin");
        chunk.iter().for_each(|w| *text += &step(w));
        let _ = writeln!(text, "end endtask\ntask dump{k}_{c}; begin");
        for word in chunk {
            let _ = writeln!(text, "   $display(\"D %h\", {word});");
        }
        *text += "end endtask\n";
    }
    let _ = writeln!(text, "task memory_sum{k}; begin");
    let each = |text: &mut String, storage: &str, depth: usize, body: &str| {
        let _ = writeln!(
            text,
            "   for (word{k} = 0; word{k} < {depth}; word{k} = word{k} + 1)\n   {body}",
            body = body.replace('@', &format!("b{k}.{storage}[word{k}]"))
        );
    };
    for m in &subject.memories {
        each(text, &m.name, m.depth, step("@").trim_end());
    }
    let _ = writeln!(text, "end endtask\ntask memory_dump{k}; begin");
    for m in &subject.memories {
        each(text, &m.name, m.depth, "   $display(\"D %h\", @);");
    }
    *text += "end endtask\n";
}

fn apply(text: &mut String, subjects: &[&Subject]) {
    let with_inputs = || subjects.iter().enumerate().filter(|(_, s)| input_bits(s) > 0);
    for (k, subject) in with_inputs() {
        let _ = writeln!(text, "reg [{}:0] row{k};", input_bits(subject) - 1);
    }
    // Not in the initial block: Verilator 5.006 loses a file opened there.
    let _ = writeln!(
        text,
        "always @(posedge apply) begin
   if (cycle == -1) stimulus = $fopen(\"{STIMULUS}\", \"r\");
   cycle = cycle + 1;"
    );
    for (k, subject) in with_inputs() {
        let names: Vec<String> = subject.inputs.iter().map(|i| format!("b{k}_{}", i.name)).collect();
        let _ =
            writeln!(text, "   got = $fscanf(stimulus, \"%h\", row{k});\n   {{{}}} = row{k};", names.join(",\n    "));
    }
    *text += "end\n";
}

fn sample(text: &mut String, subjects: &[&Subject]) {
    let last = MEMORY_EVERY - 1;
    let _ = writeln!(
        text,
        "always @(posedge sample) begin\n   memories = cycle % {MEMORY_EVERY} == {last} || cycle + 1 == length;"
    );
    for (k, subject) in subjects.iter().enumerate() {
        let _ = writeln!(text, "   sum{k} = 64'd0;");
        let chunks = subject.words().div_ceil(CHUNK);
        (0..chunks).for_each(|c| {
            let _ = writeln!(text, "   sum{k}_{c};");
        });
        if !subject.memories.is_empty() {
            let _ = writeln!(text, "   if (memories) memory_sum{k};");
        }
        let _ = writeln!(text, "   if (dump_block == {k} && dump_cycle == cycle) begin");
        (0..chunks).for_each(|c| {
            let _ = writeln!(text, "      dump{k}_{c};");
        });
        if !subject.memories.is_empty() {
            let _ = writeln!(text, "      if (memories) memory_dump{k};");
        }
        *text += "   end\n";
    }
    let format = vec!["%h"; subjects.len()].join(" ");
    let sums: Vec<String> = (0..subjects.len()).map(|k| format!("sum{k}")).collect();
    let _ = writeln!(text, "   $display(\"S {format}\", {});\nend", sums.join(", "));
}

fn timed() -> String {
    format!(
        "`ifdef CROSSCHECK_TIMED
module {TIMED};
reg clock, apply, sample;
integer cycles, i;
{TOP} inside(clock, apply, sample);
initial begin
   clock = 0; apply = 0; sample = 0;
   if (!$value$plusargs(\"cycles=%d\", cycles)) cycles = 0;
   #1;
   for (i = 0; i < cycles; i = i + 1) begin
      apply = 1;
      #1 sample = 1;
      #1 clock = 1;
      #1 clock = 0; apply = 0; sample = 0;
      #1;
   end
   $finish;
end
endmodule
`endif
"
    )
}

/// The C++ program around the test bench.
pub fn main_cpp() -> String {
    format!(
        "#include <cstdlib>
#include <cstring>
#include \"V{TOP}.h\"
#include \"verilated.h\"
int main(int argc, char** argv) {{
    VerilatedContext context;
    context.commandArgs(argc, argv);
    long cycles = 0;
    for (int i = 1; i < argc; i++)
        if (!std::strncmp(argv[i], \"+cycles=\", 8)) cycles = std::atol(argv[i] + 8);
    V{TOP} top(&context);
    top.clock = top.apply = top.sample = 0;
    top.eval();
    for (long i = 0; i < cycles; i++) {{
        top.apply = 1; top.eval();
        top.sample = 1; top.eval();
        top.clock = 1; top.eval();
        top.clock = top.apply = top.sample = 0; top.eval();
    }}
    top.final();
    return 0;
}}
"
    )
}
