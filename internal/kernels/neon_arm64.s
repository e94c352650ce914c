//go:build !purego

#include "textflag.h"

// Vector instructions that the assembler has no names for, of registers' numbers in its
// order: the comment is how Arm writes them.

// FADD Vd.4S, Vn.4S, Vm.4S
#define FADD_4S(M, N, D) WORD $(0x4E20D400 | (M)<<16 | (N)<<5 | (D))

// FADD Vd.2D, Vn.2D, Vm.2D
#define FADD_2D(M, N, D) WORD $(0x4E60D400 | (M)<<16 | (N)<<5 | (D))

// FCVTL, FCVTL2 Vd.2D, Vn.2S and Vn.4S: the lower and the upper half as float64.
#define FCVTL(N, D) WORD $(0x0E617800 | (N)<<5 | (D))
#define FCVTL2(N, D) WORD $(0x4E617800 | (N)<<5 | (D))

// SADDW, SADDW2 Vd.4S, Vn.4S, Vm.4H and Vm.8H: the lower and the upper half are added.
#define SADDW(M, N, D) WORD $(0x0E601000 | (M)<<16 | (N)<<5 | (D))
#define SADDW2(M, N, D) WORD $(0x4E601000 | (M)<<16 | (N)<<5 | (D))

// FMUL Vd.4S, Vn.4S, Vm.S[0]
#define FMUL_4S_BY(M, N, D) WORD $(0x4F809000 | (M)<<16 | (N)<<5 | (D))

// STR Qt, [Xn, Xm]
#define STORE_AT(T, M, N) WORD $(0x3CA06800 | (M)<<16 | (N)<<5 | (T))

// SUM_ARGS and STEP_ARGS load the arguments of the group kernels, which are described below.
#define SUM_ARGS \
	MOVD table_base+8(FP), R0; \
	MOVD table_len+16(FP), R2; \
	MOVD idx_base+32(FP), R1; \
	MOVD idx_len+40(FP), R3

#define STEP_ARGS \
	MOVD table_base+0(FP), R0; \
	MOVD table_len+8(FP), R2; \
	MOVD scales_base+24(FP), R21; \
	MOVD idx_base+48(FP), R1; \
	MOVD idx_len+56(FP), R3

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

// COMBINE adds the lanes in the order of the package comment.
#define COMBINE(ADD) \
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

// func sumSlotsVector(table []uint64, idx []uint32) (sum float32, done int)
TEXT ·sumSlotsVector(SB), NOSPLIT, $0-64
	ARGS
	LANES
	ROW(SUM_SLOT, BINARY)
	COMBINE(FADDS)
	FMOVS F0, sum+48(FP)
	MOVD  R12, done+56(FP)
	RET

#define SUM_SCALE(ID, LANE, OFF) \
	ADD   ID<<3, R0, R14; \
	FMOVS 4(R14), F16; \
	FADDS F16, LANE, LANE

// func sumScalesVector(table []uint64, idx []uint32) (sum float32, done int)
TEXT ·sumScalesVector(SB), NOSPLIT, $0-64
	ARGS
	LANES
	ROW(SUM_SCALE, BINARY)
	COMBINE(FADDS)
	FMOVS F0, sum+48(FP)
	MOVD  R12, done+56(FP)
	RET

#define DOT_SLOT(ID, LANE, OFF) \
	FMOVD (R0)(ID<<3), F16; \
	FMOVS OFF(R20), F17; \
	FMULS F17, F16, F16; \
	FADDS F16, LANE, LANE

// func dotSlotsVector(table []uint64, idx []uint32, val []float32) (sum float32, done int)
TEXT ·dotSlotsVector(SB), NOSPLIT, $0-88
	ARGS
	MOVD  val_base+48(FP), R20
	LANES
	ROW(DOT_SLOT, VALUED)
	COMBINE(FADDS)
	FMOVS F0, sum+72(FP)
	MOVD  R12, done+80(FP)
	RET

#define ADD_SLOT(ID, LANE, OFF) \
	ADD   ID<<3, R0, R14; \
	FLDPS (R14), (F16, F17); \
	FMULS F20, F17, F17; \
	FADDS F17, F16, F16; \
	FMOVS F16, (R14)

// func addSlotsVector(table []uint64, idx []uint32, d float32) (done int)
TEXT ·addSlotsVector(SB), NOSPLIT, $0-64
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

