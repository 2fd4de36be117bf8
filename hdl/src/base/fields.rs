//! Words made of fields: each format is defined once, and who writes a field and who reads it name
//! it.
//!
//! [`fields!`](crate::fields) makes a trait on `Bits` of the word's width. In a kernel
//! `self.word.val().get_value_head()` reads the field `head`, and
//! `self.word.next.set_value_head(x)` replaces it after the whole word has been assigned. Those are
//! the names by which rust-hdl's `#[hdl_gen]` knows slices: the Verilog has `word[12+:12]`. A field
//! of no width is one bit, a `bool`.
//!
//! It can be wrong by two fields that overlap, or one outside the word: neither compiles.

/// Defines a format: a trait for words of `N` bits. Each field is `name: width @ lowest bit`.
///
/// ```ignore
/// fields! {
///     /// A row of the table.
///     pub(super) trait Row: 32 {
///         /// The entry of the owner.
///         head: 12 @ 12,
///         /// A list is there.
///         nonempty: bit @ 25,
///     }
/// }
/// ```
#[macro_export]
macro_rules! fields {
    ($(#[$doc:meta])* $vis:vis trait $format:ident: $bits:literal {
        $($(#[$note:meta])* $field:ident: $width:tt @ $at:literal,)+
    }) => { pastey::paste! {
        $(#[$doc])*
        // Nobody has to write and read every field.
        #[allow(dead_code)]
        $vis trait $format {
            $(
                $(#[$note])*
                fn [<get_value_ $field>](&self) -> $crate::fields!(@type $width);
                /// Replaces the field.
                fn [<set_value_ $field>](&mut self, value: $crate::fields!(@type $width));
                /// Its width, for the Verilog.
                fn [<get_my_width_ $field>](&self) -> usize;
                /// Its lowest bit, for the Verilog.
                fn [<get_my_offset_ $field>](&self) -> u32;
            )+
        }
        impl $format for rust_hdl::prelude::Bits<$bits> {
            $(
                #[inline(always)]
                fn [<get_value_ $field>](&self) -> $crate::fields!(@type $width) {
                    $crate::fields!(@get self, $at, $width)
                }
                #[inline(always)]
                fn [<set_value_ $field>](&mut self, value: $crate::fields!(@type $width)) {
                    $crate::fields!(@set self, $at, value, $width)
                }
                fn [<get_my_width_ $field>](&self) -> usize {
                    $crate::fields!(@width $width)
                }
                fn [<get_my_offset_ $field>](&self) -> u32 {
                    $at
                }
            )+
        }
        const _: () = $crate::base::fields::disjoint($bits, &[$(($at, $crate::fields!(@width $width))),+]);
    } };
    (@type bit) => { bool };
    (@type $width:literal) => { rust_hdl::prelude::Bits<$width> };
    (@width bit) => { 1 };
    (@width $width:literal) => { $width };
    (@get $word:ident, $at:literal, bit) => { $word.get_bit($at) };
    (@get $word:ident, $at:literal, $width:literal) => { $word.get_bits::<$width>($at) };
    (@set $word:ident, $at:literal, $value:ident, bit) => { *$word = $word.replace_bit($at, $value) };
    (@set $word:ident, $at:literal, $value:ident, $width:literal) => { $word.set_bits::<$width>($at, $value) };
}

/// Fails, at compile time, if a field of (lowest bit, width) leaves the word or overlaps another.
pub const fn disjoint(bits: usize, fields: &[(usize, usize)]) {
    let mut seen = 0u128;
    let mut i = 0;
    while i < fields.len() {
        let (at, width) = fields[i];
        assert!(at + width <= bits, "a field leaves its word");
        let mask = ((1u128 << width) - 1) << at;
        assert!(seen & mask == 0, "two fields overlap");
        seen |= mask;
        i += 1;
    }
}
