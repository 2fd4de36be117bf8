; Divergence, multiplication, memory of several widths, atomics and float operations in a loop, for `quadlock crosscheck` on a core whose memory answers late and stalls.
; One buffer of 0x4000 bytes: 16 bytes per lane at 0, one at 0x1000, an atomic word at 0x2000, 16 bytes per lane at 0x3000.
    S2R r1, local_index
    S2R r2, group_x
    IMAD r3, r2, #8, r1
    MOV r14, c[8]
    SHL r4, r3, #4
    IADD r4, r4, r14
    IADD r15, r3, r14
    MOV r5, #0
    AND r6, r1, #3
loop:
    IADD r5, r5, #1
    IMAD r7, r5, r3, r5
    ST.32 [r4], r7
    LD.S8 r8, [r4+1]
    ATOM32.ADD r9, [r14+0x2000], r5
    FADD r10, r7, r9
    FMUL r11, r10, #1.5f
    FFMA r12, r11, r10, r8
    ST.8 [r15+0x1000], r8
    SSETGT r13, r5, r6
    BZ r13, loop
    ST.128 [r4+0x3000], r8
    END
