//! The one table of build parameters: key, values, meaning, field with its default, how it is read
//! and how it is set. It makes [`GpuConfig`].
//!
//! Whoever lists, sets or prints a parameter asks here: [`GpuConfig::set`] and
//! [`GpuConfig::check`], the manifest of an export, the `[machine]` table of jobs, the help of
//! `--set`, the tables in the pages. Wrong would be a row whose getter reads another field than its
//! setter writes; a test sets each row to each of its values.

use std::collections::BTreeMap;
use std::fmt;

use quadlock_isa::abi::{MAX_SHARED_WORDS, MAX_UNITS, MAX_WARPS};
use serde_json::Value;

use crate::base::like::did_you_mean;
use crate::fault::Fault;
use crate::options::{
    switch, BusKind, CoreChange, CullPipeline, EventForm, HiZ, HiZLevels, HiZStructures, HiZUpdate, PrivateSet,
    PublicRegisters, RegisterBanks, SemaphoreConfig, SetupRate, SplitShape, Tbimr, WarpWide, WideLate, WideResult,
};

/// The values that a parameter can have.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// Whole numbers, both ends included.
    Range(usize, usize),
    /// Powers of two, both ends included.
    Power(usize, usize),
    /// `on` or `off`.
    Switch,
    /// One of these words.
    Words(fn() -> Vec<&'static str>),
    /// What else, in words.
    Other(&'static str),
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(low, high) => write!(f, "{low} to {high}"),
            Self::Power(low, high) => write!(f, "{low} to {high}, a power of two"),
            Self::Switch => f.write_str("on, off"),
            Self::Words(words) => f.write_str(&words().join(", ")),
            Self::Other(text) => f.write_str(text),
        }
    }
}

type Set = fn(&mut GpuConfig, &str, &str) -> Result<(), String>;

/// A row of the table.
pub struct Parameter {
    /// Its key in an export; in jobs and on the command line `-` may stand for `_`.
    pub key: &'static str,
    /// What it may be; checked by [`GpuConfig::check`].
    pub values: Values,
    /// Jobs may set it, by `[machine]` and by `--set` of a run.
    pub of_jobs: bool,
    /// What it changes, for tables and help.
    pub meaning: &'static str,
    get: fn(&GpuConfig) -> Value,
    set: Set,
}

impl Parameter {
    /// The key as jobs write it: `-` for `_`.
    pub fn job_key(&self) -> String {
        self.key.replace('_', "-")
    }

    /// Its value: a number, a truth, a word, or null for none.
    pub fn get(&self, config: &GpuConfig) -> Value {
        (self.get)(config)
    }

    /// Its value as `--set` writes it.
    pub fn text(&self, config: &GpuConfig) -> String {
        match self.get(config) {
            Value::Bool(on) => if on { "on" } else { "off" }.to_owned(),
            Value::Null => "none".to_owned(),
            Value::String(word) => word,
            other => other.to_string(),
        }
    }

    /// The number's range, in words if it is left.
    pub fn check(&self, config: &GpuConfig) -> Result<(), String> {
        let (low, high, power) = match self.values {
            Values::Range(low, high) => (low, high, false),
            Values::Power(low, high) => (low, high, true),
            Values::Switch | Values::Words(_) | Values::Other(_) => return Ok(()),
        };
        let (key, value) = (self.job_key(), self.get(config).as_u64().unwrap_or(0) as usize);
        if !(low..=high).contains(&value) {
            return Err(format!("{key} = {value} is out of range: {low} to {high}"));
        }
        match power && !value.is_power_of_two() {
            true => Err(format!("{key} = {value} is not a power of two")),
            false => Ok(()),
        }
    }
}

/// The row of a key, written with `-` or `_`; keys of one core, as in `core.0.1.units`, are those
/// of `core`.
pub fn by_key(key: &str) -> Option<&'static Parameter> {
    let key = key.replace('-', "_");
    let key = if key.starts_with("core.") { "core" } else { &key };
    PARAMETERS.iter().find(|p| p.key == key)
}

