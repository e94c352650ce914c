//go:build !purego

#include "textflag.h"

// The row kernels, by hand: avo writes amd64 alone. As there, eight accumulators have
// a lane each and are fed by scalar loads, so that the sums are those of the Go loops.
//
// R0 table   R1 ids   R2 entries   R3 ids left   R4-R11 ids of a turn   R12 ids done
// R14 address of an entry   R20 values   F0-F7 lanes   F16-F18 of a term   F20 d

// ROW calls TERM(id, lane, offset of the value) for the eight ids of every turn, then
// for each of the rest, whose lane is the place in the turn. Ids are compared with the
// table's length first; one that is outside ends the loop.
#define ROW(TERM, VALUE) \
	MOVD ZR, R12; \
	SUBS $8, R3, R3; \
	BLT  rest; \
turn: \
	LDPW (R1), (R4, R5); \
	LDPW 8(R1), (R6, R7); \
	LDPW 16(R1), (R8, R9); \
	LDPW 24(R1), (R10, R11); \
	CMP  R2, R4; \
	CCMP LO, R5, R2, $2; \ // 2: not lower, once an id before was not
	CCMP LO, R6, R2, $2; \
	CCMP LO, R7, R2, $2; \
	CCMP LO, R8, R2, $2; \
	CCMP LO, R9, R2, $2; \
	CCMP LO, R10, R2, $2; \
	CCMP LO, R11, R2, $2; \
	BHS  end; \
	TERM(R4, F0, 0); \
	TERM(R5, F1, 4); \
	TERM(R6, F2, 8); \
	TERM(R7, F3, 12); \
	TERM(R8, F4, 16); \
	TERM(R9, F5, 20); \
	TERM(R10, F6, 24); \
	TERM(R11, F7, 28); \
	ADD  $32, R1; \
	ADD  $(8*VALUE), R20; \
	ADD  $8, R12; \
	SUBS $8, R3, R3; \
	BGE  turn; \
rest: \
	ADD  $8, R3; \
	REST(TERM, F0, VALUE); \
	REST(TERM, F1, VALUE); \
	REST(TERM, F2, VALUE); \
	REST(TERM, F3, VALUE); \
	REST(TERM, F4, VALUE); \
	REST(TERM, F5, VALUE); \
	REST(TERM, F6, VALUE); \
end:

#define REST(TERM, LANE, VALUE) \
	CBZ     R3, end; \
	MOVWU.P 4(R1), R4; \
	CMP     R2, R4; \
	BHS     end; \
	TERM(R4, LANE, 0); \
	ADD     $VALUE, R20; \
	ADD     $1, R12; \
	SUB     $1, R3

// VALUE is the size of a value where rows have values.
#define BINARY 0
#define VALUED 4

#define ARGS \
	MOVD table_base+0(FP), R0; \
	MOVD table_len+8(FP), R2; \
	MOVD idx_base+24(FP), R1; \
	MOVD idx_len+32(FP), R3

#define LANES \
	FMOVD ZR, F0; \
	FMOVD ZR, F1; \
	FMOVD ZR, F2; \
	FMOVD ZR, F3; \
	FMOVD ZR, F4; \
	FMOVD ZR, F5; \
	FMOVD ZR, F6; \
	FMOVD ZR, F7

// MEET adds the lanes in the order of the package comment.
#define MEET(ADD) \
	ADD F4, F0, F0; \
	ADD F6, F2, F2; \
	ADD F5, F1, F1; \
	ADD F7, F3, F3; \
	ADD F2, F0, F0; \
	ADD F3, F1, F1; \
	ADD F1, F0, F0

// A slot is loaded whole: U is then what a float32 instruction sees of the register.
#define SUM_SLOT(ID, LANE, OFF) \
	FMOVD (R0)(ID<<3), F16; \
	FADDS F16, LANE, LANE

// func sumSlotsAsm(table []uint64, idx []uint32) (sum float32, done int)
TEXT ·sumSlotsAsm(SB), NOSPLIT, $0-64
	ARGS
	LANES
	ROW(SUM_SLOT, BINARY)
	MEET(FADDS)
	FMOVS F0, sum+48(FP)
	MOVD  R12, done+56(FP)
	RET

#define SUM_SCALE(ID, LANE, OFF) \
	ADD   ID<<3, R0, R14; \
	FMOVS 4(R14), F16; \
	FADDS F16, LANE, LANE

// func sumScalesAsm(table []uint64, idx []uint32) (sum float32, done int)
TEXT ·sumScalesAsm(SB), NOSPLIT, $0-64
	ARGS
	LANES
	ROW(SUM_SCALE, BINARY)
	MEET(FADDS)
	FMOVS F0, sum+48(FP)
	MOVD  R12, done+56(FP)
	RET

#define DOT_SLOT(ID, LANE, OFF) \
	FMOVD (R0)(ID<<3), F16; \
	FMOVS OFF(R20), F17; \
	FMULS F17, F16, F16; \
	FADDS F16, LANE, LANE

// func dotSlotsAsm(table []uint64, idx []uint32, val []float32) (sum float32, done int)
TEXT ·dotSlotsAsm(SB), NOSPLIT, $0-88
	ARGS
	MOVD  val_base+48(FP), R20
	LANES
	ROW(DOT_SLOT, VALUED)
	MEET(FADDS)
	FMOVS F0, sum+72(FP)
	MOVD  R12, done+80(FP)
	RET

#define ADD_SLOT(ID, LANE, OFF) \
	ADD   ID<<3, R0, R14; \
	FLDPS (R14), (F16, F17); \
	FMULS F20, F17, F17; \
	FADDS F17, F16, F16; \
	FMOVS F16, (R14)

