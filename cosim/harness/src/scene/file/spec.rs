//! A scene file as it is written. What its parts mean is said where they are used; here are names,
//! defaults, and which values are allowed.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

use quadlock_shader::front::Lang;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, Unexpected, Visitor};
use serde::Deserialize;
use toml::{Spanned, Value};

use super::shown::Shown;
use crate::job::data::{choice, Out, Source};
use crate::job::spec::claims::ClaimsSpec;
use crate::job::spec::constants::ConstantsSpec;
use crate::job::{Expect, Key};
use crate::linking::{LinkMode, USUAL_VARIANTS};
use crate::machine::memory::MemoryConfig;

/// The file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SceneSpec {
    /// Folder of the outputs.
    pub name: String,
    pub target: TargetSpec,
    #[serde(default)]
    pub mesh: BTreeMap<String, Spanned<MeshSpec>>,
    #[serde(default)]
    pub draw: Vec<Spanned<DrawSpec>>,
    /// Passes, if there are several, or one that does not clear and store all.
    #[serde(default)]
    pub pass: Vec<Spanned<PassSpec>>,
    pub expect: Option<ExpectSpec>,
    /// Whether a draw's programs are linked.
    #[serde(default)]
    pub link: LinkMode,
    /// At most so many variants of a draw's programs assume something of uniforms.
    #[serde(default = "usual_variants")]
    pub variants: usize,
    /// No product and sum of floats become one operation (LP-18).
    #[serde(default, deserialize_with = "choice")]
    pub exact: bool,
    /// Passes of the compiler that are left out, with commas between.
    pub skip: Option<Spanned<String>>,
    /// Values of overrides and specialisation constants, of all programs that have them.
    #[serde(default)]
    pub constants: ConstantsSpec,
    /// For the comparison with another renderer (scripts/image-check).
    #[allow(dead_code)] // The script reads it; here it is only allowed.
    pub reference: Option<ReferenceSpec>,
    /// What `quadlock regress` checks of the scene.
    pub claims: Option<Spanned<ClaimsSpec>>,
    /// Build parameters that differ from the default machine.
    #[serde(default)]
    pub machine: BTreeMap<String, Value>,
    /// Timing of the memory model.
    #[serde(default)]
    pub memory: MemoryConfig,
    /// When a run is given up.
    #[serde(default)]
    pub limits: LimitsSpec,
    /// Keys changed by `--small`.
    #[serde(default)]
    pub small: toml::Table,
}

/// When a run is given up.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsSpec {
    /// Cycles in all: a frame takes longer than a job.
    pub cycles: u64,
    /// Cycles in which nothing happens; what the machine may need if it is not said.
    pub idle: Option<u64>,
}

impl Default for LimitsSpec {
    fn default() -> Self {
        Self { cycles: 100_000_000, idle: None }
    }
}

/// What another renderer may see otherwise.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ReferenceSpec {
    /// Layers that are blended in one pixel.
    #[allow(dead_code)] // As above.
    pub layers: u32,
    /// The small size is compared so many times as large, for fewer pixels at edges.
    #[allow(dead_code)] // As above.
    pub small_scale: Option<u32>,
}

/// What is drawn to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TargetSpec {
    /// Pixels.
    pub width: u32,
    pub height: u32,
    #[serde(default = "one")]
    pub samples: u32,
    #[serde(default = "usual_formats")]
    pub formats: Vec<FormatName>,
    /// Of each target: red, green, blue, alpha.
    #[serde(default)]
    pub clear: Vec<[f64; 4]>,
    /// Depth and stencil; if it is not said, whether a draw uses them.
    pub depth: Option<bool>,
    #[serde(default = "far")]
    pub clear_depth: f64,
    #[serde(default)]
    pub clear_stencil: u8,
    /// Side of a tile in pixels: 8, 16 or 32.
    pub tile: Option<u32>,
    /// Tiles stay in the tile buffers until their place is needed.
    #[serde(default = "yes")]
    pub keep_tiles: bool,
    /// Frames drawn one after the other, each from the start.
    #[serde(default = "one")]
    pub frames: u32,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

fn far() -> f64 {
    1.0
}

fn usual_variants() -> usize {
    USUAL_VARIANTS
}

fn usual_formats() -> Vec<FormatName> {
    vec![FormatName::Rgba8unorm]
}

/// What a pass begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Load {
    #[default]
    Clear,
    Load,
}

/// What a pass leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Store {
    #[default]
    Store,
    Discard,
}

