//! Every test of the program, in one binary so that it links once.

mod suite;
mod support;
