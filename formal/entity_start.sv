// `start` of the semaphore entity: whenever it comes, with messages inside, while lists are being emptied, twice: when all is free again, no list has an entry and no entry a link. The
// environment is free, `start` too.
`include "prelude.svh"

module start_proof(
    input clock, input start,
    input acq_valid, input [2:0] acq_sem, input [1:0] acq_thread, input acq_auto, input acq_suppress, input acq_notify, input acq_bare,
    input rel_valid, input [2:0] rel_sem, input [1:0] rel_thread,
    input ack_ready
);
    wire acq_ready, op_valid;
    semaphore_entity dut(
        .clock(clock), .start(start),
        .acq_valid(acq_valid), .acq_ready(acq_ready), .acq_sem({13'b0, acq_sem}), .acq_thread({14'b0, acq_thread}),
        .acq_auto(acq_auto), .acq_suppress(acq_suppress), .acq_notify(acq_notify),
        .acq_tag(3'd0), .acq_bare(acq_bare),
        .rel_valid(rel_valid), .rel_sem({13'b0, rel_sem}), .rel_thread({14'b0, rel_thread}),
        .ack_ready(ack_ready), .op_valid(op_valid)
    );
    (* hierconn, inside *) wire [31:0] \dut.table_a.view0 , \dut.table_a.view1 , \dut.table_a.view2 , \dut.table_a.view3 ;
    (* hierconn, inside *) wire [31:0] \dut.links.view0 , \dut.links.view1 , \dut.links.view2 , \dut.links.view3 ;
    (* hierconn, inside *) wire [12:0] \dut.pool.used_q ;
    (* hierconn, inside *) wire \dut.clearing_q ;
    wire rows = \dut.table_a.view0 [25] || \dut.table_a.view1 [25] || \dut.table_a.view2 [25] || \dut.table_a.view3 [25];
    wire links = \dut.links.view0 [12] || \dut.links.view1 [12] || \dut.links.view2 [12] || \dut.links.view3 [12];
    wire clearing = \dut.clearing_q , all_free = \dut.pool.used_q == 0;
    reg started = 0;
    always @(posedge clock) started <= started || start;

`ifdef PROPERTY_start
    always @* begin
        if (all_free && !clearing) assert (!rows && !links);
        if (clearing) assert (!op_valid && !acq_ready && all_free);
        `COVER(started && clearing && start && links)
        `COVER(started && !clearing && op_valid)
    end
`endif
endmodule
