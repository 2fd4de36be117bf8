//! The source's example of linked programs, for docs/linked-programs.md: what goes from stage to
//! stage before and after, and the figures of every turn. Made by linking the files of
//! `examples/linked` as `quadlock link` does.

use std::fmt::Write;
use std::path::Path;

use quadlock_shader::graphics::StageSource;
use quadlock_shader::linker::{link, LinkRequest, Products, Sharing, StageFigures};
use quadlock_shader::{compile::Uniforms, linker, Options};

use crate::job::uniforms;

/// The section, or why it cannot be made.
pub fn markdown(project: &Path) -> String {
    match products(project) {
        Ok(products) => section(&products),
        Err(why) => format!("{why}\n"),
    }
}

fn products(project: &Path) -> Result<Products, String> {
    let file = |name: &str| {
        let path = format!("examples/linked/{name}");
        std::fs::read(project.join(&path)).map(|data| (path, data)).map_err(|e| format!("{name}: {e}"))
    };
    let (v, f) = (file("linked.vert")?, file("linked.frag")?);
    let mut request = LinkRequest {
        vertex: StageSource { path: &v.0, source: &v.1, entry: None },
        fragments: vec![StageSource { path: &f.0, source: &f.1, entry: None }],
        known: Uniforms::new(),
        sharing: Sharing::default(),
        options: Options::default(),
    };
    let programs = linker::interfaces(&request).map_err(|e| e.to_string())?;
    let known = uniforms::read(&project.join("examples/linked/uniforms.toml"), &programs);
    request.known = known.map_err(|e| e.message().to_owned())?;
    link(&request).map_err(|e| e.to_string())
}

fn section(products: &Products) -> String {
    let mut out = String::from("```text\n");
    flow("before", &products.before.stages, &mut out);
    out.push('\n');
    flow("after", &products.after.stages, &mut out);
    let _ = writeln!(out, "```\n\n| | stage | {} |", StageFigures::COUNTS.join(" | "));
    let _ = writeln!(out, "|{}", "---|".repeat(2 + StageFigures::COUNTS.len()));
    for (name, stages) in products.moments() {
        for s in stages {
            let cells: Vec<String> = s.counts().iter().map(ToString::to_string).collect();
            let _ = writeln!(out, "| {name} | {} | {} |", s.stage, cells.join(" | "));
        }
    }
    out
}

/// What goes in and out of each stage.
fn flow(title: &str, stages: &[StageFigures], out: &mut String) {
    let _ = writeln!(out, "{title}");
    for s in stages {
        let (inputs, outputs) = (s.input_names.join(" "), s.output_names.join(" "));
        let _ = writeln!(out, "  {inputs}");
        let _ = writeln!(out, "    -> {}, {} operations, {} instructions", s.stage, s.operations, s.instructions);
        let _ = writeln!(out, "    -> {outputs}");
    }
}
