//! Every test of the program, in one binary.

mod suite;
<<<<<<< HEAD
mod support;
=======
>>>>>>> tools