// func axpySlotsVector(table []uint64, idx []uint32, val []float32, d float32) (done int)
TEXT ·axpySlotsVector(SB), NOSPLIT, $0-88
	ARGS
	MOVD  val_base+48(FP), R20
	FMOVS d+72(FP), F20
	ROW(AXPY_SLOT, VALUED)
	MOVD  R12, done+80(FP)
	RET

#define SUM_64(ID, LANE, OFF) \
	FMOVD (R0)(ID<<3), F16; \
	FADDD F16, LANE, LANE

// func sum64Vector(table []float64, idx []uint32) (sum float64, done int)
TEXT ·sum64Vector(SB), NOSPLIT, $0-64
	ARGS
	LANES
	ROW(SUM_64, BINARY)
	COMBINE(FADDD)
	FMOVD F0, sum+48(FP)
	MOVD  R12, done+56(FP)
	RET

#define ADD_64(ID, LANE, OFF) \
	FMOVD (R0)(ID<<3), F16; \
	FADDD F20, F16, F16; \
	FMOVD F16, (R0)(ID<<3)

// func add64Vector(table []float64, idx []uint32, d float64) (done int)
TEXT ·add64Vector(SB), NOSPLIT, $0-64
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

// func dot64Vector(table []float64, idx []uint32, val []float32) (sum float64, done int)
TEXT ·dot64Vector(SB), NOSPLIT, $0-88
	ARGS
	MOVD  val_base+48(FP), R20
	LANES
	ROW(DOT_64, VALUED)
	COMBINE(FADDD)
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

// func sumSquares64Vector(table []float64, idx []uint32, val []float32) (sum float64, done int)
TEXT ·sumSquares64Vector(SB), NOSPLIT, $0-88
	ARGS
	MOVD  val_base+48(FP), R20
	LANES
	ROW(SQUARE_64, VALUED)
	COMBINE(FADDD)
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

// func axpy64Vector(table []float64, idx []uint32, val []float32, d float64) (done int)
TEXT ·axpy64Vector(SB), NOSPLIT, $0-88
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

// The group kernels, by hand as the row kernels. An entry is two registers, or four of double precision.
//
// R0 table   R1 ids   R2 entries   R3 ids left   R4-R7 ids of a turn   R12 ids done
// R14 address of an entry   R20 values   R21 scales   F0-F15 parts   F16-F21 of a term   F22-F25 d

// GROUP_ROW calls TERM(id, part) for the four ids of every turn, then for each of the rest,
// whose part is the place in the turn. Ids are compared with the table's length first;
// one that is outside ends the loop.
#define GROUP_ROW(TERM) \
	MOVD ZR, R12; \
	SUBS $4, R3, R3; \
	BLT  rest; \
turn: \
	LDPW (R1), (R4, R5); \
	LDPW 8(R1), (R6, R7); \
	CMP  R2, R4; \
	CCMP LO, R5, R2, $2; \ // 2: not lower, once an id before was not
	CCMP LO, R6, R2, $2; \
	CCMP LO, R7, R2, $2; \
	BHS  end; \
	TERM(R4, 0); \
	TERM(R5, 1); \
	TERM(R6, 2); \
	TERM(R7, 3); \
	ADD  $16, R1; \
	ADD  $4, R12; \
	SUBS $4, R3, R3; \
	BGE  turn; \
rest: \
	ADD  $4, R3; \
	GROUP_REST(TERM, 0); \
	GROUP_REST(TERM, 1); \
	GROUP_REST(TERM, 2); \
end:

#define GROUP_REST(TERM, PART) \
	CBZ     R3, end; \
	MOVWU.P 4(R1), R4; \
	CMP     R2, R4; \
	BHS     end; \
	TERM(R4, PART); \
	ADD     $1, R12; \
	SUB     $1, R3

// PARTS are four of two registers, PARTS_64 four of four.
#define PARTS \
	VMOVI $0, V0.B16; \
	VMOVI $0, V1.B16; \
	VMOVI $0, V2.B16; \
	VMOVI $0, V3.B16; \
	VMOVI $0, V4.B16; \
	VMOVI $0, V5.B16; \
	VMOVI $0, V6.B16; \
	VMOVI $0, V7.B16

#define PARTS_64 \
	PARTS; \
	VMOVI $0, V8.B16; \
	VMOVI $0, V9.B16; \
	VMOVI $0, V10.B16; \
	VMOVI $0, V11.B16; \
	VMOVI $0, V12.B16; \
	VMOVI $0, V13.B16; \
	VMOVI $0, V14.B16; \
	VMOVI $0, V15.B16

