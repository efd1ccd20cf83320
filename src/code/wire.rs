//! The words between this process and the one that runs a script.
