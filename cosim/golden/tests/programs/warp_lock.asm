; `while (!try_lock()); counter += lanes; unlock();` with the warp's lock: the work is done for every lane, one after the other.
; Lock word at 0x1200, counter at 0x1240. Whoever includes this goes on behind it: r2 points to the lock, r3 is 1, r4 is 0, r6 is the number of active lanes.
    MOV r2, #0x1200
    MOV r3, #1
    MOV r4, #0
again:
    WATOM32.LOCK r5, [r2], r3
    BZ r5, again
    WBALLOT r6, r3
    POPC r6, r6
    LD.32 r7, [r2+0x40]
    IADD r7, r7, r6
    ST.32 [r2+0x40], r7
    WATOM32.LOCK r5, [r2], r4
