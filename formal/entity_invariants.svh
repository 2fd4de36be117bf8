// What makes the properties of the entity inductive: how its RAMs, its pipeline and the ghosts belong together. They are proved together with the properties,
// never assumed. Every one of them holds in the state after power-up, and in every state that follows one in which all of them hold.
`ifdef INVARIANTS
    // Lists: ranks are distinct, links lead to the next rank.
    generate
        for (e = 0; e < 4; e = e + 1) begin : entry
            wire [2:0] length_here = length[in[e]];
            wire [1:0] next = links[e][1:0], back = backs[e][1:0];
            always @* begin
                assert ((entries[e] & ~32'h3_0003) == 0);
                assert ((links[e] & ~32'h1003) == 0);
                assert ((ring[e] & ~32'h3) == 0);
                assert ((backs[e] & ~32'h3) == 0);
                if (used[e] && rank[e] != 0) assert (used[back] && in[back] == in[e] && rank[back] == rank[e] - 2'd1);
                if (used[e]) begin
                    assert (rank[e] < length_here);
                    assert (links[e][12] == (rank[e] + 3'd1 < length_here));
                    if (links[e][12]) assert (used[next] && in[next] == in[e] && rank[next] == rank[e] + 2'd1);
                    // A head that was released goes at once.
                    if (rank[e] == 0) assert (entries[e][16] == (v2 && skip && sem2 == {14'b0, in[e]}));
                    if (in[e] == s) begin
                        if (rank[e] == 0) assert (qe0 == e && qt0 == entries[e][1:0] && qr[0] == entries[e][16] && qs[0] == entries[e][17]);
                        if (rank[e] == 1) assert (qe1 == e && qt1 == entries[e][1:0] && qr[1] == entries[e][16] && qs[1] == entries[e][17]);
                        if (rank[e] == 2) assert (qe2 == e && qt2 == entries[e][1:0] && qr[2] == entries[e][16] && qs[2] == entries[e][17]);
                        if (rank[e] == 3) assert (qe3 == e && qt3 == entries[e][1:0] && qr[3] == entries[e][16] && qs[3] == entries[e][17]);
                    end
                end else begin
                    assert (!links[e][12]);
                end
            end
            for (f = 0; f < e; f = f + 1) begin : other
                always @* if (used[e] && used[f] && in[e] == in[f]) assert (rank[e] != rank[f]);
            end
        end
        for (k = 0; k < 4; k = k + 1) begin : list
            wire [1:0] head = table_a[k][13:12], tail = table_a[k][1:0], behind = table_b[k][17:16];
            wire [2:0] last = length[k] - 3'd1;
            always @* begin
                assert ((table_a[k] & ~32'h0300_3003) == 0);
                assert ((table_b[k] & ~32'h0003_0003) == 0);
                assert (table_a[k][25] == (length[k] != 0));
                if (length[k] != 0) begin
                    assert (table_a[k][24] == (length[k] == 1));
                    assert (used[head] && in[head] == k && rank[head] == 0);
                    assert (used[tail] && in[tail] == k && {1'b0, rank[tail]} == last);
                    assert (table_b[k][1:0] == entries[head][1:0]);
                    if (length[k] > 1) assert (used[behind] && in[behind] == k && rank[behind] == 1);
                end
            end
        end
    endgenerate
    always @* assert (qn == length[s]);

    // Free list: never used, or in the ring once.
    generate
        for (e = 0; e < 4; e = e + 1) begin : free_entry
            wire [1:0] distance = 2'(e) - at_head;
            wire [1:0] value = ring[e][1:0];
            wire there = {10'b0, distance} < ringed;
            always @* begin
                if (there) assert (!used[value] && {11'b0, value} < fresh);
                if (fresh <= e) assert (!used[e]);
            end
            for (f = 0; f < e; f = f + 1) begin : other
                wire [1:0] other_distance = 2'(f) - at_head;
                always @* if (there && {10'b0, other_distance} < ringed) assert (value != ring[f][1:0]);
            end
        end
    endgenerate
    always @* begin
        assert (pool_used == used[0] + used[1] + used[2] + used[3]);
        assert (fresh <= 4 && pool_used <= fresh);
        assert (ringed == fresh - pool_used);
        // The word at the ring's output is the oldest free entry, unless that was returned in the last cycle; an acquire inside does not need that one.
        if (ringed > {11'b0, gave}) assert (ring_read == ring[at_head]);
        assert ((ring_read & ~32'h3) == 0);
        assert ({10'b0, reserved} + gave <= free);
        assert (!\dut.clearing_q );
    end

    // Pipeline: rows are those of the table, what is read is the entry that is looked at.
    always @* begin
        assert (sem1 < 8 && sem2 < 8 && thread1 < 4 && thread2 < 4);
        if (v1 && sem1 < 4) assert (row_a1 == table_a[sem1[1:0]] && row_b1 == table_b[sem1[1:0]]);
        if (v2 && exists2) assert (row_a2 == table_a[sem2[1:0]] && row_b2 == table_b[sem2[1:0]]);
        if (v2 && exists2 && (release2 || walk) && nonempty2 && !single2)
            assert (entry_read == entries[looked] && link_read == links[looked] && back_read == backs[looked]);
        if (skip) assert (v2 && exists2 && release2 && nonempty2 && !walk);
        if (walk) begin
            assert (v2 && exists2 && nonempty2 && !single2 && (release2 || `WALKS && !probe2));
            assert (place < 4 && used[place[1:0]] && {14'b0, in[place[1:0]]} == sem2);
            if (release2) assert (row_b2[15:0] != thread2);
`ifdef DOUBLE_LINKS
            // From the tail to the head.
            if (sem2 == {14'b0, s}) begin
                if (qn > 1 && place_rank < 1) assert (!(qt1 == thread2[1:0] && !qr[1]));
                if (qn > 2 && place_rank < 2) assert (!(qt2 == thread2[1:0] && !qr[2]));
                if (qn > 3 && place_rank < 3) assert (!(qt3 == thread2[1:0] && !qr[3]));
                assert (met == (qn > 1 && place_rank < 1 && qt1 == thread2[1:0] || qn > 2 && place_rank < 2 && qt2 == thread2[1:0]
                    || qn > 3 && place_rank < 3 && qt3 == thread2[1:0]));
            end
`else
            assert (place_rank != 0);
            if (release2 && sem2 == {14'b0, s}) begin
                // The search has passed no entry that it should have taken.
                if (place_rank > 1) assert (!(qt1 == thread2[1:0] && !qr[1]));
                if (place_rank > 2) assert (!(qt2 == thread2[1:0] && !qr[2]));
                assert (met == (place_rank > 1 && qt1 == thread2[1:0] || place_rank > 2 && qt2 == thread2[1:0]));
            end
`endif
        end
        if (v1 && probe1) assert (!release1);
        if (v2 && probe2) assert (!release2);
        // No acquire comes behind a try: the order of acquires is kept.
        if (v2 && probe2) assert (!(v1 && !release1));
        // A try stands for the message at the port, and there is one.
        assert (!(v1 && probe1 && v2 && probe2));
        if (v1 && probe1) assert (acq_held && bare_was && acq_was == {sem1[2:0], thread1[1:0], \dut.auto1_q , \dut.suppress1_q , \dut.notify1_q });
        if (v2 && probe2) assert (acq_held && bare_was && acq_was == {sem2[2:0], thread2[1:0], \dut.auto2_q , \dut.suppress2_q , \dut.notify2_q });
    end

    // The ghost of messages and acknowledgements of `s` and the entity's.
    always @* begin
        assert (fn == inside1 + inside2);
        if (inside2) assert (f0 == message2 && n0 == (\dut.notify2_q && !release2));
        if (inside1) assert ((inside2 ? f1 : f0) == message1 && (inside2 ? n1 : n0) == (\dut.notify1_q && !release1));
        assert (skipping == (v2 && skip && sem2 == {14'b0, s}));
        if (ack1) assert (ack0);
        assert (an == due0 + due1);
        assert (ack0_data < 32'h4_0000 && ack1_data < 32'h4_0000);
        if (due0) assert (a0 == ack0_data[17:16]);
        if (due1) assert ((due0 ? a1 : a0) == ack1_data[17:16]);
    end
`endif
