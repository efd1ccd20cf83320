//! One module for each part of the program.

mod term;
mod term_child;
mod term_editor;
mod term_input;
mod tidy;
