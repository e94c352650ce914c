//go:build !purego

#include "textflag.h"

// func elements(dst, src []byte, d, s int, of *[256]element) (toD, toS int)
//
// DI is where the next element goes, SI its tag's place, and AX the tag, which is loaded as early as can be: each waits
// for the one before it. R8 begins dst; DI and SI stop at R9 and R10.
TEXT ·elements(SB), NOSPLIT, $0-88
	MOVQ    dst_base+0(FP), R8
	MOVQ    dst_len+8(FP), R9
	MOVQ    src_base+24(FP), DX
	MOVQ    src_len+32(FP), R10
	MOVQ    d+48(FP), DI
	MOVQ    s+56(FP), SI
	MOVQ    of+64(FP), R15
	LEAQ    -64(R8)(R9*1), R9
	LEAQ    -70(DX)(R10*1), R10
	ADDQ    R8, DI
	ADDQ    DX, SI
	MOVBLZX (SI), AX

loop:
	MOVL    (R15)(AX*8), BX    // mask
	MOVL    1(SI), R13
	MOVWLZX 4(R15)(AX*8), DX   // high
	LEAQ    1(SI), R12         // a literal's bytes
	MOVBLZX 6(R15)(AX*8), CX   // length
	MOVBLZX 7(R15)(AX*8), AX   // advance
	ADDQ    AX, SI
	MOVBLZX (SI), AX
	ANDL    BX, R13
	ADDQ    DX, R13            // offset
	MOVQ    DI, R11
	SUBQ    R8, R11
	CMPQ    R13, $16
	JB      unusual
	CMPQ    R13, R11
	JA      unusual
	MOVQ    DI, R11
	SUBQ    R13, R11           // a copy's bytes
	TESTL   BX, BX
	CMOVQEQ R12, R11
	MOVOU   (R11), X0
	MOVOU   X0, (DI)
	CMPL    CX, $16
	JA      more

next:
	ADDQ CX, DI
	CMPQ DI, R9
	JAE  done
	CMPQ SI, R10
	JB   loop
	JMP  done

more:
	// With an offset of 16 and more, what is loaded has been stored.
	MOVOU 16(R11), X0
	MOVOU X0, 16(DI)
	MOVOU 32(R11), X0
	MOVOU X0, 32(DI)
	MOVOU 48(R11), X0
	MOVOU X0, 48(DI)
	JMP   next

unusual:
	LEAQ -1(R12), SI

done:
	MOVQ src_base+24(FP), DX
	SUBQ R8, DI
	SUBQ DX, SI
	MOVQ DI, toD+72(FP)
	MOVQ SI, toS+80(FP)
	RET
