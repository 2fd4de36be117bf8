//! Errors about names that do not exist: one that is like it, and not all that there are.

use quadlock_hdl::base::like::did_you_mean;

/// Most names that an error lists.
const FEW: usize = 6;

/// What serde says of an unknown key or word, with one name in place of a long list.
pub fn one_name(message: &str) -> String {
    let Some((what, list)) = message.split_once(", expected one of ") else { return message.to_owned() };
    let known: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    let asked = what.split('`').nth(1).unwrap_or_default();
    if known.len() <= FEW {
        return message.to_owned();
    }
    format!("{what}{}", did_you_mean(asked, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_becomes_the_likest_name() {
        let list = |n: usize| (0..n).map(|k| format!("`name-{k}`")).collect::<Vec<_>>().join(", ");
        let said = |asked: &str, n: usize| one_name(&format!("unknown field `{asked}`, expected one of {}", list(n)));
        assert_eq!(said("nam_7", 20), "unknown field `nam_7`; did you mean `name-7`?");
        assert_eq!(said("quite other", 20), "unknown field `quite other`");
        assert_eq!(said("x", 3), "unknown field `x`, expected one of `name-0`, `name-1`, `name-2`");
        assert_eq!(one_name("missing field `y`"), "missing field `y`");
    }
}