/// A pass: its targets, what becomes of them, its draws.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PassSpec {
    /// Numbers of the scene's targets, by location; all if it is not said.
    pub targets: Option<Vec<usize>>,
    /// One for all targets, or one for each.
    pub load: Vec<Load>,
    /// Likewise.
    pub store: Vec<Store>,
    /// Of each target; that of the scene if it is not said.
    pub clear: Vec<[f64; 4]>,
    /// Whether it has depth and stencil; as the scene if it is not said.
    pub depth: Option<bool>,
    pub depth_load: Load,
    pub stencil_load: Load,
    /// Of depth and stencil.
    pub depth_store: Store,
    pub clear_depth: Option<f64>,
    pub clear_stencil: Option<u8>,
    /// Several samples are resolved at its end.
    pub resolve: bool,
    pub draw: Vec<Spanned<DrawSpec>>,
}

impl Default for PassSpec {
    fn default() -> Self {
        Self {
            targets: None,
            load: vec![],
            store: vec![],
            clear: vec![],
            depth: None,
            depth_load: Load::default(),
            stencil_load: Load::default(),
            depth_store: Store::default(),
            clear_depth: None,
            clear_stencil: None,
            resolve: true,
            draw: vec![],
        }
    }
}

impl SceneSpec {
    /// All draws, in order.
    pub fn draws(&self) -> impl Iterator<Item = &Spanned<DrawSpec>> {
        self.draw.iter().chain(self.pass.iter().flat_map(|p| &p.get_ref().draw))
    }
}

/// Names of formats, as WebGPU has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormatName {
    Rgba8unorm,
    Rgba8unormSrgb,
    Rgba16float,
    R32float,
}

/// A mesh: a file, or arrays.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeshSpec {
    pub file: Option<PathBuf>,
    /// Arrays by name; each element a number or a list of up to 4.
    #[serde(default)]
    pub attributes: BTreeMap<String, Vec<Value>>,
    pub indices: Option<Vec<u32>>,
    /// Normals made from the triangles, if the mesh has none.
    pub normals: Option<Normals>,
    /// Bytes of an index in memory: 2 or 4; 2 if all fit.
    pub index_bytes: Option<u32>,
}

impl MeshSpec {
    /// Bytes of an index of these.
    ///
    /// # Errors
    /// The bytes that are asked for, if they do not do.
    pub fn bytes_of_index(&self, indices: Option<&[u32]>) -> Result<u32, u32> {
        let wide = indices.is_some_and(|all| all.iter().any(|&i| i > 0xFFFF));
        match self.index_bytes.unwrap_or(if wide { 4 } else { 2 }) {
            bytes @ 4 => Ok(bytes),
            bytes @ 2 if !wide => Ok(bytes),
            bytes => Err(bytes),
        }
    }
}

/// How normals are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normals {
    /// Of a vertex the mean of its triangles', by area.
    Smooth,
}

/// A program of a draw.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramName {
    pub file: PathBuf,
    /// Of the file's entry points; its only one if it is not said.
    pub entry: Option<String>,
}

/// How an attribute of the mesh reaches the vertex program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AttributeSpec {
    pub location: u32,
    /// How it is stored; as f32 if it is not said.
    pub format: Option<String>,
    #[serde(default)]
    pub per_instance: bool,
}

/// What is written short, or as a table: a name or a number instead of `T`. The table's own reader
/// says which of its keys are wrong, which serde's untagged enums do not.
pub trait Short: Sized + DeserializeOwned {
    /// What can be written, for the message.
    const WHAT: &'static str;
    /// None: a text is nothing here.
    fn of_text(text: &str) -> Option<Self>;
    /// None: a number is nothing here.
    fn of_number(number: i64) -> Option<Self>;
}

/// Reads what may be written short.
fn short<'de, T: Short, D: Deserializer<'de>>(input: D) -> Result<T, D::Error> {
    struct Either<T>(PhantomData<T>);
    impl<'de, T: Short> Visitor<'de> for Either<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(T::WHAT)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            T::of_text(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
        }

        fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
            T::of_number(number).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    input.deserialize_any(Either(PhantomData))
}

/// `T` as it is written in a scene file, short or as a table.
#[derive(Clone, Copy, Debug)]
pub struct Written<T>(pub T);

impl<'de, T: Short> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        short(input).map(Written)
    }
}

impl Short for ProgramName {
    const WHAT: &'static str = "the name of a file, or { file = \"..\", entry = \"..\" }";

    fn of_text(text: &str) -> Option<Self> {
        Some(Self { file: text.into(), entry: None })
    }

    fn of_number(_: i64) -> Option<Self> {
        None
    }
}

impl Short for AttributeSpec {
    const WHAT: &'static str = "a location, or { location = N, format = \"..\" }";

    fn of_text(_: &str) -> Option<Self> {
        None
    }

