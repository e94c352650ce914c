//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// The text kernels, by hand as those of rows_arm64.s. Words are found as AVX2 does: 63
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

// func splitWordsAsm(text []uint8, columns *[4][16]uint8, lower uint8, lowered *lowered, starts, ends *positions, final bool) (words, size int)
TEXT ·splitWordsAsm(SB), NOSPLIT, $0-88
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

// func hashWordsAsm(dst []uint64, lowered *lowered, start, end *uint16, a, b uint64) (done int)
TEXT ·hashWordsAsm(SB), NOSPLIT, $0-72
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

// func mixSumsAsm(dst, a, b []uint64, key uint64) (done int)
TEXT ·mixSumsAsm(SB), NOSPLIT, $0-88
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

// func interleave2Asm(dst, a, b []uint64) (done int)
TEXT ·interleave2Asm(SB), NOSPLIT, $0-80
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

// func interleave3Asm(dst, a, b, c []uint64) (done int)
TEXT ·interleave3Asm(SB), NOSPLIT, $0-104
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
