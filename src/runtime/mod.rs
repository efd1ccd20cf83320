//! The one loop: what happens outside becomes events, what `update` asks for is performed, what
//! changed is drawn.
//!
//! Owns the tasks, the timer and the terminal while the console is open. Decides nothing: it neither
//! looks into events nor changes the state. There is no tick; while nothing is due, nothing wakes.

mod agents;
mod assemble;
mod clock;
mod console;
pub mod deferred;
mod detached;
mod foresight;
mod frames;
pub mod headless;
mod host;
mod lanes;
mod left;
pub mod offline;
mod opening;
mod outside;
mod oversight;
mod pace;
mod perform;
mod plain;
mod remote;
pub mod saved;
mod signals;
mod storing;
mod suspend;
mod veiled;
mod vigil;
mod wire;

pub use agents::{Agents, Start};
pub use assemble::{Ground, Unfit, begin, check_scenario, resume, this_program};
pub use clock::Clock;
pub use console::{Console, Ended, Setup};
pub use detached::Detached;
pub use host::Host;
pub use lanes::Lanes;
pub use left::Left;
pub use opening::{Opener, of_row, of_start, opened_as};
pub use plain::{Plain, PlainSetup};
pub use remote::connect;
pub use veiled::Veiled;
