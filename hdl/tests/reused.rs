//! A local signal has one meaning: in one kernel, with all its parts, it is not written again after
//! it is read. Waves would show only what it was last.
//!
//! The exported Verilog decides, in which loops are unrolled and parts joined: statements of an
//! `always` block in order, branches of a condition each on its own. A default that is overridden
//! before it is read is no second meaning. An accumulator of one loop is allowed if it is listed
//! here, with its reason; its first value stands in the same part of the kernel, before the loop.
//! The list can only shrink: an entry that is no longer needed fails, too.
//!
//! It can be wrong in a kernel that no configuration below has. Output ports are not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, TOPS};
use syn::visit::{self, Visit};
use syn::Expr;

const BITS: &str = "each pass adds its bit";
const UNION: &str = "each pass adds its word";
const COUNT: &str = "each pass counts";
const FIRST: &str = "the first pass that finds one sets it, and later passes look at it";
const EXTREME: &str = "the least or greatest so far";
const NARROWS: &str = "each pass takes some away";

/// Accumulators: file, block, signals, what the loop does with them.
const ACCUMULATORS: &[(&str, &str, &str, &str)] = &[
    ("attribute/front.rs", "AttributeFront", "first first_handle", FIRST),
    ("bus/message_bus.rs", "MessageBus", "all_asking asking winners", BITS),
    ("dispatch/account.rs", "SlotAccount", "after alone_found any found pair_found", FIRST),
    ("dispatch/account.rs", "SlotAccount", "next_used unended", NARROWS),
    ("dispatch/graphics.rs", "GraphicsDispatcher", "after any chosen", FIRST),
    ("dispatch/graphics.rs", "GraphicsDispatcher", "all_lanes cover merged_guests merged_pairs pixels_of_quad", BITS),
    ("dispatch/graphics.rs", "GraphicsDispatcher", "below others", COUNT),
    ("dispatch/graphics.rs", "GraphicsDispatcher", "waiting_ends", UNION),
    ("dispatch/request_line.rs", "RequestLine", "count", COUNT),
    ("dispatch/request_line.rs", "RequestLine", "found", FIRST),
    ("dispatch/request_line.rs", "RequestLine", "set", UNION),
    ("dispatch/row.rs", "RowController", "acquire_after acquire_any end_after end_any end_bit", FIRST),
    ("dispatch/row.rs", "RowController", "release_after release_any", FIRST),
    ("dispatch/setup.rs", "ThreadSetup", "others", UNION),
    ("geometry/block.rs", "Geometry", "float_req_taken bias_asks lost", FIRST),
    ("graphics.rs", "GraphicsPipeline", "store_req_found result_found word_found", FIRST),
    ("memory/arbiter.rs", "MemoryArbiter", "fetch_after fetch_any line_after line_any", FIRST),
    ("memory/arbiter.rs", "MemoryArbiter", "graphics_after graphics_any", FIRST),
    ("memory/arbiter.rs", "UnitArbiter", "after any", FIRST),
    ("memory/lsa/cut.rs", "Cut", "all_bytes merged", UNION),
    ("memory/lsa/cut.rs", "Cut", "found", FIRST),
    ("memory/lsa/cut.rs", "Cut", "lanes", BITS),
    ("output/blend.rs", "Blend", "wide0", COUNT),
    ("output/depth/test_unit.rs", "DepthTest", "passed", BITS),
    ("output/results.rs", "ResultStore", "covered group lost mark_word marked masked", BITS),
    ("output/results.rs", "ResultStore", "group_count", COUNT),
    ("output/tile_buffers.rs", "TileBuffers", "closed quiet", BITS),
    ("output/tile_buffers.rs", "TileBuffers", "has_free has_old", FIRST),
    ("raster/collector.rs", "Collector", "pixel_count sample_count", COUNT),
    ("raster/collector.rs", "Collector", "pixels spread", BITS),
    ("raster/merge_queue.rs", "MergeQueue", "active oldest partner single_lanes", BITS),
    ("raster/merge_queue.rs", "MergeQueue", "fill_plain fill_shape fitting found", NARROWS),
    ("raster/merge_queue/fit.rs", "MergeFit", "fit", NARROWS),
    ("raster/merge_queue/places.rs", "MergePlaces", "number", UNION),
    ("raster/rows.rs", "RasterRows", "part_columns quads_now", BITS),
    ("vertex/front_end.rs", "VertexFrontEnd", "contexts_now", BITS),
    ("vertex/front_end.rs", "VertexFrontEnd", "hit_entry", UNION),
    ("visibility/hi_z/back_levels.rs", "BackLevels", "most whole", EXTREME),
    ("visibility/filter/quad_filter.rs", "QuadFilter", "shows", BITS),
    ("visibility/hi_z/hi_z.rs", "HiZ", "eight", EXTREME),
    ("visibility/hi_z/hi_z.rs", "HiZ", "less level", BITS),
    ("visibility/hi_z/hide_parts.rs", "HideParts", "columns many some", BITS),
    ("visibility/hi_z/hide_parts.rs", "HideParts", "single", UNION),
    ("warp/context.rs", "WarpContext", "at_low merge_met split_met", BITS),
    ("warp/context.rs", "WarpContext", "found", FIRST),
    ("warp/context.rs", "WarpContext", "low", EXTREME),
    ("warp/icache.rs", "InstructionCache", "any", FIRST),
    ("warp/operands.rs", "Operands", "nonzero", BITS),
    ("warp/scheduler.rs", "Scheduler", "any", FIRST),
    ("warp/shared_result.rs", "SharedResult", "found_a found_b found_c owners", BITS),
    ("warp/table.rs", "WarpTable", "can_merge free_slots living members running_slots splitting", BITS),
    ("warp/table.rs", "WarpTable", "even_alive even_member even_ready odd_alive odd_member odd_ready", BITS),
    ("warp/table.rs", "WarpTable", "twin_alive twin_free twin_members twin_ready", BITS),
];

