//! One source for many ports, in one statement of a kernel:
//! - `fan_out!(self.launch => self.x.write_enable, self.y.write_enable)` drives each port on the
//!   right with the value of the port on the left,
//! - `fan_out!(StateWriteOut: self.streamer.state => self.depth.state, self.blend.state)` joins a
//!   [bundle](super::bundle) to each of those on the right: one without an answer, since all of
//!   them would give one,
//! - `clock!(self, clock, queue, lanes[i])` clocks blocks and registers,
//! - `dff_setup!(self, clock, count, ages[k])` clocks registers, which keep what they have.
//!
//! The last two are rust-hdl's, but accept an element of a vector. `#[kernel]` makes the same
//! assignments as if they were written one by one, and refuses a fan-out with one target, which is
//! an assignment. It can be wrong in a port that another statement drives before: the last
//! assignment holds, and it is the fan-out's.

/// One source for several ports, see the [module](crate::base::fan). In a kernel only.
#[macro_export]
macro_rules! fan_out {
    ($bundle:ident: $from:expr => $($to:expr),+ $(,)?) => {
        $($bundle::join(&mut $from, &mut $to);)+
    };
    ($from:expr => $($to:expr),+ $(,)?) => {
        $($to.next = $from.val();)+
    };
}

/// Clocks blocks and registers, see the [module](crate::base::fan). In a kernel only.
#[macro_export]
macro_rules! clock {
    ($me:ident, $clock:ident, $($block:ident $([$index:expr])?),+ $(,)?) => {
        $($me.$block $([$index])? .clock.next = $me.$clock.val();)+
    };
}

/// Clocks registers, which keep what they have; see the [module](crate::base::fan). In a kernel
/// only.
#[macro_export]
macro_rules! dff_setup {
    ($me:ident, $clock:ident, $($dff:ident $([$index:expr])?),+ $(,)?) => {
        $($me.$dff $([$index])? .clock.next = $me.$clock.val();)+
        $($me.$dff $([$index])? .d.next = $me.$dff $([$index])? .q.val();)+
    };
}
