//! What the model is told of the functions: typed Python stubs, made from the tools' schemas.

use super::Function;

/// The functions as Python declares them.
pub fn stubs(functions: &[Function]) -> String {
    let _ = functions;
    String::new()
}