/// Machines that together have every kernel with every part of it.
const MACHINES: &[&[(&str, &str)]] = &[
    &[],
    &[("rows", "2"), ("cores", "2"), ("bus", "shared"), ("function_unit", "off"), ("warp_wide", "scalar")],
    &[("units", "1"), ("warps", "2"), ("trace", "off"), ("semaphore_tail", "off"), ("warp_wide_late", "stored")],
    &[("graphics", "on"), ("merge", "on"), ("split", "on"), ("split_shape", "either"), ("units", "1")],
    &[("graphics", "on"), ("merge", "on"), ("split", "on"), ("warps", "8"), ("units", "1")],
    &[("graphics", "on"), ("merge", "on"), ("merge_group", "4"), ("split", "on"), ("units", "1")],
    &[("graphics", "on"), ("merge", "on"), ("merge_private", "joined"), ("units", "1")],
    &[("graphics", "on"), ("merge", "on"), ("merge_private", "new"), ("public_registers", "bitmap"), ("units", "1")],
    &[
        ("graphics", "on"),
        ("merge", "on"),
        ("split", "on"),
        ("warps", "8"),
        ("event_form", "count"),
        ("merge_helpers_end", "on"),
        ("merge_private", "none"),
    ],
    &[("graphics", "on"), ("merge", "on"), ("event_form", "counter"), ("merge_ordered", "off"), ("units", "1")],
    &[("graphics", "on"), ("hi_z", "visibility+binner"), ("hi_z_levels", "four"), ("setup_rate", "4")],
    &[("graphics", "on"), ("hi_z", "visibility+binner"), ("hi_z_update", "back"), ("tbimr", "window")],
    &[("graphics", "on"), ("hi_z", "visibility"), ("cull_pipeline", "depth"), ("hi_z_memory", "on")],
    &[("graphics", "on"), ("hi_z", "update-only"), ("cull_pipeline", "positions"), ("tbimr", "full")],
];

