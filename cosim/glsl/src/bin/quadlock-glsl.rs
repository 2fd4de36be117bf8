//! The reader of GLSL as a program of its own, for programs whose `main` is not ours: tests.

fn main() {
    quadlock_glsl::serve();
}