/// Groups of rows, for lists: a title, and the key of the first row. A group ends where the next
/// one begins.
pub const GROUPS: &[(&str, &str)] = &[
    ("Cores and warp units", "rows"),
    ("Semaphores and messages", "semaphores"),
    ("Warp-wide operations", "warp_wide"),
    ("Graphics", "graphics"),
    ("Merging of fragment warps", "merge"),
    ("Splitting of fragment warps", "split"),
    ("Geometry stores and binning", "store_triangles"),
    ("Hi-Z", "hi_z"),
    ("Cull pipeline", "cull_pipeline"),
    ("Observation and faults", "trace"),
];

/// The rows of each group with its title, in order.
pub fn grouped() -> impl Iterator<Item = (&'static str, &'static [Parameter])> {
    let first = |key: &str| PARAMETERS.iter().position(|p| p.key == key).unwrap_or(PARAMETERS.len());
    GROUPS.iter().enumerate().map(move |(n, (title, key))| {
        let end = GROUPS.get(n + 1).map_or(PARAMETERS.len(), |next| first(next.1));
        (*title, &PARAMETERS[first(key)..end])
    })
}

/// The rows that a job may set, in order.
pub fn of_jobs() -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(|p| p.of_jobs)
}

/// The table as Markdown rows; with `-` for `_`, and only what jobs may set, or all.
pub fn markdown(jobs: bool) -> String {
    let default = GpuConfig::default();
    let mut text = String::from("| key | values | default | meaning |\n|---|---|---|---|\n");
    for p in PARAMETERS.iter().filter(|p| p.of_jobs || !jobs) {
        let (key, default) = (if jobs { p.job_key() } else { p.key.to_owned() }, p.text(&default));
        let default = if default.is_empty() { "none".to_owned() } else { default };
        text += &format!("| `{key}` | {} | {default} | {} |\n", p.values, p.meaning);
    }
    text
}

impl GpuConfig {
    /// The first parameter out of its range, in words.
    ///
    /// # Errors
    /// A number out of its range, too many units in all, a core that cannot be.
    pub fn check(&self) -> Result<(), String> {
        // What the sums below are made of first.
        let of_cores = ["rows", "cores", "units", "warps"];
        of_cores.into_iter().filter_map(by_key).try_for_each(|p| p.check(self))?;
        self.check_cores()?;
        let units = self.total_units();
        if !(1..=MAX_UNITS).contains(&units) {
            let name = if self.differing.is_empty() { "rows * cores * units" } else { "units of all cores" };
            return Err(format!("{name} = {units} is out of range: 1 to {MAX_UNITS}"));
        }
        self.check_graphics()?;
        if self.register_banks == RegisterBanks::Two && !self.banks_can_be_two() {
            return Err("register-banks = 2 needs warp-wide-result = per-lane and warp-wide-late = again".into());
        }
        PARAMETERS.iter().try_for_each(|p| p.check(self))
    }