/// Signals that have been read since they were written last.
type Read<'a> = BTreeSet<&'a str>;

/// Goes through the statements of a kernel.
struct Kernel<'a> {
    lines: std::iter::Peekable<std::vec::IntoIter<&'a str>>,
    locals: BTreeSet<&'a str>,
    reused: BTreeSet<&'a str>,
}

/// Names in an expression, without those in numbers (`8'hff`).
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    text.split('\'')
        .enumerate()
        .flat_map(move |(part, text)| text.split(move |c| !is_name(c)).skip(usize::from(part > 0)))
}

impl<'a> Kernel<'a> {
    fn reads(&self, text: &'a str, read: &mut Read<'a>) {
        read.extend(names(text).filter(|name| self.locals.contains(name)));
    }

    /// Statements up to the end of the block.
    fn block(&mut self, mut read: Read<'a>) -> Read<'a> {
        while let Some(line) = self.lines.next() {
            if line == "end" {
                break;
            } else if let Some(test) = line.strip_prefix("if (") {
                read = self.condition(test, read);
            } else if line.starts_with("case (") {
                read = self.cases(line, read);
            } else if let Some((target, value)) = line.split_once(" = ") {
                self.reads(value, &mut read);
                let target = target.split('[').next().unwrap();
                if read.remove(target) {
                    self.reused.insert(target);
                }
            }
        }
        read
    }

    fn condition(&mut self, test: &'a str, mut read: Read<'a>) -> Read<'a> {
        self.reads(test, &mut read);
        let mut after = self.block(read.clone());
        let otherwise = self.lines.next_if(|line| line.starts_with("else")).map(|l| l.trim_start_matches("else "));
        after.extend(match otherwise {
            Some(line) if line.starts_with("if (") => self.condition(line, read),
            Some(_) => self.block(read),
            None => read,
        });
        after
    }

    fn cases(&mut self, test: &'a str, mut read: Read<'a>) -> Read<'a> {
        self.reads(test, &mut read);
        let mut after = read.clone();
        while let Some(line) = self.lines.next().filter(|line| *line != "endcase") {
            if line == "begin" {
                after.extend(self.block(read.clone()));
            }
        }
        after
    }
}

/// Local signals of a module that are written again after they are read; one name for a vector.
fn reused(module: &str) -> BTreeSet<String> {
    let section = |name: &str| module.split_once(name).map_or("", |found| found.1);
    let declared = section("// Local signals").split("\n\n").next().unwrap();
    let locals =
        declared.lines().filter_map(|l| l.trim().strip_prefix("reg ")?.strip_suffix(';')?.split(' ').next_back());
    let kernel = section("// Update code\n").split_once("always @(*) begin").map_or("", |found| found.1);
    let lines: Vec<&str> = kernel.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("//")).collect();
    let mut kernel =
        Kernel { lines: lines.into_iter().peekable(), locals: locals.collect(), reused: BTreeSet::default() };
    kernel.block(Read::default());
    let number = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let whole = |name: &&str| match name[..number(name)].strip_suffix('_') {
        Some(vector) => vector.to_owned(),
        None => (*name).to_owned(),
    };
    kernel.reused.iter().map(whole).collect()
}

/// A signal of a block: file, block, name.
type Signal = (String, String, String);

