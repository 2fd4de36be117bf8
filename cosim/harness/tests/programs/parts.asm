; Threads that wait, append to a log and release: what the lockstep tests and the planted faults run.
; Part 0 (counter 0) waits, appends and releases; part 1 (3) appends and releases; part 2 (5) waits and appends; part 3 (8) does so between ACS and RLS; part 4 (11) after ASR.
; Appending: lane 0 stores the thread's number at 0x3000 + 4 * (old value of the word at 0x2F00). The semaphore that a thread releases is its group_y.
    WTS
    S2R r1, group_y
    BRA append
    S2R r1, group_y
    BRA append
    WTS
    MOV r1, #0xffffffff
    BRA append
    S2R r1, group_y
    ACS r1
    BRA append
    ASR #6
    MOV r1, #0xffffffff
append:
    S2R r2, lane
    BNZ r2, done
    MOV r3, #0x2f00
    MOV r4, #1
    ATOM32.ADD r5, [r3], r4
    S2R r6, group_x
    SHL r5, r5, #2
    ST.32 [r5+0x3000], r6
done:
    SSETLT r7, r1, #0
    BNZ r7, end
    RLS r1
end:
    END