    /// The attribute unit stands where the scalar unit would, and only collective execution knows
    /// lanes that are helpers.
    fn check_graphics(&self) -> Result<(), String> {
        let known = matches!(self.warp_wide, WarpWide::Off | WarpWide::Collective);
        if self.graphics && !known {
            let name = self.warp_wide.name();
            return Err(format!("graphics = on with warp-wide = {name}: not built; write warp-wide = collective"));
        }
        if self.bins() && self.updates_back() {
            return Err("hi-z-update = back with tbimr = full: not built; write tbimr = window".into());
        }
        if self.spills() {
            let others = [
                ("hi-z", self.hi_z.name(), "visibility", self.hi_z == HiZ::Rasteriser),
                ("hi-z-update", "back", "forward", self.updates_back()),
                ("hi-z-structures", "two", "one", self.hi_z_structures == HiZStructures::Two),
                ("hi-z-levels", "four", "two", self.hi_z_levels == HiZLevels::Four),
            ];
            if let Some((key, value, built, _)) = others.into_iter().find(|other| other.3) {
                return Err(format!("hi-z-memory = on with {key} = {value}: not built; write {key} = {built}"));
            }
        }
        if self.graphics && self.warp_wide_late != WideLate::Again {
            return Err("graphics = on with warp-wide-late = stored: not built; write warp-wide-late = again".into());
        }
        let shared = self.warp_wide != WarpWide::Off && self.warp_wide_result == WideResult::Shared;
        for (name, on) in [("merge", self.merges()), ("split", self.splits())] {
            if on && shared {
                return Err(format!(
                    "{name} = on with warp-wide-result = shared: not built; write warp-wide-result = per-lane"
                ));
            }
        }
        for (key, places) in [("store-triangles", self.store_triangles), ("store-vertices", self.store_vertices)] {
            if let Some(n) = places.filter(|n| !n.is_power_of_two() || !(64..=4096).contains(n)) {
                return Err(format!("{key} = {n} is not built: write auto, or a power of two from 64 to 4096"));
            }
        }
        let public = self.public_registers;
        let contiguous = matches!(public, PublicRegisters::Below | PublicRegisters::Half);
        if self.of_private(PrivateSet::Joined) == 1 && !contiguous {
            let name = public.name();
            return Err(format!(
                "merge-private = joined with public-registers = {name}: not built; write public-registers = below"
            ));
        }
        if self.splits() && self.most_warps() < 4 {
            return Err("split = on needs the slots of four samples in a unit: write warps = 4 or more".into());
        }
        if self.groups() && matches!(self.merge_private, PrivateSet::Joined | PrivateSet::New) {
            let name = self.merge_private.name();
            return Err(format!("merge-group = 3 or 4 with merge-private = {name}: not built; write merge-group = 2"));
        }
        if self.groups() && self.most_warps() < 4 {
            return Err("merge-group = 3 or 4 needs the slots of four quads in a unit: write warps = 4 or more".into());
        }
        Ok(())
    }

    /// Changes one parameter by its name, as `--set KEY=VALUE` does; `-` in a key counts as `_`.
    /// The range is [`GpuConfig::check`]'s matter.
    ///
    /// # Errors
    /// What is wrong with the key or the value, in words.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match by_key(key) {
            // The setter of a core looks at the key's parts.
            Some(p) if p.key == "core" => (p.set)(self, &key.replace('-', "_"), value),
            Some(p) => (p.set)(self, key, value),
            None => {
                let like = did_you_mean(key, PARAMETERS.iter().map(|p| p.key));
                Err(format!("there is no parameter `{key}`{like}"))
            }
        }
    }
}

fn number(key: &str, value: &str) -> Result<usize, String> {
    value.parse().map_err(|_| format!("{key}={value}: `{value}` is not a whole number"))
}

/// Whether it is the first word and not the second.
fn either(key: &str, value: &str, [yes, no]: [&str; 2]) -> Result<bool, String> {
    match value {
        v if v == yes => Ok(true),
        v if v == no => Ok(false),
        _ => Err(format!("{key}={value}: write {yes} or {no}")),
    }
}

