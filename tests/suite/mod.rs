//! One module for each part of the program.

mod provider_fault;
mod provider_lost;
mod provider_openai;
mod provider_replay;
mod provider_stream;
mod term;
mod term_child;
mod term_input;
mod tidy;
mod tools;
mod ui_honest;
mod ui_hostile;
mod ui_screens;
mod ui_scroll;
