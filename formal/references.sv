// Properties of the counts of references (`hdl/src/geometry/references.rs`), proved on its exported Verilog by induction, of 4 entries of which one is kept for clipping. One property per run: the macro PROPERTY_name selects its
// assertions and its covers. Every entry has a ghost count of the references that were handed out (HZ-34).
//
// The environment is free: corners, further references, drops, losses and records in any cycle, of any entry, and entries are taken at any time. Its contract is assumed: a reference is taken and given back only of an entry that is
// held when the cycle begins, no more are given back than were taken, and no entry has 2^14 of them.
`include "prelude.svh"

module references_proof(
    input clock, input corner_count, ref_add_valid, drop_valid, ref_release_valid, record_release_valid, entry_take, spare_take, input [11:0] corner_entry, ref_add_entry, drop_entry, ref_release_entry, record_release_entry
);
    wire ref_add_ready, ref_release_ready, record_release_ready, entry_valid, spare;
    wire [11:0] entry, spare_entry;
    geometry_references dut(
        .clock(clock), .corner_count(corner_count), .corner_entry(corner_entry), .ref_add_valid(ref_add_valid), .ref_add_ready(ref_add_ready), .ref_add_entry(ref_add_entry),
        .drop_valid(drop_valid), .drop_entry(drop_entry), .ref_release_valid(ref_release_valid), .ref_release_ready(ref_release_ready), .ref_release_entry(ref_release_entry), .record_release_valid(record_release_valid), .record_release_ready(record_release_ready), .record_release_entry(record_release_entry),
        .entry_valid(entry_valid), .entry(entry), .entry_take(entry_take), .spare(spare), .spare_entry(spare_entry), .spare_take(spare_take),
        .shaded_valid(1'b0), .shaded_mask(4'b0), .shaded_entry_0(12'b0), .shaded_entry_1(12'b0), .shaded_entry_2(12'b0), .shaded_entry_3(12'b0), .query(12'b0)
    );
    (* hierconn, inside *) wire \dut.free_put , \dut.rises_q , \dut.rose_q , \dut.down_q , \dut.fell_q , \dut.freed_q , \dut.free.passes_q ;
    (* hierconn, inside *) wire [11:0] \dut.rise_entry_q , \dut.rose_entry_q , \dut.down_entry_q , \dut.fell_entry_q , \dut.freed_entry_q ;
    (* hierconn, inside *) wire [13:0] \dut.rose_number_q , \dut.fell_number_q ;
    (* hierconn, inside *) wire [12:0] \dut.taken_q , \dut.free.head_q , \dut.free.tail_q , \dut.free.fresh_q ;
    (* hierconn, inside *) wire [31:0] \dut.free_put_number , \dut.free.passed_q ;
    (* hierconn, inside *) wire [63:0] \dut.ups.read_data , \dut.ups_copy.read_data , \dut.downs.read_data , \dut.free.memory.read_data ;
    (* hierconn, inside *) wire [13:0] \dut.ups.view0 , \dut.ups.view1 , \dut.ups.view2 , \dut.ups.view3 ;
    (* hierconn, inside *) wire [13:0] \dut.ups_copy.view0 , \dut.ups_copy.view1 , \dut.ups_copy.view2 , \dut.ups_copy.view3 ;
    (* hierconn, inside *) wire [13:0] \dut.downs.view0 , \dut.downs.view1 , \dut.downs.view2 , \dut.downs.view3 ;
    (* hierconn, inside *) wire [11:0] \dut.free.memory.view0 , \dut.free.memory.view1 , \dut.free.memory.view2 , \dut.free.memory.view3 ;
    wire [3:0][13:0] ups = { \dut.ups.view3 , \dut.ups.view2 , \dut.ups.view1 , \dut.ups.view0 };
    wire [3:0][13:0] copies = { \dut.ups_copy.view3 , \dut.ups_copy.view2 , \dut.ups_copy.view1 , \dut.ups_copy.view0 };
    wire [3:0][13:0] downs = { \dut.downs.view3 , \dut.downs.view2 , \dut.downs.view1 , \dut.downs.view0 };
    wire [3:0][11:0] ring = { \dut.free.memory.view3 , \dut.free.memory.view2 , \dut.free.memory.view1 , \dut.free.memory.view0 };
    wire [12:0] head = \dut.free.head_q , tail = \dut.free.tail_q , fresh = \dut.free.fresh_q , queued = tail - head;

    // Entries are below 4.
    always @* assume (corner_entry < 4 && ref_add_entry < 4 && drop_entry < 4 && ref_release_entry < 4 && record_release_entry < 4);

    // Counts of all entries: what is held outside; in how many cycles, from 0 to 3, nothing was.
    reg [3:0][13:0] count = 0;
    reg [3:0][1:0] rest = {4{2'd3}};
    reg [3:0] more, less, held, waiting, queues;
    reg [3:0][2:0] places;
    integer w, k;
    always @* begin
        for (w = 0; w < 4; w = w + 1) begin
            more[w] = corner_count ? corner_entry == w : ref_add_valid && ref_add_ready && ref_add_entry == w;
            less[w] = (drop_valid && drop_entry == w) || (ref_release_valid && ref_release_ready && ref_release_entry == w) || (record_release_valid && record_release_ready && record_release_entry == w);
            held[w] = count[w] != 0;
            // Offered, or kept for clipping.
            waiting[w] = (entry_valid && entry == w) || (spare && spare_entry == w);
            // How often it is in the queue of free entries.
            places[w] = fresh <= w;
            for (k = 0; k < 4; k = k + 1)
                if (((k - head) & 3) < queued && ring[k] == w) places[w] = places[w] + 1;
            assume (!(more[w] || less[w]) || held[w]);
            assume (!more[w] || count[w] != 14'h3FFF);
        end
    end
    always @(posedge clock)
        for (w = 0; w < 4; w = w + 1) begin
            count[w] <= count[w] + more[w] - less[w] + ((entry_take && entry_valid && entry == w) || (spare_take && spare && spare_entry == w));
            rest[w] <= held[w] ? 0 : rest[w] == 3 ? 3 : rest[w] + 1;
        end

    reg [2:0] dropped = 0;
    reg again = 0;
    always @(posedge clock) begin
        if (\dut.free_put && \dut.free_put_number == 1) again <= 1;
        if (less[1] && count[1] == 1 && !more[1] && dropped != 7) dropped <= dropped + 1;
    end
`ifdef PROPERTY_references_held
    always @* begin
        for (w = 0; w < 4; w = w + 1) begin
            // What is offered or kept is held by nobody, and is not both; what becomes free is held by nobody.
            assert (!(waiting[w] && held[w]));
            assert (!(entry_valid && spare && entry == w && spare_entry == w));
            assert (!(\dut.free_put && \dut.free_put_number == w && held[w]));
        end
        assert (!entry_valid || entry < 4);
        assert (!spare || spare_entry < 4);
        `COVER(entry_valid && entry == 1 && again)
        `COVER(held == 15 && less != 0 && count[2] == 1 && less[2] && more[2])
        `COVER(count[1] == 3 && again)
    end
`endif
`ifdef PROPERTY_references_free
    always @* begin
        for (w = 0; w < 4; w = w + 1) begin
            // An entry that is held by nobody is offered, or kept, or free again two cycles later: in the queue, once.
            if (!held[w] && rest[w] >= 2) assert (waiting[w] || places[w] == 1);
            assert (places[w] <= 1);
        end
        // The queue has room for all, and those that are taken are counted: an entry is offered whenever it may be.
        assert (fresh <= 4 && queued <= 4);
        assert (\dut.taken_q + (4 - fresh) + queued == 4);
        `COVER(dropped == 2 && rest[1] == 2)
        `COVER(fresh == 4 && queued == 3)
        `COVER(fresh == 4 && queued == 0 && dropped == 1)
    end