/// The option of that name.
fn named<T: Copy>(key: &str, value: &str, options: &[(T, &'static str)]) -> Result<T, String> {
    let found = options.iter().find(|o| o.1 == value).map(|o| o.0);
    found.ok_or_else(|| format!("{key}={value}: write one of {}", names(options).join(", ")))
}

fn names<T>(options: &[(T, &'static str)]) -> Vec<&'static str> {
    options.iter().map(|o| o.1).collect()
}

fn set_fault(config: &mut GpuConfig, key: &str, value: &str) -> Result<(), String> {
    config.fault = match value {
        "none" => None,
        _ => {
            let name = value.strip_prefix("rtl:").unwrap_or(value);
            Some(Fault::by_name(name).ok_or(format!("{key}={value}: no planted fault is called `{name}`"))?)
        }
    };
    Ok(())
}

/// Getter and setter of a number field.
macro_rules! number {
    ($($field:ident).+) => { (|c| c.$($field).+.into(), |c, k, v| { c.$($field).+ = number(k, v)?; Ok(()) }) };
}
/// Of a switch.
macro_rules! flag {
    ($($field:ident).+) => { (|c| c.$($field).+.into(), |c, k, v| { c.$($field).+ = switch(k, v)?; Ok(()) }) };
}
/// Of a truth that is written as one of two words.
macro_rules! words {
    ($($field:ident).+, $yes:literal, $no:literal) => {(
        |c| if c.$($field).+ { $yes } else { $no }.into(),
        |c, k, v| { c.$($field).+ = either(k, v, [$yes, $no])?; Ok(()) },
    )};
}
/// Of a size of geometry's stores.
macro_rules! size {
    ($field:ident) => {
        (
            |c| c.$field.map_or("auto".to_owned(), |n| n.to_string()).into(),
            |c, k, v| {
                let known = STORE_SIZES.contains(&v);
                c.$field = match v {
                    "auto" => None,
                    _ if known => Some(number(k, v)?),
                    _ => return Err(format!("{k}={v}: write one of {}", STORE_SIZES.join(", "))),
                };
                Ok(())
            },
        )
    };
}
/// Of an enumeration with names.
macro_rules! option {
    ($field:ident, $type:ident) => {
        (
            |c| c.$field.name().into(),
            |c, k, v| {
                c.$field = named(k, v, &$type::ALL)?;
                Ok(())
            },
        )
    };
}

/// Sizes of geometry's stores: 6 to 12 bits say a place.
const STORE_SIZES: [&str; 8] = ["auto", "64", "128", "256", "512", "1024", "2048", "4096"];

const fn row(
    key: &'static str,
    values: Values,
    (get, set): (fn(&GpuConfig) -> Value, Set),
    meaning: &'static str,
) -> Parameter {
    Parameter { key, values, of_jobs: true, meaning, get, set }
}

const fn not_of_jobs(
    key: &'static str,
    values: Values,
    access: (fn(&GpuConfig) -> Value, Set),
    meaning: &'static str,
) -> Parameter {
    Parameter { of_jobs: false, ..row(key, values, access, meaning) }
}

/// Getter and setter of the bus.
const BUS: (fn(&GpuConfig) -> Value, Set) = (
    |c| if c.bus == BusKind::Shared { "shared" } else { "crossbar" }.into(),
    |c, k, v| {
        c.bus = if either(k, v, ["shared", "crossbar"])? { BusKind::Shared } else { BusKind::Crossbar };
        Ok(())
    },
);

/// Of the components per cycle of blending.
const BLEND_LANES: (fn(&GpuConfig) -> Value, Set) = (
    |c| c.blend_lanes.to_string().into(),
    |c, k, v| {
        c.blend_lanes = if either(k, v, ["4", "1"])? { 4 } else { 1 };
        Ok(())
    },
);

/// Of the most samples of a pass. A machine for two would lack nothing that one for four has.
const MAX_SAMPLES: (fn(&GpuConfig) -> Value, Set) = (
    |c| c.max_samples.to_string().into(),
    |c, k, v| {
        c.max_samples = if either(k, v, ["4", "1"])? { 4 } else { 1 };
        Ok(())
    },
);

/// Of the cores that differ.
const CORE: (fn(&GpuConfig) -> Value, Set) = (|c| c.differing_text().into(), |c, k, v| c.set_core(k, v));

/// Of the planted fault.
const FAULT: (fn(&GpuConfig) -> Value, Set) =
    (|c| c.fault.and_then(|f| Fault::ALL.iter().find(|a| a.0 == f)).map(|a| a.1).into(), set_fault);

/// The table: a row makes a field of [`GpuConfig`], which has the row's meaning as its comment, the
/// field's default, and the entry of [`PARAMETERS`]. A row without a field sets a part of another
/// one.
macro_rules! parameters {
    ($($kind:ident($key:literal, $values:expr, $access:expr, $meaning:literal $(,)?) $(=> $(#[$note:meta])* $field:ident: $type:ty = $default:expr)?;)+) => {
        /// Build parameters of a machine.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct GpuConfig {
            $($(#[doc = $meaning] $(#[$note])* pub $field: $type,)?)+
        }

        impl Default for GpuConfig {
            fn default() -> Self {
                Self { $($($field: $default,)?)+ }
            }
        }

        /// Every build parameter.
        pub const PARAMETERS: &[Parameter] = &[$($kind($key, $values, $access, $meaning)),+];
    };
}

parameters! {
    row("rows", Values::Range(1, 4), number!(rows), "Rows of cores (`SE-1`).") => rows: usize = 1;
    row("cores", Values::Range(1, 4), number!(cores), "Cores per row.") => cores: usize = 1;
    row("units", Values::Range(1, 8), number!(units), "Warp units per core. All cores together have at most 32.") => units: usize = 2;
    row("warps", Values::Range(2, MAX_WARPS), number!(warps), "Resident warps per unit.") => warps: usize = 8;
    row(
        "function_unit",
        Values::Switch,
        flag!(function_unit),
        "Every unit has a function unit. Without it the function instructions are undefined operations.",
    ) => function_unit: bool = true;
    not_of_jobs(
        "core",
        Values::Other("`core.ROW.COLUMN.` and `units`, `warps` or `function_unit`"),
        CORE,
        "A parameter of one core (`SE-3`), as core.ROW.COLUMN.KEY=VALUE. Each kind of core is a module.",
    ) => #[doc = "\n\nBy row and column."] differing: BTreeMap<(usize, usize), CoreChange> = BTreeMap::new();
    row(
        "icache_lines",
        Values::Power(8, 1024),
        number!(icache_lines),
        "Lines of 16 bytes (two instructions) in each unit's instruction cache.",
    ) => icache_lines: usize = 256;
    row(
        "shared_words",
        Values::Power(64, MAX_SHARED_WORDS),
        number!(shared_words),
        "32-bit words of each unit's shared storage.",
    ) => shared_words: usize = 1024;
    row("semaphores", Values::Power(4, 1024), number!(semaphores.semaphores), "Semaphores.") => #[doc = "\n\nAll parameters of the semaphore entity; this row sets their number."] semaphores: SemaphoreConfig = SemaphoreConfig::default();
    row(
        "semaphore_pool",
        Values::Power(4, 4096),
        number!(semaphores.pool),
        "Entries of the buffer pool that all semaphore lists share.",
    );
    row(
        "semaphore_links",
        Values::Words(|| vec!["single", "double"]),
        words!(semaphores.double_links, "double", "single"),
        "Links of a list's entries. Double links need tail pointers; a release then searches from the tail.",
    );
    row(
        "semaphore_tail",
        Values::Switch,
        flag!(semaphores.tail_pointers),
        "The semaphore table has tail pointers. Without them an append walks the list.",
    );
    row(
        "semaphore_release",
        Values::Words(|| vec!["any", "owner"]),
        words!(semaphores.any_may_release, "any", "owner"),
        "Threads that may release (`SE-22`): any thread in the list (option B), or only the owner (option A).",
    );
    row(
        "bus",
        Values::Words(|| vec!["crossbar", "shared"]),
        BUS,
        "The message bus between dispatcher, rows and semaphore entity (`SE-2`).",
    ) => bus: BusKind = BusKind::default();
    row(
        "warp_wide",
        Values::Words(|| names(&WarpWide::ALL)),
        option!(warp_wide, WarpWide),
        "Execution of warp-wide atomics (`WW-30` to `WW-32`). `off`: not built, and the compiler emits none.",
    ) => warp_wide: WarpWide = WarpWide::default();
    row(
        "warp_wide_result",
        Values::Words(|| names(&WideResult::ALL)),
        option!(warp_wide_result, WideResult),
        "Destination of their results (`WW-33`, `WW-34`). No effect with `warp-wide` off.",
    ) => warp_wide_result: WideResult = WideResult::default();
    row(
        "warp_wide_late",
        Values::Words(|| names(&WideLate::ALL)),
        option!(warp_wide_late, WideLate),
        "Lanes that reach a warp-wide atomic late (`WW-27`) execute it again, or get the stored result.",
    ) => warp_wide_late: WideLate = WideLate::default();
    row(
        "graphics",
        Values::Switch,
        flag!(graphics),
        "Vertex and fragment warps can run. Needs `warp-wide` off or collective, and `warp-wide-late` again.",
    ) => graphics: bool = false;
    row(
        "contexts",
        Values::Power(8, 16),
        number!(contexts),
        "State records for draws in flight. Each has two windows of the constant bank.",
    ) => contexts: usize = 8;
    row(
        "setup_rate",
        Values::Words(|| names(&SetupRate::ALL)),
        option!(setup_rate, SetupRate),
        "Cycles per triangle in geometry, if no plane clips it. No effect without graphics.",
    ) => setup_rate: SetupRate = SetupRate::default();
    row(
        "blend_lanes",
        Values::Words(|| vec!["4", "1"]),
        BLEND_LANES,
        "Components of sRGB or rgba16float that are blended per cycle: a pixel's four, or one.",
    ) => blend_lanes: usize = 4;
    row(
        "max_samples",
        Values::Words(|| vec!["4", "1"]),
        MAX_SAMPLES,
        "Most samples per pixel of a pass. With 1 resolving is left out, and results have no rows for further samples. No effect without graphics.",
    ) => max_samples: usize = 4;
    row(
        "max_targets",
        Values::Range(1, 4),
        number!(max_targets),
        "Most colour targets of a pass, for each of which fragment results have rows. No effect without graphics.",
    ) => max_targets: usize = 4;
    row(
        "register_banks",
        Values::Words(|| names(&RegisterBanks::ALL)),
        option!(register_banks, RegisterBanks),
        "Banks of a unit's registers. Two banks write a lane result and a completion per cycle. `auto` is 2 with graphics, else 1.",
    ) => register_banks: RegisterBanks = RegisterBanks::default();
    row(
        "merge",
        Values::Switch,
        flag!(merge),
        "Sparse fragment warps merge (`MS-2` to `MS-34`). No effect without graphics.",
    ) => merge: bool = false;
    row("merge_queue", Values::Range(1, 32), number!(merge_queue), "Quads that the merge queue holds (`MS-2`).") => merge_queue: usize = 16;
    row(
        "merge_group",
        Values::Range(2, 4),
        number!(merge_group),
        "Most quads that merge into one warp (`MS-6`). 3 and 4 need four slots in each unit.",
    ) => merge_group: usize = 2;
    row(
        "merge_limit",
        Values::Range(1, 4095),
        number!(merge_limit),
        "Most cycles that a quad waits for a partner, counted while the output is ready (`MS-7`).",
    ) => merge_limit: usize = 128;
    row("merge_flip", Values::Switch, flag!(merge_flip), "Lanes may change places so that two quads fit (`MS-5`).") => merge_flip: bool = true;
    row(
        "merge_triangles",
        Values::Switch,
        flag!(merge_triangles),
        "Quads of different triangles may pair (`MS-4`). `off`: only quads of one triangle.",
    ) => merge_triangles: bool = true;
    row(
        "merge_ordered",
        Values::Switch,
        flag!(merge_ordered),
        "A quad does not overtake an earlier quad of its position that waits for a partner (`MS-9`). `off`: only commits are in order.",
    ) => merge_ordered: bool = true;
    row(
        "merge_alone",
        Values::Switch,
        flag!(merge_alone),
        "Unpaired warps run a separate program without a merge point (`MS-12`).",
    ) => merge_alone: bool = true;
    row(
        "public_registers",
        Values::Words(|| names(&PublicRegisters::ALL)),
        option!(public_registers, PublicRegisters),
        "Public registers (`MS-20`): those below the program's cutoff, as many at the upper end, always 0 to 15, or those of a bitmap.",
    ) => public_registers: PublicRegisters = PublicRegisters::default();
    row(
        "merge_private",
        Values::Words(|| names(&PrivateSet::ALL)),
        option!(merge_private, PrivateSet),
        "Private registers of a merged warp (`MS-22`): those of member 0, none, those of both members, or a new set.",
    ) => merge_private: PrivateSet = PrivateSet::default();
    row(
        "event_form",
        Values::Words(|| names(&EventForm::ALL)),
        option!(event_form, EventForm),
        "Form of merge and split events (`MS-10`): an instruction, an instruction modifier, or a program counter or instruction count given with the program.",
    ) => event_form: EventForm = EventForm::default();
    row(
        "merge_helpers_end",
        Values::Switch,
        flag!(merge_helpers_end),
        "Helper lanes end at a merge point in warps without a partner too (`MS-35`).",
    ) => merge_helpers_end: bool = false;
    row(
        "split",
        Values::Switch,
        flag!(split),
        "Per-pixel warps become one warp per sample (`MS-40`). No effect without graphics.",
    ) => split: bool = false;
    row(
        "split_shape",
        Values::Words(|| names(&SplitShape::ALL)),
        option!(split_shape, SplitShape),
        "A split makes one warp per covered sample, one per covered pixel (four samples only, and only if the program allows it), or whichever is fewer (`MS-41`).",
    ) => split_shape: SplitShape = SplitShape::default();
    row(
        "merge_split",
        Values::Switch,
        flag!(merge_split),
        "Warps may merge before they split (`MS-42`). Needs `merge` and `split`. No effect with fewer than 8 warps, groups, splits into pixels, or a `merge_private` other than `old`.",
    ) => #[doc = "\n\nSee [`GpuConfig::twins`]."] merge_split: bool = true;
    row(
        "store_triangles",
        Values::Words(|| STORE_SIZES.to_vec()),
        size!(store_triangles),
        "Triangle records, each held from set-up to the triangle's last quad. `auto`: the size of a window (`HZ-10`), else 64.",
    ) => #[doc = "\n\n`None`: [`GpuConfig::records`] says."] store_triangles: Option<usize> = None;
    row(
        "store_vertices",
        Values::Words(|| STORE_SIZES.to_vec()),
        size!(store_vertices),
        "Vertices in the attribute store (`HZ-34`), 16 of them for clipping. `auto`: as `store_triangles`.",
    ) => #[doc = "\n\n`None`: [`GpuConfig::vertices`] says."] store_vertices: Option<usize> = None;
    row(
        "tbimr",
        Values::Words(|| names(&Tbimr::ALL)),
        option!(tbimr, Tbimr),
        "Binning (`HZ-10`): `off` sends triangles to tiles one by one, `window` sorts a window of triangles by tile, `full` sorts a whole pass in memory.",
    ) => tbimr: Tbimr = Tbimr::default();
    row("tbimr_window", Values::Power(16, 4096), number!(tbimr_window), "Triangles per window.") => tbimr_window: usize = 1024;
    row(
        "tbimr_pairs",
        Values::Power(64, 4096),
        number!(tbimr_pairs),
        "Pairs of triangle and tile per window. A window with that many pairs ends.",
    ) => tbimr_pairs: usize = 4096;
    row(
        "tbimr_tiles",
        Values::Power(16, 1024),
        number!(tbimr_tiles),
        "Tile places of a window, indexed by the lowest bits of the tile number. A second tile at an occupied place ends the window.",
    ) => tbimr_tiles: usize = 1024;
    row(
        "tbimr_limit",
        Values::Range(64, 4095),
        number!(tbimr_limit),
        "A window ends after this many cycles without a triangle.",
    ) => tbimr_limit: usize = 4095;
    row(
        "tbimr_area",
        Values::Power(64, 262_144),
        number!(tbimr_area),
        "KiB of memory that the driver reserves for triangles and lists with `tbimr = full`.",
    ) => tbimr_area: usize = 2048;
    row(
        "hi_z",
        Values::Words(|| names(&HiZ::ALL)),
        option!(hi_z, HiZ),
        "Blocks that cull by Hi-Z bounds (`HZ-12`, `HZ-13`, `HZ-24`). `rasteriser`: the rasteriser, with bounds of its own quads (`HZ-37`). `update-only`: the rasteriser, with bounds from the visibility unit. `visibility`: also that unit. `visibility+binner`: also the binner at its output.",
    ) => hi_z: HiZ = HiZ::default();
    row(
        "hi_z_structures",
        Values::Words(|| names(&HiZStructures::ALL)),
        option!(hi_z_structures, HiZStructures),
        "With a visibility unit: the rasteriser queries that unit (`one`), or has bounds of its own quads (`two`, `HZ-37`).",
    ) => hi_z_structures: HiZStructures = HiZStructures::default();
    row(
        "hi_z_update",
        Values::Words(|| names(&HiZUpdate::ALL)),
        option!(hi_z_update, HiZUpdate),
        "Source of the bounds (`HZ-22`): triangles that pass the unit (`forward`), or depths that the pixel back end has written (`back`).",
    ) => hi_z_update: HiZUpdate = HiZUpdate::default();
    row(
        "hi_z_groups",
        Values::Power(16, 8192),
        number!(hi_z_groups),
        "Groups of 8 by 8 pixels that have a bound at one sample per pixel. Half as many at two samples, a quarter at four.",
    ) => hi_z_groups: usize = 1024;
    row(
        "hi_z_levels",
        Values::Words(|| names(&HiZLevels::ALL)),
        option!(hi_z_levels, HiZLevels),
        "Levels of the hidden test (`HZ-20`). `two`: groups of 8 by 8 pixels, and pixels. `four`: also blocks of 4 by 4 and 2 by 2.",
    ) => hi_z_levels: HiZLevels = HiZLevels::default();
    row(
        "hi_z_memory",
        Values::Switch,
        flag!(hi_z_memory),
        "Bounds of groups beyond `hi_z_groups` go to memory (`HZ-20`), one bound per group. `off`: these groups have no bound and count as visible.",
    ) => hi_z_memory: bool = false;
    row(
        "cull_pipeline",
        Values::Words(|| names(&CullPipeline::ALL)),
        option!(cull_pipeline, CullPipeline),
        "The position-only pipeline (`HZ-30`): none, one that culls by positions, or one that also has the visibility unit (with `hi_z`).",
    ) => cull_pipeline: CullPipeline = CullPipeline::default();
    row(
        "cull_record",
        Values::Power(256, 4096),
        number!(cull_record),
        "Bits of the visibility record: the most triangles by which the position-only pipeline runs ahead.",
    ) => cull_record: usize = 4096;
    not_of_jobs(
        "trace",
        Values::Switch,
        flag!(trace),
        "Retire and event ports are present. Nothing else depends on them.",
    ) => trace: bool = true;
    not_of_jobs(
        "fault",
        Values::Other("none, or a name that `quadlock faults` lists"),
        FAULT,
        "A planted fault, for the tests that must fail.",
    ) => fault: Option<Fault> = None;
}
