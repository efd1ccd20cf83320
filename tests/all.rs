//! Every test of the program, in one binary.

mod suite;