// GROUP_COMBINE adds the parts as (0+2)+(1+3) and writes the sum.
#define GROUP_COMBINE \
	FADD_4S(4, 0, 0); \
	FADD_4S(5, 1, 1); \
	FADD_4S(6, 2, 2); \
	FADD_4S(7, 3, 3); \
	FADD_4S(2, 0, 0); \
	FADD_4S(3, 1, 1); \
	FSTPQ (F0, F1), (R14)

#define TO_PART(PART) \
	FADD_4S(16, 2*PART, 2*PART); \
	FADD_4S(17, 2*PART+1, 2*PART+1)

#define SUM_GROUP(ID, PART) \
	ADD   ID<<5, R0, R14; \
	FLDPQ (R14), (F16, F17); \
	TO_PART(PART)

// func sumGroupsVector(sum *Group, table []Group, idx []uint32) (done int)
TEXT ·sumGroupsVector(SB), NOSPLIT, $0-64
	SUM_ARGS
	PARTS
	GROUP_ROW(SUM_GROUP)
	MOVD sum+0(FP), R14
	GROUP_COMBINE
	MOVD R12, done+56(FP)
	RET

#define DOT_GROUP(ID, PART) \
	ADD     ID<<5, R0, R14; \
	FMOVS.P 4(R20), F20; \
	FLDPQ   (R14), (F16, F17); \
	FMUL_4S_BY(20, 16, 16); \
	FMUL_4S_BY(20, 17, 17); \
	TO_PART(PART)

// func dotGroupsVector(sum *Group, table []Group, idx []uint32, val []float32) (done int)
TEXT ·dotGroupsVector(SB), NOSPLIT, $0-88
	SUM_ARGS
	MOVD val_base+56(FP), R20
	PARTS
	GROUP_ROW(DOT_GROUP)
	MOVD sum+0(FP), R14
	GROUP_COMBINE
	MOVD R12, done+80(FP)
	RET

#define ADD_GROUP(ID, PART) \
	ADD   ID<<2, R21, R14; \
	FMOVS (R14), F20; \
	ADD   ID<<5, R0, R14; \
	FLDPQ (R14), (F16, F17); \
	FMUL_4S_BY(20, 22, 18); \
	FMUL_4S_BY(20, 23, 19); \
	FADD_4S(18, 16, 16); \
	FADD_4S(19, 17, 17); \
	FSTPQ (F16, F17), (R14)

// func addGroupsVector(table []Group, scales []float32, idx []uint32, d *Group) (done int)
TEXT ·addGroupsVector(SB), NOSPLIT, $0-88
	STEP_ARGS
	MOVD  d+72(FP), R14
	FLDPQ (R14), (F22, F23)
	GROUP_ROW(ADD_GROUP)
	MOVD  R12, done+80(FP)
	RET

#define AXPY_GROUP(ID, PART) \
	ADD     ID<<2, R21, R14; \
	FMOVS   (R14), F21; \
	FMOVS.P 4(R20), F20; \
	ADD     ID<<5, R0, R14; \
	FLDPQ   (R14), (F16, F17); \
	FMUL_4S_BY(20, 22, 18); \
	FMUL_4S_BY(20, 23, 19); \
	FMUL_4S_BY(21, 18, 18); \
	FMUL_4S_BY(21, 19, 19); \
	FADD_4S(18, 16, 16); \
	FADD_4S(19, 17, 17); \
	FSTPQ   (F16, F17), (R14)

// func axpyGroupsVector(table []Group, scales []float32, idx []uint32, val []float32, d *Group) (done int)
TEXT ·axpyGroupsVector(SB), NOSPLIT, $0-112
	STEP_ARGS
	MOVD  val_base+72(FP), R20
	MOVD  d+96(FP), R14
	FLDPQ (R14), (F22, F23)
	GROUP_ROW(AXPY_GROUP)
	MOVD  R12, done+104(FP)
	RET

#define SUM_GROUP_64(ID, PART) \
	ADD   ID<<6, R0, R14; \
	FLDPQ (R14), (F16, F17); \
	FLDPQ 32(R14), (F18, F19); \
	FADD_2D(16, 4*PART, 4*PART); \
	FADD_2D(17, 4*PART+1, 4*PART+1); \
	FADD_2D(18, 4*PART+2, 4*PART+2); \
	FADD_2D(19, 4*PART+3, 4*PART+3)

