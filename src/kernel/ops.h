// The op table of the kernel IR: each op declared once. The enum, printer, parser, verifier and interpreter's dispatch
// come from it; a new op is a row, and a case where it is executed or emitted.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::kernel {

// Columns
//   enumerator  name       operands    results  rule        effect   attribute
// operands, results: a count, or -1 for any number (the rule says which).
// rule: how operand and result types relate (verify.cpp has one function a rule):
//   same       all operands and the result have one type, of any numeric element
//   same_int   … of an integer element        same_float  … of a float element
//   cmp        two operands of one type; the result is i1 of their lanes
//   choose     (i1 or i1xN, T, T) -> T, lanes of the condition 1 or those of T
//   convert    lanes kept; the elements as the op's name says
//   special    checked by the op's own case
//   gpu        as special (gpu_rules.cpp), and legal in a GPU kernel alone
// effect: pure (may be removed, repeated, moved), reads, writes, control, collective (an exchange among the warp's
// threads: may be removed, neither repeated nor moved)
// attribute: what Op::attribute holds: none, number (the constant), lane, lanes (shuffle mask), predicate, access,
// bytes; of GPU ops (gpu_attributes.h): buffer, special, shuffle_mode, vote, atomic, scope, barrier, pending, count,
// tensor, matrix, warpgroup
#define TILEWRIGHT_KERNEL_OPS(X)                                                                                       \
  /* values */                                                                                                         \
  X(constant, "constant", 0, 1, special, pure, number)                                                                 \
  X(iota, "iota", 0, 1, special, pure, none)                                                                           \
  X(splat, "splat", 1, 1, special, pure, none)                                                                         \
  X(extract, "extract", 1, 1, special, pure, lane)                                                                     \
  X(insert, "insert", 2, 1, special, pure, lane)                                                                       \
  X(shuffle, "shuffle", 2, 1, special, pure, lanes)                                                                    \
  /* arithmetic; integers wrap, floats round to nearest even and keep NaN. A division by zero or a shift by at         \
     least the element's bits has no specified value, and never traps. A float's neg and abs change its sign bit. */   \
  X(add, "add", 2, 1, same, pure, none)                                                                                \
  X(sub, "sub", 2, 1, same, pure, none)                                                                                \
  X(mul, "mul", 2, 1, same, pure, none)                                                                                \
  X(neg, "neg", 1, 1, same, pure, none)                                                                                \
  X(abs, "abs", 1, 1, same, pure, none)                                                                                \
  X(fdiv, "fdiv", 2, 1, same_float, pure, none)                                                                        \
  X(fma, "fma", 3, 1, same_float, pure, none)                                                                          \
  X(sdiv, "sdiv", 2, 1, same_int, pure, none)                                                                          \
  X(udiv, "udiv", 2, 1, same_int, pure, none)                                                                          \
  X(srem, "srem", 2, 1, same_int, pure, none)                                                                          \
  X(urem, "urem", 2, 1, same_int, pure, none)                                                                          \
  X(smin, "smin", 2, 1, same_int, pure, none)                                                                          \
  X(smax, "smax", 2, 1, same_int, pure, none)                                                                          \
  X(umin, "umin", 2, 1, same_int, pure, none)                                                                          \
  X(umax, "umax", 2, 1, same_int, pure, none)                                                                          \
  X(fmin, "fmin", 2, 1, same_float, pure, none) /* NaN if either is; -0 below +0 */                                    \
  X(fmax, "fmax", 2, 1, same_float, pure, none) /* NaN if either is; -0 below +0 */                                    \
  X(bit_and, "and", 2, 1, same_int, pure, none)                                                                        \
  X(bit_or, "or", 2, 1, same_int, pure, none)                                                                          \
  X(bit_xor, "xor", 2, 1, same_int, pure, none)                                                                        \
  X(shl, "shl", 2, 1, same_int, pure, none)                                                                            \
  X(lshr, "lshr", 2, 1, same_int, pure, none)                                                                          \
  X(ashr, "ashr", 2, 1, same_int, pure, none)                                                                          \
  X(cmp, "cmp", 2, 1, cmp, pure, predicate)                                                                            \
  X(select, "select", 3, 1, choose, pure, none)                                                                        \
  /* conversions */                                                                                                    \
  X(trunc, "trunc", 1, 1, convert, pure, none)                                                                         \
  X(sext, "sext", 1, 1, convert, pure, none)                                                                           \
  X(zext, "zext", 1, 1, convert, pure, none)                                                                           \
  X(fconvert, "fconvert", 1, 1, convert, pure, none) /* nearest even; f8 saturates */                                  \
  X(sitofp, "sitofp", 1, 1, convert, pure, none)                                                                       \
  X(uitofp, "uitofp", 1, 1, convert, pure, none)                                                                       \
  X(fptosi, "fptosi", 1, 1, convert, pure, none) /* truncates, saturates, NaN is 0 */                                  \
  X(fptoui, "fptoui", 1, 1, convert, pure, none) /* truncates, saturates, NaN is 0 */                                  \
  X(bitcast, "bitcast", 1, 1, special, pure, none)                                                                     \
  /* functions, at most 4 ulp in f32; NaN and infinities as in C's math library */                                     \
  X(sqrt, "sqrt", 1, 1, same_float, pure, none)                                                                        \
  X(exp, "exp", 1, 1, same_float, pure, none)                                                                          \
  X(log, "log", 1, 1, same_float, pure, none)                                                                          \
  X(tanh, "tanh", 1, 1, same_float, pure, none)                                                                        \
  X(sin, "sin", 1, 1, same_float, pure, none)                                                                          \
  X(cos, "cos", 1, 1, same_float, pure, none)                                                                          \
  X(erf, "erf", 1, 1, same_float, pure, none)                                                                          \
  X(erfc, "erfc", 1, 1, same_float, pure, none)                                                                        \
  X(pow, "pow", 2, 1, same_float, pure, none)                                                                          \
  /* memory: addresses are bytes */                                                                                    \
  X(offset, "offset", 2, 1, special, pure, none)     /* (ptr, i64) -> ptr */                                           \
  X(load, "load", -1, 1, special, reads, access)     /* (ptr) or (ptr, i1xN mask): masked-off lanes are 0 */           \
  X(store, "store", -1, 0, special, writes, access)  /* (value, ptr) or (value, ptr, mask) */                          \
  X(gather, "gather", -1, 1, special, reads, access) /* (ptr, i64xN byte offsets[, mask]): masked-off lanes are 0 */   \
  X(scatter, "scatter", -1, 0, special, writes, access) /* (value, ptr, i64xN byte offsets[, mask]) */                 \
  X(prefetch, "prefetch", 1, 0, special, writes, none)  /* a hint; may be outside of any tensor */                     \
  X(local, "local", 0, 1, special, writes, bytes)       /* a 64-byte aligned buffer of the kernel call */              \
  /* control: regions end in yield */                                                                                  \
  X(for_loop, "for", -1, -1, special, control, none) /* (begin, end, step > 0, carried…); region args (i, carried…) */ \
  X(if_then, "if", 1, -1, special, control, none)    /* (i1); two regions */                                           \
  X(yield, "yield", -1, 0, special, control, none)                                                                     \
  /* GPU: one thread's place, its block's memory and what it does together with others */                              \
  X(special, "special", 0, 1, gpu, pure, special)                 /* -> i32 or i64 */                                  \
  X(shared, "shared", 0, 1, gpu, writes, buffer)                  /* a buffer of the block */                          \
  X(barrier, "barrier", 0, 0, gpu, writes, barrier)               /* waits, and orders all memory, for them */         \
  X(barrier_arrive, "barrier_arrive", 0, 0, gpu, writes, barrier) /* counts at a barrier; does not wait */             \
  X(warp_barrier, "warp_barrier", 0, 0, gpu, writes, none)        /* the same as barrier, of the warp's threads */     \
  X(warp_shuffle, "warp_shuffle", 2, 1, gpu, collective, shuffle_mode) /* (v, i32) -> v, of 32 or 64 bits */           \
  X(warp_vote, "warp_vote", 1, 1, gpu, collective, vote)               /* (i1) -> i1, of ballot i32 */                 \
  X(atomic, "atomic", -1, 1, gpu, writes, atomic)                      /* (ptr, v) or cas (ptr, old, v) -> old */      \
  X(fence, "fence", 0, 0, gpu, writes, scope)                          /* orders before and after, in the scope */     \
  X(copy_async, "copy_async", -1, 0, gpu, writes, bytes)               /* (ptr_shared, ptr[, i32]): rest is 0 */       \
  X(commit_copies, "commit_copies", 0, 0, gpu, writes, none)           /* the copies so far are a group */             \
  X(wait_copies, "wait_copies", 0, 0, gpu, writes, pending)            /* until so many groups are pending */          \
  /* barriers in shared memory, of 8 bytes: a phase ends when all have arrived and all announced bytes are there */    \
  X(mbarrier_init, "mbarrier_init", 1, 0, gpu, writes, count)     /* (ptr_shared) */                                   \
  X(mbarrier_arrive, "mbarrier_arrive", -1, 0, gpu, writes, none) /* (ptr_shared[, i32 block of the cluster]) */       \
  X(mbarrier_expect, "mbarrier_expect", 2, 0, gpu, writes, none)  /* (ptr_shared, i32 bytes): arrives, announces */    \
  X(mbarrier_wait, "mbarrier_wait", 2, 0, gpu, writes, none)      /* (ptr_shared, i32 parity): that phase's end */     \
  X(fence_mbarrier, "fence_mbarrier", 0, 0, gpu, writes, none)    /* shows initialised ones to the cluster */          \
  X(fence_async, "fence_async", 0, 0, gpu, writes, none) /* of shared memory: own accesses before the engine's */      \
  /* copies by the copy engine */                                                                                      \
  X(bulk_load, "bulk_load", 4, 0, gpu, writes, none)        /* (ptr_shared, ptr, i32 bytes, ptr_shared mbarrier) */    \
  X(bulk_store, "bulk_store", 3, 0, gpu, writes, none)      /* (ptr, ptr_shared, i32 bytes) */                         \
  X(tensor_load, "tensor_load", -1, 0, gpu, writes, tensor) /* (ptr_shared, map, ptr_shared mbarrier, i32…[, i32]) */  \
  X(tensor_store, "tensor_store", -1, 0, gpu, writes, tensor)       /* (map, ptr_shared, i32…) */                      \
  X(commit_bulk, "commit_bulk", 0, 0, gpu, writes, none)            /* the stores so far are a group */                \
  X(wait_bulk, "wait_bulk", 0, 0, gpu, writes, pending)             /* until so many groups are unfinished */          \
  X(wait_bulk_reads, "wait_bulk_reads", 0, 0, gpu, writes, pending) /* … have not yet read all of their source */      \
  /* clusters */                                                                                                       \
  X(cluster_arrive, "cluster_arrive", 0, 0, gpu, writes, none)                                                         \
  X(cluster_wait, "cluster_wait", 0, 0, gpu, writes, none)                                                             \
  X(cluster_load, "cluster_load", 2, 1, gpu, reads, access)    /* (ptr_shared, i32 block): of 4, 8 or 16 bytes */      \
  X(cluster_store, "cluster_store", 3, 0, gpu, writes, access) /* (value, ptr_shared, i32 block) */                    \
  /* matrices, spread over the threads of a warp or of four */                                                         \
  X(load_matrix, "load_matrix", 1, 1, gpu, collective, matrix) /* (ptr_shared): 1, 2 or 4 of 8 × 8 × 16 bits */        \
  X(store_matrix, "store_matrix", 2, 0, gpu, writes, matrix)   /* (v, ptr_shared) */                                   \
  X(mma, "mma", 3, 1, gpu, collective, none)                   /* (a, b, c) -> a · b + c; matrix_atoms.h */            \
  X(wgmma, "wgmma", -1, -1, gpu, collective, warpgroup)     /* (a, ptr_shared b, i1 add, c…) -> starts a · b [+ c] */  \
  X(wgmma_fence, "wgmma_fence", -1, -1, gpu, writes, none)  /* (c…) -> c…, ready for wgmma */                          \
  X(wgmma_commit, "wgmma_commit", 0, 0, gpu, writes, none)  /* the products so far are a group */                      \
  X(wgmma_wait, "wgmma_wait", -1, -1, gpu, writes, pending) /* (c…) -> c…, when so few groups are pending */           \
  /* roles of warps, and of kernels */                                                                                 \
  X(elect, "elect", 0, 1, gpu, collective, none)                  /* -> i1, set in one thread of the warp */           \
  X(raise_registers, "raise_registers", 0, 0, gpu, writes, count) /* of each thread of the four warps */               \
  X(lower_registers, "lower_registers", 0, 0, gpu, writes, count)                                                      \
  X(grid_wait, "grid_wait", 0, 0, gpu, writes, none)     /* for the kernel before */                                   \
  X(grid_launch, "grid_launch", 0, 0, gpu, writes, none) /* the kernel behind may start */

