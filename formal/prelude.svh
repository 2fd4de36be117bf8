// What the proofs share: how a situation is asked for, and the RAMs of the state of which a property keeps little or nothing.
//
// A situation that has to be reached. `build.py` makes an assertion of the cover, which fails where the situation is.
`define COVER(situation) cover (!(situation));

// A RAM of words of state that says anything at any time.
`define ANY_RAM(name, width) \
module name(input clock, write_enable, input [5:0] write_address, input [31:0] write_data, input [5:0] read_address, output [31:0] read_data); \
    (* anyseq *) wire [width - 1:0] any; \
    assign read_data = any; \
endmodule

// A RAM of a bit for each of two contexts. The solver chooses both once.
`define POINTS_RAM(name) \
module name(input clock, input [5:0] read_address, write_address, input [31:0] write_data, input write_enable, output [31:0] read_data); \
    (* anyconst *) wire [1:0] points; \
    assign read_data = {31'b0, points[read_address[0]]}; \
endmodule

// A RAM, read a cycle later, that keeps one word, at a place that the solver chooses, and says anything of all others. `places` is the number of bits of the address that count.
`define WATCHED_RAM(name, address, width, places) \
module name(input clock, write_enable, input [address - 1:0] read_address, write_address, input [63:0] write_data, output [63:0] read_data); \
    (* anyconst *) reg [places - 1:0] watched; \
    (* anyseq *) wire [width - 1:0] any; \
    reg [width - 1:0] stored = 0, said = 0; \
    reg found = 0; \
    wire [width - 1:0] word = stored, kept = said; \
    wire hit = found; \
    always @(posedge clock) begin \
        if (write_enable && write_address[places - 1:0] == watched) stored <= write_data[width - 1:0]; \
        said <= stored; \
        found <= read_address[places - 1:0] == watched; \
    end \
    assign read_data = hit ? kept : any; \
endmodule