// func addSlotsAsm(table []uint64, idx []uint32, d float32) (done int)
TEXT ·addSlotsAsm(SB), NOSPLIT, $0-64
	ARGS
	FMOVS d+48(FP), F20
	ROW(ADD_SLOT, BINARY)
	MOVD  R12, done+56(FP)
	RET

#define AXPY_SLOT(ID, LANE, OFF) \
	ADD   ID<<3, R0, R14; \
	FMOVS OFF(R20), F18; \
	FLDPS (R14), (F16, F17); \
	FMULS F20, F18, F18; \
	FMULS F18, F17, F17; \
	FADDS F17, F16, F16; \
	FMOVS F16, (R14)

// func axpySlotsAsm(table []uint64, idx []uint32, val []float32, d float32) (done int)
TEXT ·axpySlotsAsm(SB), NOSPLIT, $0-88
	ARGS
	MOVD  val_base+48(FP), R20
	FMOVS d+72(FP), F20
	ROW(AXPY_SLOT, VALUED)
	MOVD  R12, done+80(FP)
	RET

#define SUM_64(ID, LANE, OFF) \
	FMOVD (R0)(ID<<3), F16; \
	FADDD F16, LANE, LANE

// func sum64Asm(table []float64, idx []uint32) (sum float64, done int)
TEXT ·sum64Asm(SB), NOSPLIT, $0-64
	ARGS
	LANES
	ROW(SUM_64, BINARY)
	MEET(FADDD)
	FMOVD F0, sum+48(FP)
	MOVD  R12, done+56(FP)
	RET

#define ADD_64(ID, LANE, OFF) \
	FMOVD (R0)(ID<<3), F16; \
	FADDD F20, F16, F16; \
	FMOVD F16, (R0)(ID<<3)

// func add64Asm(table []float64, idx []uint32, d float64) (done int)
TEXT ·add64Asm(SB), NOSPLIT, $0-64
	ARGS
	FMOVD d+48(FP), F20
	ROW(ADD_64, BINARY)
	MOVD  R12, done+56(FP)
	RET

#define DOT_64(ID, LANE, OFF) \
	FMOVS  OFF(R20), F17; \
	FMOVD  (R0)(ID<<3), F16; \
	FCVTSD F17, F17; \
	FMULD  F17, F16, F16; \
	FADDD  F16, LANE, LANE

// func dot64Asm(table []float64, idx []uint32, val []float32) (sum float64, done int)
TEXT ·dot64Asm(SB), NOSPLIT, $0-88
	ARGS
	MOVD  val_base+48(FP), R20
	LANES
	ROW(DOT_64, VALUED)
	MEET(FADDD)
	FMOVD F0, sum+72(FP)
	MOVD  R12, done+80(FP)
	RET

#define SQUARE_64(ID, LANE, OFF) \
	FMOVS  OFF(R20), F17; \
	FMOVD  (R0)(ID<<3), F16; \
	FCVTSD F17, F17; \
	FMULD  F17, F17, F17; \
	FMULD  F17, F16, F16; \
	FADDD  F16, LANE, LANE

// func sumSquares64Asm(table []float64, idx []uint32, val []float32) (sum float64, done int)
TEXT ·sumSquares64Asm(SB), NOSPLIT, $0-88
	ARGS
	MOVD  val_base+48(FP), R20
	LANES
	ROW(SQUARE_64, VALUED)
	MEET(FADDD)
	FMOVD F0, sum+72(FP)
	MOVD  R12, done+80(FP)
	RET

#define AXPY_64(ID, LANE, OFF) \
	FMOVS  OFF(R20), F17; \
	FMOVD  (R0)(ID<<3), F16; \
	FCVTSD F17, F17; \
	FMULD  F20, F17, F17; \
	FADDD  F17, F16, F16; \
	FMOVD  F16, (R0)(ID<<3)

// func axpy64Asm(table []float64, idx []uint32, val []float32, d float64) (done int)
TEXT ·axpy64Asm(SB), NOSPLIT, $0-88
	ARGS
	MOVD  val_base+48(FP), R20
	FMOVD d+72(FP), F20
	ROW(AXPY_64, VALUED)
	MOVD  R12, done+80(FP)
	RET

#define PREFETCH_ENTRY(ID) \
	ADD  ID<<3, R0, R14; \
	PRFM (R14), PLDL1KEEP

// func prefetchEntries(table []uint64, idx []uint32, from uint32)
TEXT ·prefetchEntries(SB), NOSPLIT, $0-52
	ARGS
	MOVWU from+48(FP), R12
	ADD   R3<<2, R1 // goes through the row from its end
turn:
	SUBS  $4, R3, R3
	BLT   end
	SUB   $16, R1
	LDPW  (R1), (R4, R5)
	LDPW  8(R1), (R6, R7)
	PREFETCH_ENTRY(R4)
	PREFETCH_ENTRY(R5)
	PREFETCH_ENTRY(R6)
	PREFETCH_ENTRY(R7)
	CMP   R12, R4
	BHS   turn
end:
	RET

// func prefetchIDs(idx []uint32)
TEXT ·prefetchIDs(SB), NOSPLIT, $0-24
	MOVD idx_base+0(FP), R1
	MOVD idx_len+8(FP), R3
line:
	PRFM (R1), PLDL1KEEP
	ADD  $64, R1
	SUBS $16, R3, R3
	BGT  line
	RET

// func prefetchLine(p *byte)
TEXT ·prefetchLine(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	PRFM (R0), PLDL1KEEP
	RET
