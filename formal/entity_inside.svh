// The insides of the entity that properties and invariants look at. `hierconn` wires are connected by flattening; `formal/prove.py` refuses a proof in which one has no driver.
    (* hierconn, inside *) wire \dut.v1_q , \dut.v2_q , \dut.release1_q , \dut.release2_q , \dut.probe1_q , \dut.probe2_q ;
    (* hierconn, inside *) wire \dut.auto1_q , \dut.auto2_q , \dut.suppress1_q , \dut.suppress2_q , \dut.notify1_q , \dut.notify2_q , \dut.skip_q , \dut.walk_q , \dut.met_q ;
    (* hierconn, inside *) wire [15:0] \dut.sem1_q , \dut.sem2_q , \dut.thread1_q , \dut.thread2_q ;
    (* hierconn, inside *) wire [31:0] \dut.row_a1 , \dut.row_b1 , \dut.row_a2_q , \dut.row_b2_q ;
    (* hierconn, inside *) wire [11:0] \dut.place_q ;
    (* hierconn, inside *) wire \dut.ack0_q , \dut.ack1_q , \dut.clearing_q , \dut.pool_give ;
    (* hierconn, inside *) wire [31:0] \dut.ack0_data_q , \dut.ack1_data_q , \dut.entries_read_data , \dut.links_read_data , \dut.backs_read_data ;
    (* hierconn, inside *) wire [12:0] \dut.pool.fresh_q , \dut.pool.used_q ;
    (* hierconn, inside *) wire [11:0] \dut.pool.head_q , \dut.pool.tail_q ;
    (* hierconn, inside *) wire [31:0] \dut.pool.ring_read_data ;
    (* hierconn, inside *) wire [31:0] \dut.table_a.view0 , \dut.table_a.view1 , \dut.table_a.view2 , \dut.table_a.view3 ;
    (* hierconn, inside *) wire [31:0] \dut.table_b.view0 , \dut.table_b.view1 , \dut.table_b.view2 , \dut.table_b.view3 ;
    (* hierconn, inside *) wire [31:0] \dut.entries.view0 , \dut.entries.view1 , \dut.entries.view2 , \dut.entries.view3 ;
    (* hierconn, inside *) wire [31:0] \dut.links.view0 , \dut.links.view1 , \dut.links.view2 , \dut.links.view3 ;
    (* hierconn, inside *) wire [31:0] \dut.backs.view0 , \dut.backs.view1 , \dut.backs.view2 , \dut.backs.view3 ;
    (* hierconn, inside *) wire [31:0] \dut.pool.ring.view0 , \dut.pool.ring.view1 , \dut.pool.ring.view2 , \dut.pool.ring.view3 ;
    wire [3:0][31:0] table_a = {\dut.table_a.view3 , \dut.table_a.view2 , \dut.table_a.view1 , \dut.table_a.view0 };
    wire [3:0][31:0] table_b = {\dut.table_b.view3 , \dut.table_b.view2 , \dut.table_b.view1 , \dut.table_b.view0 };
    wire [3:0][31:0] entries = {\dut.entries.view3 , \dut.entries.view2 , \dut.entries.view1 , \dut.entries.view0 };
    wire [3:0][31:0] links = {\dut.links.view3 , \dut.links.view2 , \dut.links.view1 , \dut.links.view0 };
    wire [3:0][31:0] backs = {\dut.backs.view3 , \dut.backs.view2 , \dut.backs.view1 , \dut.backs.view0 };
    wire [3:0][31:0] ring = {\dut.pool.ring.view3 , \dut.pool.ring.view2 , \dut.pool.ring.view1 , \dut.pool.ring.view0 };
    wire v1 = \dut.v1_q , v2 = \dut.v2_q , release1 = \dut.release1_q , release2 = \dut.release2_q , probe1 = \dut.probe1_q , probe2 = \dut.probe2_q ;
    wire skip = \dut.skip_q , walk = \dut.walk_q , met = \dut.met_q , ack0 = \dut.ack0_q , ack1 = \dut.ack1_q ;
    wire [15:0] sem1 = \dut.sem1_q , sem2 = \dut.sem2_q , thread1 = \dut.thread1_q , thread2 = \dut.thread2_q ;
    wire [31:0] ack0_data = \dut.ack0_data_q , ack1_data = \dut.ack1_data_q ;
    wire [31:0] row_a1 = \dut.row_a1 , row_b1 = \dut.row_b1 , row_a2 = \dut.row_a2_q , row_b2 = \dut.row_b2_q ;
    wire [11:0] place = \dut.place_q , ring_head = \dut.pool.head_q , ring_tail = \dut.pool.tail_q ;
    wire [12:0] fresh = \dut.pool.fresh_q , pool_used = \dut.pool.used_q ;
    wire [31:0] entry_read = \dut.entries_read_data , link_read = \dut.links_read_data , back_read = \dut.backs_read_data , ring_read = \dut.pool.ring_read_data ;

    // Ghost: per entry whether a list has it, which, and its place there.
    reg [3:0] used = 0;
    reg [3:0][1:0] in = 0, rank = 0;
    wire [3:0][2:0] length;
    reg gave = 0;
    genvar e, f, k;
    generate
        for (k = 0; k < 4; k = k + 1) begin : lengths
            assign length[k] = (used[0] && in[0] == k) + (used[1] && in[1] == k) + (used[2] && in[2] == k) + (used[3] && in[3] == k);
        end
        for (e = 0; e < 4; e = e + 1) begin : places
            always @(posedge clock) begin
                if (op_valid && op_kind == 0 && op_entry == e) begin
                    used[e] <= 1;
                    in[e] <= op_sem[1:0];
                    rank[e] <= length[op_sem[1:0]][1:0];
                end
                if (op_valid && op_kind == 1 && op_entry == e) used[e] <= 0;
                if (op_valid && op_kind == 1 && op_entry != e && used[e] && in[e] == op_sem[1:0]) rank[e] <= rank[e] - 1;
            end
        end
    endgenerate
    always @(posedge clock) gave <= \dut.pool_give ;


    wire [11:0] ringed = ring_tail - ring_head;
    wire [12:0] free = 13'd4 - pool_used;
    wire [1:0] at_head = ring_head[1:0];
    wire [2:0] reserved = (v1 && !release1 && !probe1) + (v2 && !release2 && !probe2);
    wire nonempty2 = row_a2[25], single2 = row_a2[24], exists2 = sem2 < 4;
    wire [1:0] behind2 = row_b2[17:16];
    wire [1:0] looked = walk ? place[1:0] : behind2;
    wire [1:0] place_rank = rank[place[1:0]];
    wire inside1 = v1 && !probe1 && sem1 == {14'b0, s};
    wire inside2 = v2 && !probe2 && !skip && sem2 == {14'b0, s};
    wire [4:0] message1 = release1 ? {1'b1, thread1[1:0], 2'b0} : {1'b0, thread1[1:0], \dut.auto1_q , \dut.suppress1_q };
    wire [4:0] message2 = release2 ? {1'b1, thread2[1:0], 2'b0} : {1'b0, thread2[1:0], \dut.auto2_q , \dut.suppress2_q };
    wire due0 = ack0 && ack0_data[15:0] == {14'b0, s};
    wire due1 = ack1 && ack1_data[15:0] == {14'b0, s};