#[test]
fn a_local_signal_has_one_meaning() {
    let defaults = TOPS.iter().map(|(top, _)| (*top, GpuConfig::default()));
    let machines = MACHINES.iter().map(|settings| {
        let mut config = GpuConfig::default();
        settings.iter().for_each(|(key, value)| config.set(key, value).unwrap());
        ("quadlock", config)
    });
    let mut found: BTreeSet<Signal> = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (top, config) in defaults.chain(machines) {
        for module in build(top, &config).unwrap().modules {
            let Some(source) = module.source.filter(|_| seen.insert(module.text.clone())) else { continue };
            let signal = |name| (source.file.to_owned(), source.rust.to_owned(), name);
            found.extend(reused(&module.text).into_iter().map(signal));
        }
    }
    let listed: BTreeSet<Signal> = ACCUMULATORS
        .iter()
        .flat_map(|(file, block, names, _)| {
            names.split(' ').map(move |name| (format!("hdl/src/{file}"), (*block).to_owned(), name.to_owned()))
        })
        .collect();
    let tell = |(file, block, name): &Signal| format!("{file}: {block}::{name}");
    let new: Vec<_> = found.difference(&listed).map(tell).collect();
    assert!(new.is_empty(), "read, then written again: give each meaning its own signal\n{}", new.join("\n"));
    let gone: Vec<_> = listed.difference(&found).map(tell).collect();
    assert!(gone.is_empty(), "no longer so: take them out of ACCUMULATORS\n{}", gone.join("\n"));
}

/// What the kernels of all blocks do with their signals, by the source.
#[derive(Default)]
struct Kernels {
    block: String,
    /// The functions of the `impl` are parts of its kernel.
    parts: bool,
    function: usize,
    loops: Vec<usize>,
    count: usize,
    /// In a branch of a condition inside the innermost loop.
    conditional: bool,
    /// By block and signal.
    events: BTreeMap<(String, String), Vec<Event>>,
}

/// A read or write of a signal.
struct Event {
    function: usize,
    /// Loops around it.
    loops: Vec<usize>,
    write: bool,
    conditional: bool,
}

impl Kernels {
    fn event(&mut self, path: &Expr, write: bool) {
        if let Some(name) = field(path) {
            let (function, loops, conditional) = (self.function, self.loops.clone(), self.conditional);
            let event = Event { function, loops, write, conditional };
            self.events.entry((self.block.clone(), name)).or_default().push(event);
        }
    }
}

/// The field of `self` that a path begins with.
fn field(path: &Expr) -> Option<String> {
    match path {
        Expr::Field(f) => match (&*f.base, &f.member) {
            (Expr::Path(p), syn::Member::Named(name)) if p.path.is_ident("self") => Some(name.to_string()),
            (base, _) => field(base),
        },
        Expr::Index(i) => field(&i.expr),
        _ => None,
    }
}

