//! `[constants]` as it is written: values of a program's overrides or specialisation constants, by
//! name or by id. Which constants there are is known when the program is read.

use std::ops::Range;

use quadlock_shader::front::constants::Value;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use toml::Spanned;

/// The table, in the order of the file: key, value, and where the key stands.
#[derive(Clone, Debug, Default)]
pub struct ConstantsSpec(pub Vec<(String, Value, Range<usize>)>);

impl<'de> Deserialize<'de> for ConstantsSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = ConstantsSpec;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a table of constants, each a number, true or false")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ConstantsSpec, A::Error> {
                let mut spec = ConstantsSpec::default();
                while let Some(key) = map.next_key::<Spanned<String>>()? {
                    let span = key.span();
                    spec.0.push((key.into_inner(), map.next_value::<Scalar>()?.0, span));
                }
                Ok(spec)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// A number, true or false. TOML's own values end at 2^63 - 1.
struct Scalar(Value);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct One;
        impl Visitor<'_> for One {
            type Value = Scalar;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a number, true or false as the value of a constant")
            }

            fn visit_bool<E>(self, x: bool) -> Result<Scalar, E> {
                Ok(Scalar(Value::Bool(x)))
            }

            fn visit_i64<E>(self, x: i64) -> Result<Scalar, E> {
                Ok(Scalar(Value::Integer(x.into())))
            }

            fn visit_u64<E>(self, x: u64) -> Result<Scalar, E> {
                Ok(Scalar(Value::Integer(x.into())))
            }

            fn visit_i128<E>(self, x: i128) -> Result<Scalar, E> {
                Ok(Scalar(Value::Integer(x)))
            }

            fn visit_f64<E>(self, x: f64) -> Result<Scalar, E> {
                Ok(Scalar(Value::Float(x)))
            }
        }
        deserializer.deserialize_any(One)
    }
}
