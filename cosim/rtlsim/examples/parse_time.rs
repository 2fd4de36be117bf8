//! Parses the files given and prints how long it took.

use quadlock_rtlsim::{parse::parse, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sources = Vec::new();
    for file in std::env::args().skip(1) {
        sources.push(Source::new(&file, std::fs::read_to_string(&file)?));
    }
    for _ in 0..5 {
        let start = std::time::Instant::now();
        let ast = parse(&sources)?;
        let items: usize = ast.modules.iter().map(|m| m.items.len()).sum();
        println!("{} modules, {items} items, {:.1} ms", ast.modules.len(), start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}