// func sumGroups64Vector(sum *Group64, table []Group64, idx []uint32) (done int)
TEXT ·sumGroups64Vector(SB), NOSPLIT, $0-64
	SUM_ARGS
	PARTS_64
	GROUP_ROW(SUM_GROUP_64)
	FADD_2D(8, 0, 0)
	FADD_2D(9, 1, 1)
	FADD_2D(10, 2, 2)
	FADD_2D(11, 3, 3)
	FADD_2D(12, 4, 4)
	FADD_2D(13, 5, 5)
	FADD_2D(14, 6, 6)
	FADD_2D(15, 7, 7)
	FADD_2D(4, 0, 0)
	FADD_2D(5, 1, 1)
	FADD_2D(6, 2, 2)
	FADD_2D(7, 3, 3)
	MOVD  sum+0(FP), R14
	FSTPQ (F0, F1), (R14)
	FSTPQ (F2, F3), 32(R14)
	MOVD  R12, done+56(FP)
	RET

// func prefetchGroups(table *byte, idx []uint32, from uint32)
TEXT ·prefetchGroups(SB), NOSPLIT, $0-36
	MOVD  table+0(FP), R0
	MOVD  idx_base+8(FP), R1
	MOVD  idx_len+16(FP), R3
	MOVWU from+32(FP), R12
	ADD   R3<<2, R1 // goes through the row from its end
turn:
	SUBS    $1, R3, R3
	BLT     end
	MOVWU.W -4(R1), R4
	CMP     R12, R4
	BLO     end
	ADD     R4<<5, R0, R14
	PRFM    (R14), PLDL1KEEP
	B       turn
end:
	RET

// By hand as the row kernels: sixteen sums of all rows in registers, then the next ones. More
// would only wait for the adders.
//
// R0 sums   R1 sums left   R2 table   R3 rows   R4 end of the rows   R5 where none is
// far enough ahead   R6 bytes of a row   R7 place in the rows   F0-F7 sums

// AHEAD is how many rows before they are added they are asked for, in bytes of ids.
#define AHEAD (4*16)

// WIDEN makes float64 of the eight float32 in A and B, in C to F.
#define WIDEN(A, B, C, D, E, F) \
	FCVTL(A, C); \
	FCVTL2(A, D); \
	FCVTL(B, E); \
	FCVTL2(B, F)

// ADD_UNIT adds eight numbers of the row at R14.
#define ADD_UNIT(OFF, A, B, C, D) \
	FLDPQ OFF(R14), (F16, F17); \
	WIDEN(16, 17, 18, 19, 20, 21); \
	FADD_2D(18, A, A); \
	FADD_2D(19, B, B); \
	FADD_2D(20, C, C); \
	FADD_2D(21, D, D)

// func addRowsVector(sums []float64, table []float32, pitch int, rows []uint32, n, height int) (ok bool)
TEXT ·addRowsVector(SB), NOSPLIT, $0-97
	MOVD sums_base+0(FP), R0
	MOVD sums_len+8(FP), R1
	MOVD table_base+24(FP), R2
	MOVD pitch+48(FP), R6
	MOVD rows_base+56(FP), R3
	MOVD rows_len+64(FP), R5
	MOVD n+80(FP), R4
	MOVD height+88(FP), R8
	ADD  R4<<2, R3, R4
	ADD  R5<<2, R3, R5
	SUB  $AHEAD, R5
	LSL  $2, R6, R6
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
asked2:
	MOVWU.P 4(R7), R14
	CMP     R8, R14
	BHS     bad
	MADD    R6, R2, R14, R14
	ADD_UNIT(0, 0, 1, 2, 3)
	ADD_UNIT(32, 4, 5, 6, 7)
	CMP     R4, R7
	BLO     row2
	FSTPQ   (F0, F1), (R0)
	FSTPQ   (F2, F3), 32(R0)
	FSTPQ   (F4, F5), 64(R0)
	FSTPQ   (F6, F7), 96(R0)
	ADD     $128, R0
	ADD     $64, R2
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
	CMP     R8, R14
	BHS     bad
	MADD    R6, R2, R14, R14
	ADD_UNIT(0, 0, 1, 2, 3)
	CMP     R4, R7
	BLO     row1
	FSTPQ   (F0, F1), (R0)
	FSTPQ   (F2, F3), 32(R0)
end:
	MOVD $1, R0
	MOVB R0, ok+96(FP)
	RET
