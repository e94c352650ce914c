//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// The group kernels, by hand as those of rows_arm64.s. An entry is a line of four
// registers: two of U and two of S, or four of double precision.
//
// R0 table   R1 ids   R2 entries   R3 ids left   R4-R7 ids of a turn   R12 ids done
// R14 address of an entry   R20 values   F0-F15 parts   F16-F21 of a term   F22-F25 d

// ROW calls TERM(id, part) for the four ids of every turn, then for each of the rest,
// whose part is the place in the turn. Ids are compared with the table's length first;
// one that is outside ends the loop.
#define ROW(TERM) \
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
	REST(TERM, 0); \
	REST(TERM, 1); \
	REST(TERM, 2); \
end:

#define REST(TERM, PART) \
	CBZ     R3, end; \
	MOVWU.P 4(R1), R4; \
	CMP     R2, R4; \
	BHS     end; \
	TERM(R4, PART); \
	ADD     $1, R12; \
	SUB     $1, R3

// SUM_ARGS are of kernels that write a sum, STEP_ARGS of those that write to the table.
#define SUM_ARGS \
	MOVD table_base+8(FP), R0; \
	MOVD table_len+16(FP), R2; \
	MOVD idx_base+32(FP), R1; \
	MOVD idx_len+40(FP), R3

#define STEP_ARGS \
	MOVD table_base+0(FP), R0; \
	MOVD table_len+8(FP), R2; \
	MOVD idx_base+24(FP), R1; \
	MOVD idx_len+32(FP), R3

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

// MEET adds the parts as (0+2)+(1+3) and writes the sum.
#define MEET \
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
	ADD   ID<<6, R0, R14; \
	FLDPQ (R14), (F16, F17); \
	TO_PART(PART)

// func sumGroupsAsm(sum *Group, table []GroupSlot, idx []uint32) (done int)
TEXT ·sumGroupsAsm(SB), NOSPLIT, $0-64
	SUM_ARGS
	PARTS
	ROW(SUM_GROUP)
	MOVD sum+0(FP), R14
	MEET
	MOVD R12, done+56(FP)
	RET

#define SUM_GROUP_SCALE(ID, PART) \
	ADD   ID<<6, R0, R14; \
	FLDPQ 32(R14), (F16, F17); \
	TO_PART(PART)

// func sumGroupScalesAsm(sum *Group, table []GroupSlot, idx []uint32) (done int)
TEXT ·sumGroupScalesAsm(SB), NOSPLIT, $0-64
	SUM_ARGS
	PARTS
	ROW(SUM_GROUP_SCALE)
	MOVD sum+0(FP), R14
	MEET
	MOVD R12, done+56(FP)
	RET

#define DOT_GROUP(ID, PART) \
	ADD     ID<<6, R0, R14; \
	FMOVS.P 4(R20), F20; \
	FLDPQ   (R14), (F16, F17); \
	FMUL_4S_BY(20, 16, 16); \
	FMUL_4S_BY(20, 17, 17); \
	TO_PART(PART)

// func dotGroupsAsm(sum *Group, table []GroupSlot, idx []uint32, val []float32) (done int)
TEXT ·dotGroupsAsm(SB), NOSPLIT, $0-88
	SUM_ARGS
	MOVD val_base+56(FP), R20
	PARTS
	ROW(DOT_GROUP)
	MOVD sum+0(FP), R14
	MEET
	MOVD R12, done+80(FP)
	RET

#define ADD_GROUP(ID, PART) \
	ADD   ID<<6, R0, R14; \
	FLDPQ (R14), (F16, F17); \
	FLDPQ 32(R14), (F18, F19); \
	FMUL_4S(22, 18, 18); \
	FMUL_4S(23, 19, 19); \
	FADD_4S(18, 16, 16); \
	FADD_4S(19, 17, 17); \
	FSTPQ (F16, F17), (R14)

// func addGroupsAsm(table []GroupSlot, idx []uint32, d *Group) (done int)
TEXT ·addGroupsAsm(SB), NOSPLIT, $0-64
	STEP_ARGS
	MOVD  d+48(FP), R14
	FLDPQ (R14), (F22, F23)
	ROW(ADD_GROUP)
	MOVD  R12, done+56(FP)
	RET

#define AXPY_GROUP(ID, PART) \
	ADD     ID<<6, R0, R14; \
	FMOVS.P 4(R20), F20; \
	FLDPQ   (R14), (F16, F17); \
	FLDPQ   32(R14), (F18, F19); \
	FMUL_4S_BY(20, 23, 21); \
	FMUL_4S_BY(20, 22, 20); \
	FMUL_4S(20, 18, 18); \
	FMUL_4S(21, 19, 19); \
	FADD_4S(18, 16, 16); \
	FADD_4S(19, 17, 17); \
	FSTPQ   (F16, F17), (R14)

// func axpyGroupsAsm(table []GroupSlot, idx []uint32, val []float32, d *Group) (done int)
TEXT ·axpyGroupsAsm(SB), NOSPLIT, $0-88
	STEP_ARGS
	MOVD  val_base+48(FP), R20
	MOVD  d+72(FP), R14
	FLDPQ (R14), (F22, F23)
	ROW(AXPY_GROUP)
	MOVD  R12, done+80(FP)
	RET

#define SUM_GROUP_64(ID, PART) \
	ADD   ID<<6, R0, R14; \
	FLDPQ (R14), (F16, F17); \
	FLDPQ 32(R14), (F18, F19); \
	FADD_2D(16, 4*PART, 4*PART); \
	FADD_2D(17, 4*PART+1, 4*PART+1); \
	FADD_2D(18, 4*PART+2, 4*PART+2); \
	FADD_2D(19, 4*PART+3, 4*PART+3)

// func sumGroups64Asm(sum *Group64, table []Group64, idx []uint32) (done int)
TEXT ·sumGroups64Asm(SB), NOSPLIT, $0-64
	SUM_ARGS
	PARTS_64
	ROW(SUM_GROUP_64)
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

#define ADD_GROUP_64(ID, PART) \
	ADD   ID<<6, R0, R14; \
	FLDPQ (R14), (F16, F17); \
	FLDPQ 32(R14), (F18, F19); \
	FADD_2D(22, 16, 16); \
	FADD_2D(23, 17, 17); \
	FADD_2D(24, 18, 18); \
	FADD_2D(25, 19, 19); \
	FSTPQ (F16, F17), (R14); \
	FSTPQ (F18, F19), 32(R14)

// func addGroups64Asm(table []Group64, idx []uint32, d *Group64) (done int)
TEXT ·addGroups64Asm(SB), NOSPLIT, $0-64
	STEP_ARGS
	MOVD  d+48(FP), R14
	FLDPQ (R14), (F22, F23)
	FLDPQ 32(R14), (F24, F25)
	ROW(ADD_GROUP_64)
	MOVD  R12, done+56(FP)
	RET

// func prefetchLines(table *byte, idx []uint32, from uint32)
TEXT ·prefetchLines(SB), NOSPLIT, $0-36
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
	ADD     R4<<6, R0, R14
	PRFM    (R14), PLDL1KEEP
	B       turn
end:
	RET
