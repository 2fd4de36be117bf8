# RV32I program for vexriscv_system.v. Results go to 0x80000000, in order: primes below 256, CRC-32 of "123456789", the sorted words' checksum, the greatest
# common divisor of 1071 and 462, Fibonacci number 40, and a signed arithmetic mix. A write to 0x80000004 ends it.
_start:
        lui     s0, 0x80000
        li      sp, 0xff0
# Sieve of Eratosthenes over 256 bytes at 0x800.
        li      t0, 0x800
        li      t1, 256
        mv      t2, t0
clear:  sb      x0, 0(t2)
        addi    t2, t2, 1
        addi    t1, t1, -1
        bnez    t1, clear
        li      a0, 0
        li      t1, 2
sieve:  add     t2, t0, t1
        lbu     t3, 0(t2)
        bnez    t3, next
        addi    a0, a0, 1
        slli    t4, t1, 1
        li      t5, 256
        li      t6, 1
mark:   bgeu    t4, t5, next
        add     t2, t0, t4
        sb      t6, 0(t2)
        add     t4, t4, t1
        j       mark
next:   addi    t1, t1, 1
        li      t5, 256
        bltu    t1, t5, sieve
        sw      a0, 0(s0)
# CRC-32, bit by bit.
        la      a1, digits
        li      a2, 9
        li      a0, -1
        lui     t3, 0xedb88
        addi    t3, t3, 0x320
byte:   lbu     t0, 0(a1)
        xor     a0, a0, t0
        li      t1, 8
bit:    andi    t2, a0, 1
        srli    a0, a0, 1
        beqz    t2, even
        xor     a0, a0, t3
even:   addi    t1, t1, -1
        bnez    t1, bit
        addi    a1, a1, 1
        addi    a2, a2, -1
        bnez    a2, byte
        not     a0, a0
        sw      a0, 0(s0)
# Bubble sort of eight signed words, then a rotating checksum.
        la      a1, words
        li      a2, 7
pass:   mv      a3, a1
        mv      a4, a2
pair:   lw      t0, 0(a3)
        lw      t1, 4(a3)
        bge     t1, t0, keep
        sw      t1, 0(a3)
        sw      t0, 4(a3)
keep:   addi    a3, a3, 4
        addi    a4, a4, -1
        bnez    a4, pair
        addi    a2, a2, -1
        bnez    a2, pass
        li      a0, 0
        li      a2, 8
sum:    slli    t0, a0, 5
        srli    t1, a0, 27
        or      a0, t0, t1
        lw      t0, 0(a1)
        xor     a0, a0, t0
        addi    a1, a1, 4
        addi    a2, a2, -1
        bnez    a2, sum
        sw      a0, 0(s0)
# Greatest common divisor by a function.
        li      a0, 1071
        li      a1, 462
        jal     ra, gcd
        sw      a0, 0(s0)
# Fibonacci, recursion-free.
        li      a0, 0
        li      a1, 1
        li      a2, 40
fib:    add     t0, a0, a1
        mv      a0, a1
        mv      a1, t0
        addi    a2, a2, -1
        bnez    a2, fib
        sw      a0, 0(s0)
# Signed bytes and halfwords, comparisons, arithmetic shifts.
        la      a1, words
        lb      t0, 0(a1)
        lh      t1, 4(a1)
        lhu     t2, 8(a1)
        sub     t3, t0, t1
        sra     t4, t3, t2
        slt     t5, t0, t1
        sltu    t6, t0, t1
        sh      t4, 2(a1)
        lw      a0, 0(a1)
        sll     t5, t5, t2
        add     a0, a0, t5
        add     a0, a0, t6
        xori    a0, a0, -256
        sltiu   t0, a0, 100
        add     a0, a0, t0
        sw      a0, 0(s0)
        sw      a0, 4(s0)
end:    j       end

gcd:    addi    sp, sp, -16
        sw      ra, 12(sp)
loop:   beq     a0, a1, out
        bltu    a0, a1, less
        sub     a0, a0, a1
        j       loop
less:   sub     a1, a1, a0
        j       loop
out:    lw      ra, 12(sp)
        addi    sp, sp, 16
        jalr    x0, 0(ra)

digits: .ascii  "123456789\0\0\0"
words:  .word   17, -5, 0x7fffffff, -2147483648, 42, 0, -1, 1000