bad:
	MOVB ZR, ok+96(FP)
	RET

// ADD_WHOLE adds sixteen numbers of the row at R14.
#define ADD_WHOLE(OFF, A, B, C, D) \
	FLDPQ OFF(R14), (F16, F17); \
	SADDW(16, A, A); \
	SADDW2(16, B, B); \
	SADDW(17, C, C); \
	SADDW2(17, D, D)

// func addWholeRowsVector(sums []int32, table []int16, pitch int, rows []uint32, n, height int) (ok bool)
TEXT ·addWholeRowsVector(SB), NOSPLIT, $0-97
	MOVD sums_base+0(FP), R0
	MOVD sums_len+8(FP), R1
	MOVD table_base+24(FP), R2
	MOVD pitch+48(FP), R6
	MOVD rows_base+56(FP), R3
	MOVD rows_len+64(FP), R5
	MOVD n+80(FP), R4
	MOVD height+88(FP), R8
	ADD  R4<<2, R3, R4
	ADD  R5<<2, R3, R5
	SUB  $AHEAD, R5
	LSL  $1, R6, R6
three:
	SUBS  $48, R1
	BLT   rest
	FLDPQ (R0), (F0, F1)
	FLDPQ 32(R0), (F2, F3)
	FLDPQ 64(R0), (F4, F5)
	FLDPQ 96(R0), (F6, F7)
	FLDPQ 128(R0), (F8, F9)
	FLDPQ 160(R0), (F10, F11)
	MOVD  R3, R7
row3:
	CMP     R5, R7
	BHS     asked3
	MOVWU   AHEAD(R7), R14
	MADD    R6, R2, R14, R14
	PRFM    (R14), PLDL1KEEP
	PRFM    64(R14), PLDL1KEEP
asked3:
	MOVWU.P 4(R7), R14
	CMP     R8, R14
	BHS     bad
	MADD    R6, R2, R14, R14
	ADD_WHOLE(0, 0, 1, 2, 3)
	ADD_WHOLE(32, 4, 5, 6, 7)
	ADD_WHOLE(64, 8, 9, 10, 11)
	CMP     R4, R7
	BLO     row3
	FSTPQ   (F0, F1), (R0)
	FSTPQ   (F2, F3), 32(R0)
	FSTPQ   (F4, F5), 64(R0)
	FSTPQ   (F6, F7), 96(R0)
	FSTPQ   (F8, F9), 128(R0)
	FSTPQ   (F10, F11), 160(R0)
	ADD     $192, R0
	ADD     $96, R2
	B       three

rest:
	ADD   $48, R1
one:
	SUBS  $16, R1
	BLT   end
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
	CMP     R8, R14
	BHS     bad
	MADD    R6, R2, R14, R14
	ADD_WHOLE(0, 0, 1, 2, 3)
	CMP     R4, R7
	BLO     row1
	FSTPQ   (F0, F1), (R0)
	FSTPQ   (F2, F3), 32(R0)
	ADD     $64, R0
	ADD     $32, R2
	B       one
end:
	MOVD $1, R0
	MOVB R0, ok+96(FP)
	RET
bad:
	MOVB ZR, ok+96(FP)
	RET

// The text kernels, by hand as the row kernels. Words are found as AVX2 does: 63
// bytes a turn, and the one behind them.

// IN sets OUT to 16 bytes of which each has the bits of four bytes of the text: those that
// are in the class whose column is given. A column has a bit for every high half of a byte
// in the class, in its low half's place.
//
// V4-V7 high halves' bits   V8-V11 low halves   V12-V15 free   V23 a bit by place
#define IN(COLUMN, OUT) \
	VTBL   V8.B16, [COLUMN.B16], V12.B16; \
	VTBL   V9.B16, [COLUMN.B16], V13.B16; \
	VTBL   V10.B16, [COLUMN.B16], V14.B16; \
	VTBL   V11.B16, [COLUMN.B16], V15.B16; \
	VCMTST V4.B16, V12.B16, V12.B16; \
	VCMTST V5.B16, V13.B16, V13.B16; \
	VCMTST V6.B16, V14.B16, V14.B16; \
	VCMTST V7.B16, V15.B16, V15.B16; \
	NARROW(OUT)