impl<'a> Visit<'a> for Kernels {
    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let syn::Type::Path(block) = &*item.self_ty else { return };
        self.block = block.path.segments.last().map_or(String::new(), |s| s.ident.to_string());
        self.parts = item.attrs.iter().any(|a| a.path().is_ident("kernel") || a.path().is_ident("parts"));
        visit::visit_item_impl(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        if self.parts || function.attrs.iter().any(|a| a.path().is_ident("kernel")) {
            self.function += 1;
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_expr_for_loop(&mut self, x: &'a syn::ExprForLoop) {
        self.count += 1;
        self.loops.push(self.count);
        let around = std::mem::take(&mut self.conditional);
        visit::visit_block(self, &x.body);
        self.conditional = around;
        self.loops.pop();
    }

    fn visit_expr_if(&mut self, x: &'a syn::ExprIf) {
        self.visit_expr(&x.cond);
        let around = std::mem::replace(&mut self.conditional, true);
        visit::visit_block(self, &x.then_branch);
        x.else_branch.iter().for_each(|(_, otherwise)| self.visit_expr(otherwise));
        self.conditional = around;
    }

    fn visit_expr_assign(&mut self, assign: &'a syn::ExprAssign) {
        self.visit_expr(&assign.right);
        self.event(&assign.left, true);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        if call.method == "val" {
            self.event(&call.receiver, false);
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// Whether it is an accumulator: it is written before a loop, in the same function, and passes of
/// the loop read what earlier ones have written. Later writes are all in that loop.
fn accumulates(events: &[Event]) -> bool {
    let loops: BTreeSet<(usize, usize)> =
        events.iter().flat_map(|e| e.loops.iter().map(|around| (e.function, *around))).collect();
    loops.iter().any(|(function, around)| {
        let own: Vec<&Event> = events.iter().filter(|e| e.function == *function).collect();
        let inside = |e: &&Event| e.loops.contains(around);
        // An earlier pass can be seen from here on.
        let carried = own.iter().position(|e| inside(e) && (!e.write || e.conditional));
        let (Some(begin), Some(carried)) = (own.iter().position(inside), carried) else { return false };
        let after = &own[carried..];
        own[..begin].iter().any(|e| e.write)
            && after.iter().any(|e| inside(e) && !e.write)
            && after.iter().any(|e| e.write)
            && after.iter().filter(|e| e.write).all(inside)
    })
}

/// Sources of a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn what_is_listed_accumulates_in_one_loop() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    files.sort();
    let mut kernels = Kernels::default();
    for file in files {
        kernels.visit_file(&super::kernel_text::parse(&std::fs::read_to_string(file).unwrap()).unwrap());
    }
    let mut wrong = Vec::new();
    for (_, block, names, reason) in ACCUMULATORS {
        for name in names.split(' ') {
            let events = kernels.events.get(&((*block).to_owned(), name.to_owned()));
            if !events.is_some_and(|events| accumulates(events)) {
                wrong.push(format!("{block}::{name} ({reason})"));
            }
        }
    }
    assert!(wrong.is_empty(), "no accumulator of one loop that begins before it:\n{}", wrong.join("\n"));
}

#[test]
fn a_second_meaning_is_found() {
    let module = |kernel: &str| {
        let locals = "    reg [3:0] x;\n    reg  y;\n    reg [7:0] z_3;\n";
        format!("    // Local signals\n{locals}\n    // Update code\n    always @(*) begin\n{kernel}\nend\nendmodule\n")
    };
    let of = |kernel: &str| reused(&module(kernel)).into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(of("x = a;\nb = x;\nx = c;"), "x");
    assert_eq!(of("x = a;\nif (x) begin\nb = 1'h0;\nend\nx = c;"), "x");
    assert_eq!(of("z_3 = a;\nz_3 = z_3 + 8'h1;"), "z");
    assert_eq!(of("case (a)\nA:\nbegin\nx = b;\nc = x;\nend\ndefault:\nbegin\nend\nendcase\nx = d;"), "x");
    // Defaults, branches that exclude each other, numbers.
    assert_eq!(of("x = a;\nif (c) begin\nx = b;\nend\nd = x;"), "");
    assert_eq!(of("if (c) begin\nx = a;\nd = x;\nend\nelse if (e) begin\nx = b;\nend\nelse begin\nx = f;\nend"), "");
    assert_eq!(of("x = 4'hx;\nx = 4'hy;\ny = x;"), "");
    let accumulator = |kernel: &str| {
        let mut kernels = Kernels::default();
        let text = format!("#[kernel] impl X {{ fn a(&mut self) {{ {kernel} }} }}");
        kernels.visit_file(&super::kernel_text::parse(&text).unwrap());
        accumulates(&kernels.events[&("X".to_owned(), "s".to_owned())])
    };
    let pass = "self.s.next = self.s.val() | self.a[i].val();";
    assert!(accumulator(&format!("self.s.next = z; for i in 0..4 {{ {pass} }} self.q.next = self.s.val();")));
    assert!(accumulator("self.s.next = z; for i in 0..4 { if a { self.s.next = b; } self.q.next = self.s.val(); }"));
    assert!(!accumulator("self.s.next = z; for i in 0..4 { self.s.next = b; self.q.next = self.s.val(); }"));
    assert!(!accumulator(&format!("for i in 0..4 {{ self.s.next = z; {pass} }}")));
    assert!(!accumulator(&format!("self.s.next = z; for i in 0..4 {{ {pass} }} self.s.next = self.q.val();")));
    assert!(!accumulator("self.s.next = z; self.q.next = self.s.val(); self.s.next = z;"));
}
