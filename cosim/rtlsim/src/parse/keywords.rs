//! Reserved words of Verilog-2005, and what to say about those that begin a construct outside the
//! subset (SystemVerilog's too, which are reserved only where they would begin something: in
//! Verilog a wire may be called `logic`).

/// Reserved in Verilog-2005.
#[rustfmt::skip]
pub(super) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "always" | "and" | "assign" | "automatic" | "begin" | "buf" | "bufif0" | "bufif1" | "case" | "casex" | "casez"
            | "cell" | "cmos" | "config" | "deassign" | "default" | "defparam" | "design" | "disable" | "edge" | "else"
            | "end" | "endcase" | "endconfig" | "endfunction" | "endgenerate" | "endmodule" | "endprimitive"
            | "endspecify" | "endtable" | "endtask" | "event" | "for" | "force" | "forever" | "fork" | "function"
            | "generate" | "genvar" | "highz0" | "highz1" | "if" | "ifnone" | "incdir" | "include" | "initial"
            | "inout" | "input" | "instance" | "integer" | "join" | "large" | "liblist" | "library" | "localparam"
            | "macromodule" | "medium" | "module" | "nand" | "negedge" | "nmos" | "nor" | "noshowcancelled" | "not"
            | "notif0" | "notif1" | "or" | "output" | "parameter" | "pmos" | "posedge" | "primitive" | "pull0"
            | "pull1" | "pulldown" | "pullup" | "pulsestyle_onevent" | "pulsestyle_ondetect" | "rcmos" | "real"
            | "realtime" | "reg" | "release" | "repeat" | "rnmos" | "rpmos" | "rtran" | "rtranif0" | "rtranif1"
            | "scalared" | "showcancelled" | "signed" | "small" | "specify" | "specparam" | "strong0" | "strong1"
            | "supply0" | "supply1" | "table" | "task" | "time" | "tran" | "tranif0" | "tranif1" | "tri" | "tri0"
            | "tri1" | "triand" | "trior" | "trireg" | "unsigned" | "use" | "uwire" | "vectored" | "wait" | "wand"
            | "weak0" | "weak1" | "while" | "wire" | "wor" | "xnor" | "xor"
    )
}

/// Construct and advice for a word that begins a module item outside the subset.
pub(super) fn refused_item(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "generate" | "for" | "if" | "case" => ("generate construct", "write the instances out"),
        "genvar" => ("genvar", "write the instances out"),
        "task" => ("task", "write the statements where they are used"),
        "specify" | "specparam" => ("specify block", "remove it: timing is not simulated"),
        "defparam" => ("defparam", "give the parameter in the instance, as in `m #(.P(1)) u (...)`"),
        "inout" => ("inout port", "use an input and an output"),
        "tri" | "tri0" | "tri1" | "triand" | "trior" | "trireg" | "wand" | "wor" | "supply0" | "supply1" | "uwire" => {
            ("net type other than wire", "use wire and one driver")
        }
        "real" | "realtime" => ("real variable", "use reg or integer"),
        "time" => ("time variable", "use reg [63:0]"),
        "event" => ("named event", "use a reg"),
        "and" | "nand" | "or" | "nor" | "xor" | "xnor" | "not" | "buf" | "bufif0" | "bufif1" | "notif0" | "notif1" => {
            ("gate instance", "use assign")
        }
        "cmos" | "nmos" | "pmos" | "rcmos" | "rnmos" | "rpmos" | "tran" | "tranif0" | "tranif1" | "rtran"
        | "rtranif0" | "rtranif1" | "pullup" | "pulldown" => ("switch instance", "use assign"),
        _ => return None,
    })
}

/// The same for SystemVerilog, whose words may also be names: only with a name, a range or a block
/// behind.
pub(super) fn refused_sv(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "always_ff" | "always_comb" | "always_latch" => {
            ("SystemVerilog always_ff, always_comb, always_latch", "use always @(posedge clock) or always @(*)")
        }
        "logic" | "bit" | "byte" | "int" | "shortint" | "longint" => {
            ("SystemVerilog data type", "use wire, reg or integer")
        }
        "typedef" | "enum" | "struct" | "union" => ("SystemVerilog type", "use vectors and localparam"),
        "interface" | "package" | "import" | "program" | "class" => ("SystemVerilog construct", "use modules"),
        "assert" | "assume" | "cover" | "property" => ("SystemVerilog assertion", "remove it"),
        "unique" | "unique0" | "priority" => ("SystemVerilog unique or priority", "use a plain case or if"),
        _ => return None,
    })
}

/// Construct and advice for a word that begins a statement outside the subset.
pub(super) fn refused_statement(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "while" | "repeat" | "forever" => ("loop other than for", "use for with constant bounds"),
        "wait" => ("wait", "use a clocked process"),
        "fork" => ("fork", "use begin ... end"),
        "disable" => ("disable", "use if"),
        "assign" | "deassign" | "force" | "release" => ("procedural continuous assignment", "use a plain assignment"),
        "reg" | "integer" => ("declaration in a block without name or after a statement", "declare it in the module"),
        _ => return None,
    })
}