// NARROW keeps of V12 to V15, whose bytes are ones or zeros, a bit of each.
#define NARROW(OUT) \
	VAND  V23.B16, V12.B16, V12.B16; \
	VAND  V23.B16, V13.B16, V13.B16; \
	VAND  V23.B16, V14.B16, V14.B16; \
	VAND  V23.B16, V15.B16, V15.B16; \
	VADDP V13.B16, V12.B16, V12.B16; \
	VADDP V15.B16, V14.B16, V14.B16; \
	VADDP V14.B16, V12.B16, OUT.B16

// CLASSIFY gives the masks of the 64 bytes at FROM, and writes them lowered. What is beyond
// ASCII has no high half's bit, and is in no class.
//
// V16-V19 columns   V20 high halves' bits   V21 low half   V22 lower   V27 highest bit
// R9 word   R10 inner   R11 alone   R12 stop   R13 beyond
#define CLASSIFY(FROM) \
	VLD1   (FROM), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	ADD    FROM, R4, R14; \
	VORR   V22.B16, V0.B16, V12.B16; \
	VORR   V22.B16, V1.B16, V13.B16; \
	VORR   V22.B16, V2.B16, V14.B16; \
	VORR   V22.B16, V3.B16, V15.B16; \
	VST1   [V12.B16, V13.B16, V14.B16, V15.B16], (R14); \
	VUSHR  $4, V0.B16, V4.B16; \
	VUSHR  $4, V1.B16, V5.B16; \
	VUSHR  $4, V2.B16, V6.B16; \
	VUSHR  $4, V3.B16, V7.B16; \
	VTBL   V4.B16, [V20.B16], V4.B16; \
	VTBL   V5.B16, [V20.B16], V5.B16; \
	VTBL   V6.B16, [V20.B16], V6.B16; \
	VTBL   V7.B16, [V20.B16], V7.B16; \
	VAND   V21.B16, V0.B16, V8.B16; \
	VAND   V21.B16, V1.B16, V9.B16; \
	VAND   V21.B16, V2.B16, V10.B16; \
	VAND   V21.B16, V3.B16, V11.B16; \
	IN(V16, V24); \
	IN(V17, V25); \
	VADDP  V25.B16, V24.B16, V24.B16; \
	VMOV   V24.D[0], R9; \
	VMOV   V24.D[1], R10; \
	IN(V18, V24); \
	IN(V19, V25); \
	VADDP  V25.B16, V24.B16, V24.B16; \
	VMOV   V24.D[0], R11; \
	VMOV   V24.D[1], R12; \
	VCMTST V27.B16, V0.B16, V12.B16; \
	VCMTST V27.B16, V1.B16, V13.B16; \
	VCMTST V27.B16, V2.B16, V14.B16; \
	VCMTST V27.B16, V3.B16, V15.B16; \
	NARROW(V24); \
	VADDP  V24.B16, V24.B16, V24.B16; \
	VMOV   V24.D[0], R13

// PLACES writes the positions of a byte's bits: BYTE is that byte of the marks, OFFSET how
// many bytes of positions go before.
#define PLACES(BYTE, OFFSET, TO) \
	FMOVD  (R5)(BYTE<<3), F24; \
	VUADDW V24.B8, V30.H8, V24.H8; \
	STORE_AT(24, OFFSET, TO)

// PLACES_AT does so with byte K of both masks: the positions before it are counted in byte
// K-1 of R21 and R22.
#define PLACES_AT(K) \
	VADD V29.H8, V30.H8, V30.H8; \
	UBFX $(8*K), R15, $8, R14; \
	UBFX $(8*K-8), R21, $8, R23; \
	PLACES(R14, 23, 1); \
	UBFX $(8*K), R19, $8, R14; \
	UBFX $(8*K-8), R22, $8, R23; \
	PLACES(R14, 23, 2)

// R0 text   R1 starts   R2 ends   R3 end of the text   R4 from text to lowered
// R5 positions of each byte's bits   R6 the byte before is of a word   R7 of one left over
// R8 for sums of counts   R15 began   R19 ended   R20 left over
// V28 sevens   V29 eights   V30 position of the turn

