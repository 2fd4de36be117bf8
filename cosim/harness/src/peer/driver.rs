//! The C++ that replays a recording on a Verilated core. It is the least that can do it: the
//! recording is read before the clock starts, and per cycle it sets the inputs, evaluates with the
//! clock low, folds all outputs into the checksum of [`crate::engine::record`], and evaluates with
//! the clock high. Only that loop is timed. It prints `cycles N seconds S checksum H`, checksums of
//! all passes being equal. It would be unfair to the peer by work that the other side does not do:
//! the other contenders run the same loop on the same decoded stream.

use std::fmt::Write;

use super::ports::Port;
use crate::engine::record::{check_key, CHECK_MIX};

/// The class that Verilator makes of the top module.
pub const PREFIX: &str = "Vcore";

/// The driver's text for a core with these ports.
///
/// # Errors
/// A port is wider than 64 bits, or an input of the core is missing or unknown, in words.
pub fn driver(ports: &[Port]) -> Result<String, String> {
    check_inputs(ports)?;
    let mut fold = String::new();
    for (i, port) in ports.iter().filter(|p| p.output).enumerate() {
        if port.width > 64 {
            return Err(format!("port {} has {} bits: the driver takes at most 64", port.name, port.width));
        }
        let _ = writeln!(fold, "    sum += uint64_t(core.{}) * {:#x}u;", port.name, check_key(i));
    }
    Ok(TEMPLATE
        .replace("@PREFIX@", PREFIX)
        .replace("@FOLD@", fold.trim_end())
        .replace("@MIX@", &format!("{CHECK_MIX:#x}u")))
}

const INPUTS: [&str; 10] = [
    "clock",
    "host_valid",
    "host_addr",
    "host_data",
    "mem_req_ready",
    "mem_rsp_valid",
    "mem_rsp_data_0",
    "mem_rsp_data_1",
    "mem_rsp_data_2",
    "mem_rsp_data_3",
];

fn check_inputs(ports: &[Port]) -> Result<(), String> {
    let inputs: Vec<&str> = ports.iter().filter(|p| !p.output).map(|p| p.name.as_str()).collect();
    let missing = INPUTS.iter().find(|name| !inputs.contains(name));
    let unknown = inputs.iter().find(|name| !INPUTS.contains(name));
    match (missing, unknown) {
        (Some(name), _) => Err(format!("the core has no input {name}")),
        (_, Some(name)) => Err(format!("input {name} is in no recording")),
        _ => Ok(()),
    }
}

const TEMPLATE: &str = r#"// Replays a recording on the Verilated core. Made by `quadlock bench sim`.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>
#include "@PREFIX@.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

static uint32_t word(const uint8_t*& p) {
    uint32_t w;
    memcpy(&w, p, 4);
    p += 4;
    return w;
}

static inline const uint8_t* apply(@PREFIX@& core, const uint8_t* p) {
    const uint8_t flags = *p++;
    core.host_valid = flags & 1;
    core.mem_req_ready = flags >> 1 & 1;
    core.mem_rsp_valid = flags >> 2 & 1;
    core.host_addr = 0;
    core.host_data = 0;
    if (flags & 1) {
        uint16_t address;
        memcpy(&address, p, 2);
        p += 2;
        core.host_addr = address;
        core.host_data = word(p);
    }
    if (flags & 4) {
        core.mem_rsp_data_0 = word(p);
        core.mem_rsp_data_1 = word(p);
        core.mem_rsp_data_2 = word(p);
        core.mem_rsp_data_3 = word(p);
    } else {
        core.mem_rsp_data_0 = core.mem_rsp_data_1 = core.mem_rsp_data_2 = core.mem_rsp_data_3 = 0;
    }
    return p;
}

static inline uint64_t fold(const @PREFIX@& core, uint64_t state) {
    uint64_t sum = 0;
@FOLD@
    return ((state << 5 | state >> 59) ^ sum) * @MIX@;
}