    fn of_number(number: i64) -> Option<Self> {
        Some(Self { location: u32::try_from(number).ok()?, format: None, per_instance: false })
    }
}

/// Uniform or storage data of both stages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BindingSpec {
    /// Name in a program of the draw; otherwise `binding`.
    pub name: Option<String>,
    /// With `binding`; 0 if it is not said.
    #[serde(default)]
    pub group: u32,
    /// Number in the programs; otherwise `name`.
    pub binding: Option<u32>,
    /// Numbers, lists of them, and matrices (docs/scenes.md).
    #[serde(default)]
    pub values: Vec<Value>,
    /// Bytes of zeros, for a buffer that programs write.
    pub zero: Option<u32>,
    /// Contents from elsewhere, as of jobs.
    pub from: Option<Source>,
    /// File for the contents after the run.
    pub out: Option<Out>,
    /// What the contents after the run must be.
    pub expect: Option<Expect>,
}

impl BindingSpec {
    /// The resource that it fills.
    pub fn key(&self) -> Key {
        Key { name: self.name.clone(), group: self.group, binding: self.binding }
    }
}

/// One draw.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DrawSpec {
    pub mesh: Spanned<String>,
    pub vertex: Spanned<Written<ProgramName>>,
    /// Without it depth and stencil alone are written.
    pub fragment: Option<Spanned<Written<ProgramName>>>,
    /// By name in the mesh.
    #[serde(default)]
    pub attributes: BTreeMap<String, Spanned<Written<AttributeSpec>>>,
    /// Arrays with an element for each instance.
    #[serde(default)]
    pub instance: BTreeMap<String, Vec<Value>>,
    #[serde(default = "one")]
    pub instances: u32,
    #[serde(default)]
    pub first_instance: u32,
    /// First index or vertex, and how many; all if it is not said.
    #[serde(default)]
    pub first: u32,
    pub count: Option<u32>,
    #[serde(default)]
    pub base_vertex: i32,
    /// The cull pipeline does not look at it, or does even if that is not worth it.
    pub bypass: Option<bool>,
    #[serde(default)]
    pub binding: Vec<Spanned<BindingSpec>>,
    #[serde(default)]
    pub state: StateSpec,
}

impl DrawSpec {
    /// How it puts the indices of its mesh together. WebGPU's strips with indices always restart.
    ///
    /// # Errors
    /// The bytes of an index that are asked for, if they do not do.
    pub fn joining(&self, mesh: &MeshSpec, indices: Option<&[u32]>) -> Result<Joining, u32> {
        let bytes = mesh.bytes_of_index(indices)?;
        let topology = self.state.topology;
        let is_wgsl = Lang::from_path(&self.vertex.get_ref().0.file.to_string_lossy()) == Some(Lang::Wgsl);
        let restarts = topology == Topology::Strip && indices.is_some() && self.state.restart.unwrap_or(is_wgsl);
        Ok(Joining { topology, restart: restarts.then_some(if bytes == 4 { u32::MAX } else { 0xFFFF }) })
    }
}

/// Whether something is switched on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topology {
    #[default]
    List,
    Strip,
}

/// How a draw puts corners together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joining {
    pub topology: Topology,
    /// The index that ends a strip and begins the next one.
    pub restart: Option<u32>,
}

impl Joining {
    /// A list, as of a mesh that nobody draws.
    pub const LIST: Joining = Joining { topology: Topology::List, restart: None };

