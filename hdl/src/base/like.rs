//! Suggests an existing name in place of a misspelt one, for errors. It can be wrong by suggesting
//! a name that the user did not mean: up to a third of the characters may differ.

/// The known name of least edit distance from `name`. Nothing if none begins with it and more than
/// a third of its characters differ in each.
pub fn like<S: AsRef<str>>(name: &str, known: impl IntoIterator<Item = S>) -> Option<String> {
    let plain = |text: &str| text.to_lowercase().replace('_', "-");
    if name.len() > 64 {
        return None;
    }
    let name = plain(name);
    let limit = (name.chars().count() / 3).max(1);
    let rank = |other: &str| {
        let other = plain(other);
        let begins = name.chars().count() > 3 && other.starts_with(&name);
        let far = strsim::damerau_levenshtein(&name, &other);
        (begins || far <= limit).then_some(far)
    };
    let ranked = known.into_iter().filter_map(|k| Some((rank(k.as_ref())?, k.as_ref().to_owned())));
    ranked.min().map(|found| found.1)
}

/// "; did you mean `x`?", or nothing.
pub fn did_you_mean<S: AsRef<str>>(name: &str, known: impl IntoIterator<Item = S>) -> String {
    like(name, known).map_or(String::new(), |found| format!("; did you mean `{found}`?"))
}