// func splitWordsVector(text []uint8, columns *[4][16]uint8, lower uint8, lowered *lowered, starts, ends *positions, final bool) (words, size int)
TEXT ·splitWordsVector(SB), NOSPLIT, $0-88
	MOVD  text_base+0(FP), R0
	MOVD  text_len+8(FP), R3
	ADD   R0, R3
	MOVD  columns+24(FP), R14
	VLD1  (R14), [V16.B16, V17.B16, V18.B16, V19.B16]
	MOVBU lower+32(FP), R14
	VDUP  R14, V22.B16
	MOVD  lowered+40(FP), R4
	ADD   $64, R4 // textLead
	SUB   R0, R4
	MOVD  starts+48(FP), R1
	MOVD  ends+56(FP), R2
	MOVD  $·bitPlaces(SB), R5
	MOVD  $0x0202020202020202, R8
	MOVD  $0x8040201008040201, R14
	VDUP  R14, V23.D2
	VMOVI $0, V20.B16
	VMOV  R14, V20.D[0]
	VMOVI $15, V21.B16
	VMOVI $128, V27.B16
	MOVD  $7, R14
	VDUP  R14, V28.H8
	MOVD  $8, R14
	VDUP  R14, V29.H8
	VMOVI $0, V30.B16
	MOVD  ZR, R6
	MOVD  ZR, R7
loop:
	SUB  R0, R3, R15
	CMP  $64, R15
	BLT  rest
	CLASSIFY(R0)
marks:
	ORR R13, R9
	// An apostrophe is inner if the bytes on both sides are of words.
	ADD R9<<1, R6, R14
	AND R14, R10
	AND R9>>1, R10
	ORR R10, R9
	AND $0x7fffffffffffffff, R9
	AND $0x7fffffffffffffff, R11
	AND $0x7fffffffffffffff, R12
	AND $0x7fffffffffffffff, R13
	ADD R9<<1, R6, R14 // the byte before is of a word
	BIC R14, R9, R15
	BIC R9, R14, R19
	LSR $63, R14, R6
	AND $0x7fffffffffffffff, R19
	// Added to a word, a bit of beyond is carried to the bit behind it.
	ADD R9, R13, R20
	ADD R7, R20
	LSR $63, R20, R7
	AND R19, R20
	// What stands alone ends behind itself.
	ORR R12, R11
	ORR R11, R15
	ORR R11<<1, R19
	ORR R12<<1, R20

	// How many positions go before each byte's: a product adds up the counts.
	VMOV R15, V24.D[0]
	VMOV R19, V24.D[1]
	VCNT V24.B16, V24.B16
	VMOV V24.D[0], R21
	VMOV V24.D[1], R22
	MUL  R8, R21
	MUL  R8, R22
	AND  $255, R15, R14
	PLACES(R14, 31, 1) // 31: none
	AND  $255, R19, R14
	PLACES(R14, 31, 2)
	PLACES_AT(1)
	PLACES_AT(2)
	PLACES_AT(3)
	PLACES_AT(4)
	PLACES_AT(5)
	PLACES_AT(6)
	PLACES_AT(7)
	VADD V28.H8, V30.H8, V30.H8
	CBNZ R20, left
next:
	ADD R21>>56, R1
	ADD R22>>56, R2
	ADD $63, R0
	B   loop

	// Marks the ends of words that are left over.
left:
	SUB     $1, R20, R14
	EOR     R14, R20, R23
	AND     R19, R23
	FMOVD   R23, F24
	VCNT    V24.B8, V24.B8
	VUADDLV V24.B8, V24
	FMOVD   F24, R23
	ADD     R23<<1, R2, R23
	MOVHU   -2(R23), R24
	ORR     $0x8000, R24
	MOVH    R24, -2(R23)
	ANDS    R14, R20
	BNE     left
	B       next

rest:
	MOVBU final+64(FP), R14
	CBZ   R14, done
	TBNZ  $63, R15, done
	// The last 64 bytes, the first of which were in the turn before.
	MOVD  $63, R19
	SUB   R15, R19
	SUB   $64, R3, R15
	CLASSIFY(R15)
	LSR   R19, R9
	LSR   R19, R10
	LSR   R19, R11
	LSR   R19, R12
	LSR   R19, R13
	LSR   $1, R9
	LSR   $1, R10
	LSR   $1, R11
	LSR   $1, R12
	LSR   $1, R13
	B     marks

done:
	MOVD  starts+48(FP), R14
	SUB   R14, R1, R14
	LSR   $1, R14
	MOVD  text_base+0(FP), R15
	SUB   R15, R0, R15
	CBZ   R6, ended
	// A word that has not ended is not counted, and comes again.
	SUB   $1, R14
	MOVHU -2(R1), R15
ended:
	MOVD  R14, words+72(FP)
	MOVD  R15, size+80(FP)
	RET