int main(int argc, char** argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: %s RECORDING CYCLES_PER_PASS PASSES [FST]\n", argv[0]);
        return 2;
    }
    FILE* file = fopen(argv[1], "rb");
    if (!file) {
        perror(argv[1]);
        return 2;
    }
    std::vector<uint8_t> bytes;
    uint8_t buffer[65536];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.insert(bytes.end(), buffer, buffer + n);
    fclose(file);
    uint64_t head[11];
    if (bytes.size() < 96 || memcmp(bytes.data(), "QLREC2\0\0", 8)) {
        fprintf(stderr, "%s: not a recording\n", argv[1]);
        return 2;
    }
    memcpy(head, bytes.data() + 8, 88);
    const uint8_t* stream = bytes.data() + 96 + 8 * ((head[9] + 999) / 1000);
    const uint64_t cycles = strtoull(argv[2], nullptr, 10), passes = strtoull(argv[3], nullptr, 10);
    if (cycles > head[9]) {
        fprintf(stderr, "%s: has %llu cycles\n", argv[1], (unsigned long long)head[9]);
        return 2;
    }
    double seconds = 0;
    uint64_t checksum = 0;
    for (uint64_t pass = 0; pass < passes; pass++) {
        const std::unique_ptr<VerilatedContext> context(new VerilatedContext);
#if VM_TRACE
        context->traceEverOn(true);
#endif
        const std::unique_ptr<@PREFIX@> made(new @PREFIX@(context.get()));
        @PREFIX@& core = *made;
#if VM_TRACE
        VerilatedFstC trace;
        core.trace(&trace, 1000);
#endif
        core.clock = 0;
        core.eval();
        uint64_t state = 0;
        const uint8_t* p = stream;
        const auto start = std::chrono::steady_clock::now();
#if VM_TRACE
        trace.open(argc > 4 ? argv[4] : "trace.fst");
#endif
        for (uint64_t cycle = 0; cycle < cycles; cycle++) {
            p = apply(core, p);
            core.clock = 0;
            core.eval();
            state = fold(core, state);
#if VM_TRACE
            trace.dump(cycle);
#endif
            core.clock = 1;
            core.eval();
        }
#if VM_TRACE
        trace.close();
#endif
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (pass > 0 && state != checksum) {
            fprintf(stderr, "two passes over one recording differ\n");
            return 1;
        }
        checksum = state;
        core.final();
    }
    printf("cycles %llu seconds %.9f checksum %016llx\n", (unsigned long long)(cycles * passes), seconds,
           (unsigned long long)checksum);
    return 0;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn core(extra: Option<Port>) -> Vec<Port> {
        let input = |name: &&str| Port { name: (*name).to_owned(), width: 1, output: false };
        let output = |name: &str, width| Port { name: name.to_owned(), width, output: true };
        let outputs = [output("busy", 1), output("mem_req_addr", 32)];
        INPUTS.iter().map(input).chain(outputs).chain(extra).collect()
    }

    #[test]
    fn every_output_enters_the_checksum_with_its_own_constant() {
        let text = driver(&core(None)).unwrap();
        assert!(text.contains(&format!("sum += uint64_t(core.busy) * {:#x}u;", check_key(0))), "{text}");
        assert!(text.contains(&format!("sum += uint64_t(core.mem_req_addr) * {:#x}u;", check_key(1))));
        assert_eq!(text.matches("sum +=").count(), 2);
        assert!(!text.contains('@'), "a place of the template is not filled");
    }

    #[test]
    fn ports_that_do_not_fit_are_refused() {
        let port = |name: &str, width, output| Some(Port { name: name.to_owned(), width, output });
        assert!(driver(&core(port("wide", 65, true))).unwrap_err().contains("wide"));
        assert!(driver(&core(port("irq", 1, false))).unwrap_err().contains("irq"));
        assert!(driver(&core(None)[1..]).unwrap_err().contains("clock"));
    }
}
