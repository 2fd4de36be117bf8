//! Semaphore functions by name: what each becomes in WGSL and GLSL, and what is refused. The
//! interpreter runs one invocation after the other, so that every semaphore is free.

use super::*;
use crate::interface::Stage;

const GLSL: Lang = Lang::Glsl(Stage::Compute);

fn ir(source: &str, lang: Lang, polling: bool) -> String {
    compile_with(source, lang, &Options { polling, ..Options::default() }).module.to_string()
}

fn wgsl(body: &str) -> String {
    format!("@compute @workgroup_size(4) fn main(@builtin(workgroup_id) g: vec3<u32>) {{\n{body}\n}}")
}

fn glsl(body: &str) -> String {
    format!("#version 450\nlayout(local_size_x = 4) in;\nvoid main() {{ uvec3 g = gl_WorkGroupID;\n{body}\n}}")
}

#[test]
fn every_function_is_known_by_name_in_wgsl_and_glsl() {
    let calls = [
        ("semaphoreAcquire(g.x);", "semaphore.acquire v"),
        ("semaphoreAcquireRelease(7u);", "semaphore.acquirerelease v"),
        ("semaphoreWait();", "semaphore.wait"),
        ("semaphoreRelease(g.y);", "semaphore.release v"),
        ("dependencyWait();", "semaphore.wait"),
        ("dependencyDone();", "special groupz"),
    ];
    for (call, expected) in calls {
        for text in [ir(&wgsl(call), Lang::Wgsl, false), ir(&glsl(call), GLSL, false)] {
            assert!(text.contains(expected), "{call}\n{text}");
        }
    }
    let done = ir(&wgsl("dependencyDone();"), Lang::Wgsl, false);
    assert_eq!(done.matches("semaphore.done").count(), 3, "two in the word, and those of a list\n{done}");
}

#[test]
fn positions_are_those_of_the_source() {
    let e = refused(&wgsl("semaphoreWait();\nlet x = nowhere;"), Lang::Wgsl);
    assert!(e[0].starts_with("t.wgsl:3:9:"), "{e:?}");
    let e = refused(&glsl("semaphoreAcquire(1);\nfloat y = nowhere;"), GLSL);
    assert!(e.iter().any(|e| e.starts_with("t.wgsl:5:")), "{e:?}");
    let text = ir(&glsl("\nsemaphoreRelease(2);"), GLSL, false);
    assert!(text.contains("semaphore.release v") && text.contains("; line 5"), "{text}");
}

#[test]
fn an_own_declaration_must_be_no_more_than_that() {
    let own = format!("fn semaphoreAcquire(id: u32) {{ }}\n{}", wgsl("semaphoreAcquire(1u);"));
    assert!(ir(&own, Lang::Wgsl, false).contains("semaphore.acquire"));
    let own = glsl("dependencyWait();").replace("void main", "void dependencyWait() { }\nvoid main");
    assert!(ir(&own, GLSL, false).contains("semaphore.wait"));
    for body in [
        "var<private> x: u32;\nfn semaphoreWait() { x = 1u; }",
        "fn semaphoreWait() -> u32 { return 1u; }",
        "fn semaphoreWait(a: u32) {}",
    ] {
        let call = match body {
            b if b.contains("->") => "let y = semaphoreWait();",
            b if b.contains("a:") => "semaphoreWait(1u);",
            _ => "semaphoreWait();",
        };
        let e = refused(&format!("{body}\n{}", wgsl(call)), Lang::Wgsl);
        assert!(e[0].contains("is a function of the compiler, with no argument"), "{e:?}");
    }
}

#[test]
fn polling_waits_for_memory_and_sends_nothing() {
    let body = "semaphoreAcquire(g.x); semaphoreRelease(g.x); semaphoreAcquireRelease(1u); dependencyWait(); dependencyDone();";
    for text in [ir(&wgsl(body), Lang::Wgsl, true), ir(&glsl(body), GLSL, true)] {
        assert!(!text.contains("semaphore."), "{text}");
        // The lock twice (look, take), the lock of AcquireRelease, the flags.
        assert_eq!(text.matches("fence polling").count(), 4, "{text}");
        assert_eq!(text.matches("atomic.global.cas").count(), 1, "{text}");
    }
}

#[test]
fn polling_refuses_what_only_the_thread_list_could_have_acquired() {
    for (body, at) in [("\nsemaphoreWait();", "t.wgsl:3:1:"), ("\n\nsemaphoreRelease(1u);", "t.wgsl:4:1:")] {
        let parsed = parse("t.wgsl", wgsl(body).as_bytes(), Lang::Wgsl, None).unwrap();
        let options = Options { polling: true, ..Options::default() };
        let e = lower(&parsed, &options).unwrap_err().to_string();
        assert!(e.starts_with(at) && e.contains("write dependency"), "{e}");
    }
}

#[test]
fn the_interpreter_finds_every_semaphore_free() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
             semaphoreAcquire(3u);
             out[g.x] = g.x + 1u;
             semaphoreRelease(3u);
         }",
    );
    assert_eq!(run.grid(2, 1, 1).zeros(8).go().buffer(0), [1, 2, 3, 4, 5, 6, 7, 8]);
}

/// A load before a semaphore operation says nothing about one behind it.
#[test]
fn loads_are_not_forwarded_across_a_semaphore_operation() {
    for call in ["semaphoreWait();", "semaphoreAcquire(1u);", "semaphoreRelease(1u);", "dependencyWait();"] {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> m: array<u32>;
             @compute @workgroup_size(4) fn main() {{ let a = m[4]; {call} let b = m[4]; m[0] = a + b; }}"
        );
        let lowered = compile(&source, Lang::Wgsl);
        let mut module = lowered.module;
        crate::passes::pipeline::optimise(&mut module, lowered.entry, &Default::default()).unwrap();
        let text = module.funcs[lowered.entry.index()].to_string();
        assert_eq!(text.matches("load.global").count(), 2, "{text}");
    }
}

/// `while (atomicLoad(..) == 0)` waits for another thread: the load stays in the loop.
#[test]
fn an_atomic_load_in_a_loop_stays_there() {
    let source = "@group(0) @binding(0) var<storage, read_write> m: array<atomic<u32>>;
        @compute @workgroup_size(4) fn main() { while (atomicLoad(&m[1]) == 0u) { } atomicStore(&m[0], 1u); }";
    let lowered = compile(source, Lang::Wgsl);
    let mut module = lowered.module;
    crate::passes::pipeline::optimise(&mut module, lowered.entry, &Default::default()).unwrap();
    let func = &module.funcs[lowered.entry.index()];
    let dom = crate::ssa::dominance::Dominance::new(func);
    let loops = dom.loops();
    let in_loop = func.layout.iter().filter(|b| loops.iter().any(|l| l.body[b.index()]));
    let loads = in_loop.flat_map(|b| &func.blocks[b.index()].insts);
    assert_eq!(loads.filter(|i| matches!(i.kind, crate::ssa::Kind::Load { .. })).count(), 1, "{func}");
}
