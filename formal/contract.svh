// Cycles of the entity in which it does not stand still because two acknowledgements wait for their receiver. Proved in `entity.sv`; the last two are assumed in `room.sv`.
// The longest operation with 4 pool entries. A search from the tail begins one entry later than one from behind the head.
`ifdef DOUBLE_LINKS
`define LONGEST 5
`else
`define LONGEST 4
`endif
// A release or an acquire for which an entry is free is taken after waiting at most so many; a message taken has its effect within so many.
`define ENTRY_WITHIN (2 * `LONGEST + 1)
// A try without an entry is answered after waiting at most so many.
`define TRY_WITHIN (3 * `LONGEST + 4)
