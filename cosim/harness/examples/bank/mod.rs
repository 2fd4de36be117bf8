//! Data of `examples/bank`: orders, and the accounts after them by arithmetic in 128 bits.
//! Transfers commute, so the order in which warps get the semaphores does not matter; a lost update
//! does. Wrong would be orders that hardly ever meet: every third one goes through account 0.
//! `checked` wants borrows and carries between the words.

use super::csv_rows;

const ACCOUNTS: usize = 24;
const ORDERS: [(&str, usize); 2] = [("full", 400), ("small", 60)];

struct Order {
    payer: usize,
    payee: usize,
    amount: u64,
}

/// Every file of the example that is made: (path below `examples/`, content).
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let orders = orders();
    let row = |o: &Order| [o.payer as u32, o.payee as u32, o.amount as u32, (o.amount >> 32) as u32];
    let rows: Vec<u32> = orders.iter().flat_map(row).collect();
    let before: Vec<i128> = (0..ACCOUNTS).map(|a| (a as i128 + 1) << 33).collect();
    let mut files =
        vec![("bank/orders.csv", csv_rows(&rows, 4)), ("bank/accounts.csv", csv_rows(&words(&before, &[]), 4))];
    for (name, count) in ORDERS {
        let path: &'static str = format!("bank/expected-{name}.csv").leak();
        files.push((path, csv_rows(&words(&before, &orders[..count]), 4)));
    }
    files
}

fn orders() -> Vec<Order> {
    let mut state = 5u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..ORDERS[0].1)
        .map(|n| {
            let payer = if n % 3 == 0 { 0 } else { next(ACCOUNTS as u64) as usize };
            let payee = (payer + 1 + next(ACCOUNTS as u64 - 1) as usize) % ACCOUNTS;
            Order { payer, payee, amount: next(1 << 30) << next(4) }
        })
        .collect()
}

/// The accounts' words after these orders.
fn words(before: &[i128], orders: &[Order]) -> Vec<u32> {
    let mut balances = before.to_vec();
    let (mut counts, mut largest) = (vec![0u32; before.len()], vec![0u32; before.len()]);
    for order in orders {
        balances[order.payer] -= i128::from(order.amount);
        balances[order.payee] += i128::from(order.amount);
        for account in [order.payer, order.payee] {
            counts[account] += 1;
            largest[account] = largest[account].max(order.amount as u32);
        }
    }
    assert_eq!(balances.iter().sum::<i128>(), before.iter().sum::<i128>(), "money is made or lost");
    let changed = |(a, b): (&i128, &i128)| a >> 32 != b >> 32;
    let high = balances.iter().zip(before).filter(|pair| changed(*pair)).count();
    assert!(orders.is_empty() || high * 2 > before.len(), "the high words hardly change");
    (0..before.len()).flat_map(|a| [balances[a] as u32, (balances[a] >> 32) as u32, counts[a], largest[a]]).collect()
}
