// Transfers between accounts: associative semaphores (SE-40), acquired by the running program in any order. A warp
// takes the semaphores of both accounts, the one with the lower number first, so that no two warps wait for each
// other. Between acquire and release the two accounts are its own: it reads and writes four words of each without
// atomics. The semaphore of an account is found by a hash (SE-34): accounts with the same one only wait more.

struct Bank {
    orders: u32,
    groups: u32,
}

@group(0) @binding(0) var<uniform> bank: Bank;
// Account that pays, account that gets, amount (low word, high word).
@group(0) @binding(1) var<storage, read> orders: array<vec4<u32>>;
// Balance (low word, high word, two's complement), number of transfers, largest low word of an amount.
@group(0) @binding(2) var<storage, read_write> accounts: array<vec4<u32>>;

const SEMAPHORE_BITS = 4u;

fn semaphore_of(account: u32) -> u32 {
    return (account * 0x9E3779B1u) >> (32u - SEMAPHORE_BITS);
}

@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var number = group.x; number < bank.orders; number += bank.groups) {
        let order = orders[number];
        let low = min(semaphore_of(order.x), semaphore_of(order.y));
        let high = max(semaphore_of(order.x), semaphore_of(order.y));
        // Lane 0 debits, lane 1 credits: adds the amount, or its negative.
        let debit = lane == 0u;
        let add = vec2<u32>(select(order.z, 0u - order.z, debit), select(order.w, ~order.w + u32(order.z == 0u), debit));

        semaphoreAcquire(low);
        if (high != low) {
            semaphoreAcquire(high);
        }
        if (lane < 2u) {
            let account = select(order.y, order.x, debit);
            let old = accounts[account];
            let sum = old.x + add.x;
            let carry = u32(sum < old.x);
            accounts[account] = vec4<u32>(sum, old.y + add.y + carry, old.z + 1u, max(old.w, order.z));
        }
        if (high != low) {
            semaphoreRelease(high);
        }
        semaphoreRelease(low);
    }
}
