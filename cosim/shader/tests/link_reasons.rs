//! The linker's reasons in the words of the program that they are about: names and types of its own
//! variables, and components where a part of a variable is meant.
//!
//! Two stages may call one word by different names, and so may two variables of one stage that have
//! one binding. Failure modes: a name of the other stage, an integer printed as a float.

use quadlock_shader::compile::Uniforms;
use quadlock_shader::graphics::StageSource;
use quadlock_shader::link::trace::What;
use quadlock_shader::linker::{link, LinkRequest, Products, Sharing};
use quadlock_shader::Options;

/// Two GLSL programs, linked with what is known of group 0, binding 0.
fn linked(vertex: &str, fragment: &str, words: &[Option<u32>]) -> Products {
    let source =
        |path: &'static str, text: &str| (path, format!("#version 450\nlayout(location = 0) {text}").into_bytes());
    let (vertex, fragment) = (source("a.vert", vertex), source("a.frag", fragment));
    let stage = |s: &'static str, source| StageSource { path: s, source, entry: None };
    let request = LinkRequest {
        vertex: stage(vertex.0, &vertex.1),
        fragments: vec![stage(fragment.0, &fragment.1)],
        known: Uniforms::from([((0, 0), words.to_vec())]),
        sharing: Sharing::Cheapest,
        options: Options::default(),
    };
    link(&request).unwrap_or_else(|e| panic!("{e}"))
}

/// Name and reason of the events of a kind, in the program of that stage.
fn told(p: &Products, stage: &str, what: What) -> Vec<String> {
    let events = p.iterations.iter().flat_map(|i| &i.events).filter(|e| e.stage == stage && e.what == what);
    events.map(|e| format!("{}: {}", e.name, e.why)).collect()
}

/// Word 0 is the vertex program's float `scale` and the fragment program's integer `flags`.
#[test]
fn a_word_has_the_name_of_the_stage_that_reads_it() {
    let p = linked(
        "in vec4 p;
         layout(set = 0, binding = 0) uniform A { float scale; float bias; };
         layout(location = 0) out float x;
         void main() { gl_Position = p * scale; x = bias > 0.0 ? p.x : p.y; }",
        "in float x;
         layout(location = 0) out vec4 r;
         layout(set = 0, binding = 0) uniform B { int flags; int mode; };
         void main() { r = flags > 3 ? vec4(x) : vec4(1); if (mode == -7) r *= 0.5; }",
        &[Some(9), Some(-7i32 as u32)],
    );
    assert_eq!(told(&p, "fragment", What::Decided), ["(flags > 3): it is true", "(mode == -7): it is true"]);
    // The same word as a float is a NaN.
    assert_eq!(told(&p, "vertex", What::Decided), ["(bias > 0.0): it is false"]);
    assert!(p.assumptions.iter().all(|a| !a.contains("scale")), "{:?}", p.assumptions);
}

/// Two blocks of one binding: what reads a word says which of them it means.
#[test]
fn two_variables_of_a_binding_keep_their_names() {
    let p = linked(
        "in vec4 p;
         layout(set = 0, binding = 0) uniform A { float f; float g; };
         layout(set = 0, binding = 0) uniform B { int i; int j; } b;
         layout(location = 0) out float x;
         layout(location = 1) out float y;
         layout(location = 2) flat out int z;
         void main() { gl_Position = p; x = f > 0.5 ? p.x : p.y; y = b.i > 5 ? g + 1.0 : p.z; z = b.j; }",
        "in float x;
         layout(location = 1) in float y;
         layout(location = 2) flat in int z;
         layout(location = 0) out vec4 r;
         void main() { r = vec4(x, y, float(z), 1); }",
        &[Some(1.0f32.to_bits())],
    );
    let decided = told(&p, "vertex", What::Decided);
    assert!(decided.contains(&"(f > 0.5): it is true".into()), "{decided:?}");
    assert!(decided.contains(&"(i > 5): it is true".into()), "{decided:?}");
    let uniform = told(&p, "vertex", What::Uniform);
    assert_eq!(uniform, ["y: it is (g + 1.0) for every vertex", "z: it is j for every vertex"]);
    let derived: Vec<&String> = p.iterations.iter().flat_map(|i| &i.stages).flat_map(|s| &s.derived).collect();
    assert!(derived.iter().any(|d| d.contains("FADD(g, 1.0)") || d.contains("FADD(1.0, g)")), "{derived:?}");
    // So does the program of derived uniforms.
    assert!(derived.iter().any(|d| d.contains("I2F(j)")), "{derived:?}");
    let told = told(&p, "fragment", What::Derived);
    assert!(told.contains(&"i2f(j): computed once for each batch".into()), "{told:?}");
}

/// One component leaves, and it alone is named; a constant is printed as the varying's number.
#[test]
fn a_removal_names_components_and_constants_have_their_type() {
    let p = linked(
        "in vec4 p;
         layout(location = 1) in vec4 c;
         layout(location = 2) in float once;
         layout(location = 3) in vec2 twice;
         layout(location = 0) out vec2 part;
         layout(location = 1) out float half_;
         layout(location = 2) flat out int seven;
         layout(location = 3) out vec2 gone;
         void main() { gl_Position = p; part = vec2(c.y, once); half_ = 0.5; seven = -7; gone = twice; }",
        "in vec2 part;
         layout(location = 1) in float half_;
         layout(location = 2) flat in int seven;
         layout(location = 3) in vec2 gone;
         layout(location = 0) out vec4 r;
         void main() { r = vec4(part.xx, half_, float(seven)); }",
        &[],
    );
    let attributes = told(&p, "vertex", What::Attribute);
    assert_eq!(
        attributes,
        ["once: nothing reads it since no program reads part.y", "twice: nothing reads it since no program reads gone"]
    );
    let constants = told(&p, "vertex", What::Constant);
    assert_eq!(constants, ["half_: it is 0.5 for every vertex", "seven: it is -7 for every vertex"]);
}
