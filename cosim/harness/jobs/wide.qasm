; Operations once for the warp among everything else, for `quadlock crosscheck` on every execution and result option: lanes leave the loop one by one, so each turn has another mask; a lock with work that is
; not atomic; both widths; reductions, scans, ballot, permute; results to some lanes of a register (the others keep theirs); atomics per lane and in shared storage between them.
; One buffer of 0x4000 bytes: counters at 0, whose ends are known; 64 bytes of results per lane at 0x1000; a word per lane at 0x2000.
    S2R r1, local_index
    S2R r2, group_x
    IMAD r3, r2, #6, r1
    MOV r0, c[8]
    SHL r4, r3, #6
    IADD r4, r4, r0
    AND r6, r1, #3
    AND r7, r1, #1
    MOV r5, #0
    MOV r20, #0
    MOV r21, #0
    MOV r28, #1
    MOV r29, #0
    MOV r30, #-1
    MOV r31, #0
loop:
    IADD r5, r5, #1
    WRED.ADD r8, r28
    WATOM32.ADD r9, [r0], r28
    WATOM32.ADD r10, [r0+0x4], r8
    WATOM64.ADD r16, [r0+0x8], r30
    WSCAN.ADD r11, r28
    IADD r11, r11, r10
    ATOM32.ADD r12, [r0+0x18], r5
spin:
    WATOM32.LOCK r13, [r0+0x10], r28
    BZ r13, spin
    LD.32 r14, [r0+0x14]
    IADD r14, r14, r8
    ST.32 [r0+0x14], r14
    WATOM32.LOCK r13, [r0+0x10], r29
    BNZ r7, odd
    WATOM32.UMAX r15, [r0+0x1C], r5
    WATOM32.XCHG r18, [r0+0x20], r3
    BRA join
odd:
    WATOM32.SUB r15, [r0+0x24], r5
    MOV r18, r6
join:
    IADD r19, r15, r18
    WATOM64.CAS r20, [r0+0x28], r16, r20
    WATOM32.XOR r22, [r4+0x2000], r9
    WBALLOT r23, r7
    QSHUF r24, r19, r6
    WRED.SMAX r24, r24
    ATOMS32.ADD r25, [r29], r28
    ST.128 [r4+0x1000], r8
    ST.128 [r4+0x1010], r12
    ST.128 [r4+0x1020], r18
    ST.128 [r4+0x1030], r22
    SSETGT r13, r5, r6
    BZ r13, loop
    END
