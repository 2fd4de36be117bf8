; Lanes that come late to operations once for the warp (WW-27), for every value of `warp-wide-late`:
; groups of 7 invocations, so warps of four lanes and of three. Lanes jump forward past
; the operation, the others execute it and jump past them, and they jump back. Both widths, the lock
; form, both memories; then what ends an encounter: a turn of a loop, a meeting, a barrier.
; One buffer: 64 bytes per warp, 64 bytes of results per invocation at 0x1000. A warp's last 16
; bytes are its words of shared storage.
    S2R r1, local_index
    S2R r2, group_x
    SHL r3, r2, #3
    IADD r3, r3, r1
    SHL r5, r3, #4
    AND r5, r5, #0xFFFFFFC0
    IADD r5, r5, c[8]
    SHL r6, r3, #6
    IADD r6, r6, c[8]
    SHR r7, r1, #2
    SHL r7, r7, #4
    S2R r8, shared_base
    IADD r7, r7, r8
    S2R r8, lane
    AND r9, r8, #1
    AND r10, r8, #2
    MOV r11, #5
    MOV r12, #0xFFFFFFFF
    MOV r13, #0
    MOV r16, #0
    MOV r17, #0
    MOV r18, #0
    MOV r19, #0
    MOV r21, #0
    MOV r30, #1
    MOV r31, #0
    STS.128 [r7], r16
; Two groups come late: lane 1, then lane 3. Each lane makes the result its own: nobody else's may
; be written again.
    BNZ r9, far_32
place_32:
    WATOM32.ADD r20, [r5], r11
    IADD r20, r20, r8
    BRA beyond_32
far_32:
    BNZ r10, farther
    BRA place_32
farther:
    BRA place_32
beyond_32:
; 64 bits, with a high word that is not 0; lanes 0 and 1 come late.
    WATOM64.ADD r22, [r5+0x8], r12
    WATOM64.ADD r22, [r5+0x8], r12
    BZ r10, far_64
place_64:
    WATOM64.ADD r22, [r5+0x8], r12
    BRA beyond_64
far_64:
    BRA place_64
beyond_64:
; The lock is taken for all, then by nobody.
    BZ r9, far_lock
place_lock:
    WATOM32.LOCK r24, [r5+0x4], r30
    BRA beyond_lock
far_lock:
    BRA place_lock
beyond_lock:
    BNZ r8, far_taken
place_taken:
    WATOM32.LOCK r25, [r5+0x4], r30
    BRA beyond_taken
far_taken:
    BRA place_taken
beyond_taken:
; Shared storage, both widths; between execution and late arrival stands a result of the other
; memory.
    BZ r10, far_s32
place_s32:
    WATOMS32.ADD r16, [r7], r11
    BRA beyond_s32
far_s32:
    BRA place_s32
beyond_s32:
    WATOMS64.ADD r18, [r7+0x8], r12
    WATOMS64.ADD r18, [r7+0x8], r12
    BZ r10, far_s64
place_s64:
    WATOMS64.ADD r18, [r7+0x8], r12
    BRA beyond_s64
far_s64:
    BRA place_s64
beyond_s64:
; Each turn of the lanes that take part is an encounter: the others get the last result, once, and
; then execute.
    MOV r14, #0
    BNZ r9, far_turns
place_turns:
    WATOM32.ADD r26, [r5+0x18], r11
    IADD r14, r14, #1
    USETLT r15, r14, #3
    BNZ r15, place_turns
    BRA beyond_turns
far_turns:
    BRA place_turns
beyond_turns:
; Lanes that have met the others execute.
    MOV r14, #0
    BNZ r9, met
place_met:
    WATOM32.ADD r27, [r5+0x1C], r11
met:
    IADD r14, r14, #1
    USETLT r15, r14, #2
    AND r15, r15, r9
    BNZ r15, place_met
; A turn without the operation ends the encounter.
    MOV r14, #0
    BNZ r9, far_turn
turn:
    BNZ r14, turned
place_turn:
    WATOM32.ADD r28, [r5+0x20], r11
turned:
    IADD r14, r14, #1
    USETLT r15, r14, #2
    BNZ r15, turn
    BRA beyond_turn
far_turn:
    BRA place_turn
beyond_turn:
; So does a barrier.
    BNZ r9, far_barrier
place_barrier:
    WATOM32.ADD r29, [r5+0x24], r11
    BAR
    BRA barrier
far_barrier:
    BRA place_barrier
barrier:
    LDS.128 r12, [r7]
    ST.128 [r5+0x30], r12
    ST.128 [r6+0x1000], r16
    ST.128 [r6+0x1010], r20
    ST.128 [r6+0x1020], r24
    ST.128 [r6+0x1030], r28
    END
