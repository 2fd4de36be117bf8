// Threads whose semaphore requests are set by hand in the job (SE-41, SE-51): four roles, by the flags of the request.
//
// | role | requests | waits | releases |
// |---|---|---|---|
// | 0 builder | 0 and 8 + row, acknowledge-suppress | - | both (RLS) |
// | 1 adder | 0, auto-release | for all builders (WTS) | - |
// | 2 picker | none | for one builder, found at run time (ASR) | - |
// | 3 writer | 1, neither flag | for the writer before it (WTS) | 1 (RLS) |
//
// Builders and adders are N:M on semaphore 0, a builder and its pickers 1:N on semaphore 8 + row, writers a chain.
// Data words: x = number within the role, y = role.

// Words of a row of the table.
const ROW = 16u;
const ROWS = 4u;
const ALL_ROWS = 0u;
const TURN = 1u;
const FIRST_ROW = 8u;

@group(0) @binding(0) var<storage, read> seeds: array<u32>;
@group(0) @binding(1) var<storage, read> wanted: array<u32>;
@group(0) @binding(2) var<storage, read_write> table: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<u32>;
@group(0) @binding(4) var<storage, read_write> picked: array<u32>;
// Number of entries, then a number that depends on all that was written before.
@group(0) @binding(5) var<storage, read_write> log: array<u32>;

// Words of a row follow from each other, so a builder is slow.
fn build(row: u32, lane: u32) {
    var word = seeds[row] + lane;
    for (var i = lane; i < ROW; i += 4u) {
        word = word * 1664525u + 1013904223u;
        table[ROW * row + i] = word;
    }
    semaphoreRelease(FIRST_ROW + row);
    semaphoreRelease(ALL_ROWS);
}

// The sum of column x of the table.
fn add(column: u32, lane: u32) {
    semaphoreWait();
    if (lane == 0u) {
        var sum = 0u;
        for (var row = 0u; row < ROWS; row++) {
            sum += table[ROW * row + column];
        }
        sums[column] = sum;
    }
}

// One word of a row that only the program knows.
fn pick(number: u32, lane: u32) {
    let place = wanted[number];
    semaphoreAcquireRelease(FIRST_ROW + place / ROW);
    if (lane == 0u) {
        picked[number] = table[place];
    }
}

fn write(number: u32, lane: u32) {
    semaphoreWait();
    if (lane == 0u) {
        let count = log[0];
        log[count + 1u] = log[count] * 31u + number;
        log[0] = count + 1u;
    }
    semaphoreRelease(TURN);
}

@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) data: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    switch (data.y) {
        case 0u: { build(data.x, lane); }
        case 1u: { add(data.x, lane); }
        case 2u: { pick(data.x, lane); }
        default: { write(data.x, lane); }
    }
}
