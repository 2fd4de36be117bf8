//! Writes the generated sections of the pages: `cargo run -p quadlock --example pages`.

use quadlock::pages::{project, SECTIONS};

fn main() -> Result<(), String> {
    for section in SECTIONS {
        let path = project().join(section.page);
        let page = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", section.page))?;
        let filled = section.fill(&page)?;
        if filled != page {
            std::fs::write(&path, filled).map_err(|e| format!("{}: {e}", section.page))?;
            println!("{}: {}", section.page, section.name);
        }
    }
    Ok(())
}