// func hashWordsVector(dst []uint64, lowered *lowered, start, end *uint16, a, b uint64) (done int)
TEXT ·hashWordsVector(SB), NOSPLIT, $0-72
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	ADD  R1<<3, R0, R1
	MOVD lowered+24(FP), R2
	ADD  $64, R2 // textLead
	MOVD start+32(FP), R3
	MOVD end+40(FP), R4
	MOVD a+48(FP), R5
	MOVD b+56(FP), R6
	MOVD $·firstBytes(SB), R7
	MOVD $0x9e3779b97f4a7c15, R8 // golden
word:
	MOVHU.P 2(R3), R9
	MOVHU.P 2(R4), R10
	SUB     R9, R10
	CMP     $16, R10 // maxWord
	BHI     done
	ADD     R2, R9
	LDP     (R9), (R11, R12)
	ADD     R10<<4, R7, R9
	LDP     (R9), (R13, R14)
	AND     R13, R11
	AND     R14, R12
	EOR     R5, R11
	EOR     R6, R12
	MUL     R11, R12, R13
	UMULH   R11, R12, R14
	EOR     R13, R14
	MADD    R10, R14, R8, R14
	MOVD.P  R14, 8(R0)
	CMP     R1, R0
	BNE     word
done:
	MOVD dst_base+0(FP), R1
	SUB  R1, R0
	LSR  $3, R0
	MOVD R0, done+64(FP)
	RET

// MIX is Mix: R8 and R9 are its factors.
#define MIX(X) \
	EOR X>>30, X; \
	MUL R8, X; \
	EOR X>>27, X; \
	MUL R9, X; \
	EOR X>>31, X

// func mixSumsVector(dst, a, b []uint64, key uint64) (done int)
TEXT ·mixSumsVector(SB), NOSPLIT, $0-88
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R3
	MOVD a_base+24(FP), R1
	MOVD b_base+48(FP), R2
	MOVD key+72(FP), R4
	MOVD $0xbf58476d1ce4e5b9, R8
	MOVD $0x94d049bb133111eb, R9
	AND  $~3, R3, R5
	MOVD R5, done+80(FP)
	CBZ  R5, end
turn:
	LDP.P 32(R1), (R10, R11)
	LDP.P 32(R2), (R14, R15)
	LDP   -16(R1), (R12, R13)
	LDP   -16(R2), (R19, R20)
	ADD   R4, R10
	ADD   R4, R11
	ADD   R4, R12
	ADD   R4, R13
	ADD   R14, R10
	ADD   R15, R11
	ADD   R19, R12
	ADD   R20, R13
	MIX(R10)
	MIX(R11)
	MIX(R12)
	MIX(R13)
	STP.P (R10, R11), 32(R0)
	STP   (R12, R13), -16(R0)
	SUBS  $4, R5
	BNE   turn
end:
	RET

// func interleave2Vector(dst, a, b []uint64) (done int)
TEXT ·interleave2Vector(SB), NOSPLIT, $0-80
	MOVD dst_base+0(FP), R0
	MOVD a_base+24(FP), R1
	MOVD a_len+32(FP), R3
	MOVD b_base+48(FP), R2
	AND  $~3, R3
	MOVD R3, done+72(FP)
	CBZ  R3, end
turn:
	LDP.P 32(R1), (R4, R6)
	LDP.P 32(R2), (R5, R7)
	LDP   -16(R1), (R8, R10)
	LDP   -16(R2), (R9, R11)
	STP.P (R4, R5), 64(R0)
	STP   (R6, R7), -48(R0)
	STP   (R8, R9), -32(R0)
	STP   (R10, R11), -16(R0)
	SUBS  $4, R3
	BNE   turn
end:
	RET

// func interleave3Vector(dst, a, b, c []uint64) (done int)
TEXT ·interleave3Vector(SB), NOSPLIT, $0-104
	MOVD dst_base+0(FP), R0
	MOVD a_base+24(FP), R1
	MOVD a_len+32(FP), R4
	MOVD b_base+48(FP), R2
	MOVD c_base+72(FP), R3
	AND  $~1, R4
	MOVD R4, done+96(FP)
	CBZ  R4, end
turn:
	LDP.P 16(R1), (R5, R8)
	LDP.P 16(R2), (R6, R9)
	LDP.P 16(R3), (R7, R10)
	STP.P (R5, R6), 48(R0)
	STP   (R7, R8), -32(R0)
	STP   (R9, R10), -16(R0)
	SUBS  $2, R4
	BNE   turn
end:
	RET
