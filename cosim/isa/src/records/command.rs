//! The first line of a command, and the commands (docs/graphics.md).

use super::layout::record;

record! {
    "command", 4 words;
    /// the command
    HEAD = 0 {
        /// number of the command
        CODE [7:0],
    };
    /// byte address of the record, of `PASS` and `STATE`
    RECORD_ADDRESS = 1;
}

/// A command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Name of the constant.
    pub name: &'static str,
    /// Its number, in the field [`CODE`].
    pub code: u32,
    /// Lines that it has.
    pub lines: u32,
    /// What the machine does.
    pub meaning: &'static str,
}

macro_rules! commands {
    ($($(#[doc = $meaning:literal])+ $name:ident = $code:literal, $lines:literal lines;)+) => {
        $($(#[doc = $meaning])+ pub const $name: u64 = $code;)+
        /// All commands.
        pub const COMMANDS: &[Command] = &[$(Command {
            name: stringify!($name),
            code: $code,
            lines: $lines,
            meaning: concat!($($meaning),+),
        }),+];
    };
}

commands! {
    /// a pass begins; word 1 is the address of its record
    PASS = 1, 1 lines;
    /// the draws that follow have another state; word 1 is the address of its record
    STATE = 2, 1 lines;
    /// a draw
    DRAW = 3, 2 lines;
    /// until all before it is in memory
    WAIT = 5, 1 lines;
    /// end of the pass
    END_PASS = 6, 1 lines;
    /// the machine is done
    END = 7, 1 lines;
}

/// The table of a page.
pub fn markdown() -> String {
    let head = String::from("| command | name | meaning | lines |\n| --- | --- | --- | --- |\n");
    COMMANDS
        .iter()
        .fold(head, |text, c| text + &format!("| {} | `{}` | {} | {} |\n", c.code, c.name, c.meaning.trim(), c.lines))
}