`endif
`ifdef INVARIANTS
    reg [13:0] taken, given;
    reg [3:0] falls, goes;
    always @* begin
        for (w = 0; w < 4; w = w + 1) begin
            taken = ups[w] + (\dut.rises_q && \dut.rise_entry_q == w);
            given = downs[w] + (\dut.down_q && \dut.down_entry_q == w);
            falls[w] = \dut.down_q && \dut.down_entry_q == w && taken == given;
            goes[w] = \dut.freed_q && \dut.freed_entry_q == w;
            assert (ups[w] == copies[w]);
            // Counts, with what is on its way to the RAMs.
            assert (taken - given == count[w] + waiting[w]);
            if (\dut.rose_q && \dut.rose_entry_q == w) assert (\dut.rose_number_q == ups[w]);
            if (\dut.fell_q && \dut.fell_entry_q == w) assert (\dut.fell_number_q == downs[w]);
            if (\dut.rises_q && \dut.rise_entry_q == w && !(\dut.rose_q && \dut.rose_entry_q == w)) assert (\dut.ups.read_data == ups[w]);
            if (\dut.down_q && \dut.down_entry_q == w) begin
                if (!(\dut.rose_q && \dut.rose_entry_q == w)) assert (\dut.ups_copy.read_data == ups[w]);
                if (!(\dut.fell_q && \dut.fell_entry_q == w)) assert (\dut.downs.read_data == downs[w]);
            end
            // It is at exactly one place: held, offered or kept, the last one is counted, on its way to the queue, in the queue.
            assert (held[w] + waiting[w] + falls[w] + goes[w] + places[w] == 1);
            assert (!(waiting[w] && held[w]) && !(entry_valid && spare && entry == w && spare_entry == w));
            if (!held[w] && rest[w] >= 1) assert (!falls[w]);
            if (!held[w] && rest[w] >= 2) assert (!goes[w]);
            // What came through the ring was counted before.
            for (k = 0; k < 4; k = k + 1)
                if (((k - head) & 3) < queued) assert (ring[k] < fresh);
        end
        assert (fresh <= 4 && queued <= 4);
        assert (\dut.taken_q + (4 - fresh) + queued == 4);
        assert (!\dut.rises_q || \dut.rise_entry_q < 4);
        assert (!\dut.down_q || \dut.down_entry_q < 4);
        assert (!\dut.freed_q || \dut.freed_entry_q < 4);
        assert (!entry_valid || entry < 4);
        assert (!spare || spare_entry < 4);
        // The oldest number is there.
        if (queued != 0) assert (\dut.free.passes_q ? \dut.free.passed_q == ring[head[1:0]] : \dut.free.memory.read_data == ring[head[1:0]]);
    end
`endif
endmodule
