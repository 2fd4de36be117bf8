// What the semaphore entity promises the waiting room, in cycles in which it does not stand still because two acknowledgements wait: proved in `entity.sv`, assumed in `room.sv`.
// A try is answered after waiting at most so many.
`define TRY_WITHIN 16
// An acquire is taken after waiting at most so many in which an entry is free.
`define ENTRY_WITHIN 9