enum class Opcode : std::uint8_t {
#define X(name, ...) name,
  TILEWRIGHT_KERNEL_OPS(X)
#undef X
};

enum class OpRule : std::uint8_t { same, same_int, same_float, cmp, choose, convert, special, gpu };
enum class OpEffect : std::uint8_t { pure, reads, writes, control, collective };

// clang-format off
#define TILEWRIGHT_KERNEL_ATTRIBUTES(X)                                                                        \
  X(none) X(number) X(lane) X(lanes) X(predicate) X(access) X(bytes) X(buffer) X(special) X(shuffle_mode)      \
  X(vote) X(atomic) X(scope) X(barrier) X(pending) X(count) X(tensor) X(matrix) X(warpgroup)
// clang-format on

enum class OpAttribute : std::uint8_t {
#define X(name) name,
  TILEWRIGHT_KERNEL_ATTRIBUTES(X)
#undef X
};
std::string_view name(OpAttribute attribute);

struct OpInfo {
  std::string_view name;
  int operands;
  int results;
  OpRule rule;
  OpEffect effect;
  OpAttribute attribute;
};

const OpInfo& info(Opcode code);
std::optional<Opcode> opcode_from_name(std::string_view name);

/// Comparisons. Integers: eq ne slt sle sgt sge ult ule ugt uge. Floats: oeq (false on NaN), une (true on NaN), olt ole
/// ogt oge (false on NaN), uno (true if either is NaN).
#define TILEWRIGHT_KERNEL_PREDICATES(X) \
  X(eq) X(ne) X(slt) X(sle) X(sgt) X(sge) X(ult) X(ule) X(ugt) X(uge) X(oeq) X(une) X(olt) X(ole) X(ogt) X(oge) X(uno)

enum class Predicate : std::uint8_t {
#define X(name) name,
  TILEWRIGHT_KERNEL_PREDICATES(X)
#undef X
};

std::string_view name(Predicate predicate);
std::optional<Predicate> predicate_from_name(std::string_view name);
bool is_float_predicate(Predicate predicate);

}  // namespace tilewright::kernel
