// Vector instructions that the assembler has no names for, of registers' numbers in its
// order: the comment is how Arm writes them.

// FADD Vd.4S, Vn.4S, Vm.4S
#define FADD_4S(M, N, D) WORD $(0x4E20D400 | (M)<<16 | (N)<<5 | (D))

// FADD Vd.2D, Vn.2D, Vm.2D
#define FADD_2D(M, N, D) WORD $(0x4E60D400 | (M)<<16 | (N)<<5 | (D))

// FMUL Vd.4S, Vn.4S, Vm.4S
#define FMUL_4S(M, N, D) WORD $(0x6E20DC00 | (M)<<16 | (N)<<5 | (D))

// FMUL Vd.4S, Vn.4S, Vm.S[0]
#define FMUL_4S_BY(M, N, D) WORD $(0x4F809000 | (M)<<16 | (N)<<5 | (D))

// CMHS Vd.16B, Vn.16B, Vm.16B: ones where n is not lower than m
#define CMHS_16B(M, N, D) WORD $(0x6E203C00 | (M)<<16 | (N)<<5 | (D))

// STR Qt, [Xn, Xm]
#define STORE_AT(T, M, N) WORD $(0x3CA06800 | (M)<<16 | (N)<<5 | (T))
