//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// By hand as rows_arm64.s: sixteen sums of all rows in registers, then the next ones. More
// would only wait for the adders.
//
// R0 sums   R1 sums left   R2 table   R3 rows   R4 end of the rows   R5 where none is
// far enough ahead   R6 bytes of a row   R7 place in the rows   F0-F7 sums

// AHEAD is how many rows before they are added they are asked for, in bytes of ids.
#define AHEAD (4*16)

// LINE adds a line of the cache of the row at R14.
#define LINE(OFF, A, B, C, D) \
	FLDPQ OFF(R14), (F16, F17); \
	FLDPQ (OFF+32)(R14), (F18, F19); \
	FADD_2D(16, A, A); \
	FADD_2D(17, B, B); \
	FADD_2D(18, C, C); \
	FADD_2D(19, D, D)

// func addRowsAsm(sums, table []float64, rows []uint32, n int)
TEXT ·addRowsAsm(SB), NOSPLIT, $0-80
	MOVD sums_base+0(FP), R0
	MOVD sums_len+8(FP), R1
	MOVD table_base+24(FP), R2
	MOVD rows_base+48(FP), R3
	MOVD rows_len+56(FP), R5
	MOVD n+72(FP), R4
	ADD  R4<<2, R3, R4
	ADD  R5<<2, R3, R5
	SUB  $AHEAD, R5
	LSL  $3, R1, R6
two:
	SUBS  $16, R1
	BLT   one
	FLDPQ (R0), (F0, F1)
	FLDPQ 32(R0), (F2, F3)
	FLDPQ 64(R0), (F4, F5)
	FLDPQ 96(R0), (F6, F7)
	MOVD  R3, R7
row2:
	CMP     R5, R7
	BHS     asked2
	MOVWU   AHEAD(R7), R14
	MADD    R6, R2, R14, R14
	PRFM    (R14), PLDL1KEEP
	PRFM    64(R14), PLDL1KEEP
asked2:
	MOVWU.P 4(R7), R14
	MADD    R6, R2, R14, R14
	LINE(0, 0, 1, 2, 3)
	LINE(64, 4, 5, 6, 7)
	CMP     R4, R7
	BLO     row2
	FSTPQ   (F0, F1), (R0)
	FSTPQ   (F2, F3), 32(R0)
	FSTPQ   (F4, F5), 64(R0)
	FSTPQ   (F6, F7), 96(R0)
	ADD     $128, R0
	ADD     $128, R2
	B       two

one:
	ADDS  $16, R1
	BEQ   end
	FLDPQ (R0), (F0, F1)
	FLDPQ 32(R0), (F2, F3)
	MOVD  R3, R7
row1:
	CMP     R5, R7
	BHS     asked1
	MOVWU   AHEAD(R7), R14
	MADD    R6, R2, R14, R14
	PRFM    (R14), PLDL1KEEP
asked1:
	MOVWU.P 4(R7), R14
	MADD    R6, R2, R14, R14
	LINE(0, 0, 1, 2, 3)
	CMP     R4, R7
	BLO     row1
	FSTPQ   (F0, F1), (R0)
	FSTPQ   (F2, F3), 32(R0)
end:
	RET
