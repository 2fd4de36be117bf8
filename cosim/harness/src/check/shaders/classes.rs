//! Why a shader is refused, in a few stable words. The compiler's errors are texts for people; the
//! table says which words of them mean which reason. The first row that fits counts.
//!
//! Wrong would be an error that gets another's reason because its words stand in both: rows about
//! whose fault it is come first, then those with the longest words.

use quadlock_shader::front::Diagnostic;

/// A reason.
pub struct Class {
    /// Its stable name.
    pub name: &'static str,
    /// What it means, in Markdown.
    pub meaning: &'static str,
    /// It is this if one of these stands in the message or its advice.
    words: &'static [&'static str],
}

const fn class(name: &'static str, meaning: &'static str, words: &'static [&'static str]) -> Class {
    Class { name, meaning, words }
}

/// The reason of what no row fits.
const OTHER: &str = "other";

/// Every reason, in the order in which they are tried.
pub const CLASSES: &[Class] = &[
    class(
        "reader-failed",
        "the reader of the language, which others wrote, failed inside",
        &["failed inside, without saying what is wrong", "glslang ended", "glslang had not finished"],
    ),
    class("no-reader", "this build has no reader of the language", &["feature `glsl`"]),
    class("not-text", "a text that is not UTF-8, or has a NUL character", &["is not UTF-8", "a NUL character"]),
    class(
        "not-spirv",
        "the words are no SPIR-V: a wrong header, length, number or count of operands",
        &["not a SPIR-V binary", "give a .spv file as a compiler wrote it"],
    ),
    class("invalid-module", "SPIR-V that breaks its own rules", &["the module is not valid"]),
    class(
        "entry-point",
        "no entry point, several of one name, or a stage that there is not",
        &[
            "has no entry point",
            "several entry points",
            "no entry point named",
            "without a work-group size",
            "use a compute, vertex or fragment entry point",
        ],
    ),
    class("unstructured", "control flow that is not structured", &["structured"]),
    class("recursion", "a function that calls itself", &["calls itself", "recursion"]),
    class(
        "image",
        "an image, a texture or a sampler",
        &["images and textures", "textures and images", "samplers are not supported", "class UniformConstant", "image"],
    ),
    class("ray-query", "ray queries and acceleration structures", &["ray queries"]),
    class("cooperative-matrix", "cooperative matrices", &["cooperative matri"]),
    class("float-atomic", "an atomic on floats", &["atomics on f"]),
    class(
        "number-width",
        "a number of 8, 16 or 64 bits where the machine has none",
        &[
            "bits are not supported",
            "on 64 bits",
            "on 64 and on 32 bits",
            "16-bit",
            "64-bit",
            "the type f64",
            "the type f16",
        ],
    ),
    class("demote", "demotion to a helper invocation", &["demotion to a helper"]),
    class("interpolate-at", "interpolation at a place", &["Interpolate"]),
    class("built-in", "a built-in variable", &["built-in"]),
    class(
        "group-operation",
        "an operation of the group or subgroup, or its scope",
        &["group operation", "is the scope of", "subgroup operation"],
    ),
    class(
        "buffer-array",
        "an array of buffers without a length, or too long",
        &["an array of buffers", "an array of more than", "binding arrays"],
    ),
    class(
        "pointer",
        "a pointer that is not to a buffer or to work-group memory",
        &["a pointer to", "a pointer of the class", "pointers in memory", "on a pointer", "is no pointer", "physical"],
    ),
    class("storage-class", "a kind of memory that there is not", &["the storage class", "the address space"]),
    class("override", "a constant that the pipeline gives, without a value", &["override", "specialisation constants"]),
    class(
        "binding",
        "buffers that cannot be told apart, or without a binding",
        &["without a binding", "no group and binding", "its own binding"],
    ),
    class(
        "size",
        "too large for the machine or the compiler: memory, registers, code, nesting",
        &[
            "too large",
            "is large",
            "make the work group smaller",
            "more than",
            "a thread's variable may have",
            "too few for this program",
            "allow more registers",
        ],
    ),
    class(
        "extended-set",
        "an extended instruction set, or an instruction of one",
        &["extended instruction set", "of GLSL.std.450"],
    ),
    class("instruction", "another instruction that is not supported", &["is not supported"]),
    class(
        "source",
        "an error of the source: its language does not allow it, or its reader does not know it",
        &["correct the WGSL", "correct the GLSL", "correct the shader"],
    ),
    class(OTHER, "anything else", &[""]),
];

/// The reason of an error.
pub fn of(error: &Diagnostic) -> &'static str {
    // naga's and glslang's words for the author are about the source, whatever words they have.
    let theirs = ["correct the WGSL", "correct the GLSL"].iter().any(|words| error.help.starts_with(words));
    let text = format!("{} ({})", error.message, error.help);
    let fits = |c: &&Class| c.words.iter().any(|words| text.contains(words));
    let whose = |c: &&Class| !theirs || ["reader-failed", "no-reader", "not-text", "source"].contains(&c.name);
    CLASSES.iter().filter(whose).find(fits).map_or(OTHER, |c| c.name)
}

/// The table as Markdown.
pub fn markdown() -> String {
    let rows = CLASSES.iter().map(|c| format!("| `{}` | {} |\n", c.name, c.meaning));
    "| reason | meaning |\n|---|---|\n".to_string() + &rows.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(message: &str, help: &str) -> Diagnostic {
        Diagnostic { file: "a".into(), line: 1, column: 1, message: message.into(), help: help.into() }
    }

    #[test]
    fn an_error_has_the_reason_that_its_words_say() {
        for (message, help, name) in [
            ("%3: images and textures are not supported", "use storage buffers", "image"),
            ("%3: numbers of 64 bits are not supported", "", "number-width"),
            ("%3 is not defined", "the module is not valid; spirv-val says more", "invalid-module"),
            ("unknown identifier: image", "correct the WGSL", "source"),
            ("OpFoo is not supported", "", "instruction"),
            ("something else", "", "other"),
        ] {
            assert_eq!(of(&error(message, help)), name, "{message}");
        }
    }

    #[test]
    fn names_are_unique_and_the_last_takes_the_rest() {
        for (k, class) in CLASSES.iter().enumerate() {
            assert!(CLASSES[..k].iter().all(|c| c.name != class.name), "{}", class.name);
            assert_eq!(class.words == [""], k + 1 == CLASSES.len(), "{}", class.name);
        }
    }
}