    /// For messages.
    pub fn words(self) -> &'static str {
        match (self.topology, self.restart) {
            (Topology::List, _) => "a list",
            (Topology::Strip, None) => "a strip",
            (Topology::Strip, Some(_)) => "strips that an index ends",
        }
    }

    /// Corners of triangles, each in the order in which its front is seen.
    pub fn triangles(self, corners: &[u32]) -> Vec<[usize; 3]> {
        let of = |t: [u32; 3]| t.map(|i| i as usize);
        match self.topology {
            Topology::List => corners.chunks_exact(3).map(|t| of([t[0], t[1], t[2]])).collect(),
            Topology::Strip => corners
                .split(|&i| Some(i) == self.restart)
                .flat_map(|strip| strip.windows(3).enumerate())
                .map(|(k, t)| of(if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[0], t[2], t[1]] }))
                .collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cull {
    #[default]
    None,
    Front,
    Back,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Front {
    #[default]
    Ccw,
    Cw,
}

/// A comparison, as WebGPU names it. The numbers are those of the state record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    #[default]
    Always,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StencilOperation {
    #[default]
    Keep,
    Zero,
    Replace,
    Invert,
    IncrementClamp,
    DecrementClamp,
    IncrementWrap,
    DecrementWrap,
}

/// A stencil test of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StencilFace {
    pub compare: Compare,
    pub fail: StencilOperation,
    pub depth_fail: StencilOperation,
    pub pass: StencilOperation,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StencilSpec {
    #[serde(default)]
    pub front: StencilFace,
    /// As `front` if it is not said.
    pub back: Option<StencilFace>,
    #[serde(default = "all_bits")]
    pub read: u8,
    #[serde(default = "all_bits")]
    pub write: u8,
    #[serde(default)]
    pub reference: u8,
}

fn all_bits() -> u8 {
    255
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Factor {
    Zero,
    One,
    Src,
    OneMinusSrc,
    SrcAlpha,
    OneMinusSrcAlpha,
    Dst,
    OneMinusDst,
    DstAlpha,
    OneMinusDstAlpha,
    SrcAlphaSaturated,
    Constant,
    OneMinusConstant,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    #[default]
    Add,
    Subtract,
    ReverseSubtract,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Equation {
    pub src: Factor,
    pub dst: Factor,
    #[serde(default)]
    pub operation: Operation,
}

/// Blending of a target.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendSpec {
    pub color: Equation,
    pub alpha: Equation,
    /// The fragment replaces.
    #[serde(skip)]
    pub off: bool,
}

impl Short for BlendSpec {
    const WHAT: &'static str = "none, alpha, premultiplied, add, or { color = { src, dst }, alpha = { src, dst } }";

    fn of_text(text: &str) -> Option<Self> {
        let equation = |src, dst| Equation { src, dst, operation: Operation::Add };
        let both = |src, dst| Self { color: equation(src, dst), alpha: equation(src, dst), off: false };
        match text {
            "none" => Some(Self { off: true, ..both(Factor::One, Factor::Zero) }),
            // Over, of colours multiplied by alpha already.
            "premultiplied" => Some(both(Factor::One, Factor::OneMinusSrcAlpha)),
            "add" => Some(both(Factor::One, Factor::One)),
            "alpha" => {
                let color = equation(Factor::SrcAlpha, Factor::OneMinusSrcAlpha);
                Some(Self { color, ..both(Factor::One, Factor::OneMinusSrcAlpha) })
            }
            _ => None,
        }
    }

    fn of_number(_: i64) -> Option<Self> {
        None
    }
}

/// The state of a draw.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StateSpec {
    pub topology: Topology,
    /// The index of all ones ends a strip; if it is not said, of strips with indices and WGSL.
    pub restart: Option<bool>,
    pub cull: Cull,
    pub front: Front,
    /// The depth test; off if it is not said.
    pub depth: Option<Compare>,
    pub depth_write: Option<bool>,
    pub stencil: Option<StencilSpec>,
    /// One for all targets, or one for each.
    pub blend: Vec<Written<BlendSpec>>,
    pub blend_constant: [f64; 4],
    /// Letters of `rgba`, for each target; all if it is not said.
    pub write: Vec<String>,
    /// Constant in units of 24-bit depth, slope, clamp in depth.
    pub bias: [f64; 3],
    /// x, y, width, height in pixels; the whole target if it is not said.
    pub viewport: Option<[f64; 4]>,
    pub depth_range: [f64; 2],
    pub scissor: Option<[u32; 4]>,
    pub sample_mask: u32,
    pub alpha_to_coverage: bool,
}

impl Default for StateSpec {
    fn default() -> Self {
        Self {
            topology: Topology::default(),
            restart: None,
            cull: Cull::default(),
            front: Front::default(),
            depth: None,
            depth_write: None,
            stencil: None,
            blend: vec![],
            blend_constant: [0.0; 4],
            write: vec![],
            bias: [0.0; 3],
            viewport: None,
            depth_range: [0.0, 1.0],
            scissor: None,
            sample_mask: 15,
            alpha_to_coverage: false,
        }
    }
}

/// The pictures that must come out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExpectSpec {
    /// Of the first target.
    pub png: Option<Spanned<PathBuf>>,
    /// How far a component may be off, of 255.
    #[serde(default)]
    pub tolerance: u32,
    /// How many pixels may be off by more.
    #[serde(default)]
    pub pixels: u32,
    /// Of any target.
    #[serde(default)]
    pub image: Vec<Spanned<ImageSpec>>,
}

/// A picture of a target that must come out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ImageSpec {
    pub target: Shown,
    pub png: PathBuf,
    /// How far a component may be off, of 255; of depth in units of 24 bits.
    #[serde(default)]
    pub tolerance: u32,
    #[serde(default)]
    pub pixels: u32,
}
