// Tilewright's C interface: parse a statement, open a device, call the kernel on memory that exists. C11 and C++.
//
// Objects are opaque handles. A function that can fail returns a status and, where `error` is not null, stores an error
// that says what was wrong with which value (null after success); nothing is written to an output after an error, and
// no exception leaves a function. Of every function: A040, a null argument where none may be; A041, options of a size
// that no version has.
//
// Every function may be called from any thread, and a handle used by several at once; each handle is freed once, after
// its last use. docs/c.md is the guide, docs/errors.md the list of codes.
//
// Tensors are described as DLPack describes them: tilewright_tensor has the layout of its DLTensor and
// tilewright_managed_tensor that of DLManagedTensorVersioned, so a pointer may be cast either way.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TILEWRIGHT_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// The interface that this header describes. Functions are added under the same number; it grows when one changes.
#define TILEWRIGHT_INTERFACE 1
/// That of the library that is loaded; a program that found it by dlopen compares the two.
TILEWRIGHT_C_API uint32_t tilewright_interface(void);
/// "MAJOR.MINOR.PATCH" of the library that is loaded.
TILEWRIGHT_C_API const char* tilewright_version(void);

// ---- errors
// ----------------------------------------------------------------------------------------------------------

typedef enum tilewright_status {
  TILEWRIGHT_OK = 0,
  TILEWRIGHT_BAD_INPUT = 1,      ///< text, tensors or arguments that do not fit
  TILEWRIGHT_ABSENT = 2,         ///< the device or target is not there
  TILEWRIGHT_OUT_OF_MEMORY = 3,  ///< of the host or the device
  TILEWRIGHT_DEVICE_FAILED = 4,  ///< the driver refused a call, or the device is lost
  TILEWRIGHT_DEFECT = 5          ///< of the library itself
} tilewright_status;

typedef struct tilewright_error tilewright_error;

/// One message; texts live as long as the error.
typedef struct tilewright_diagnostic {
  const char* code;     ///< stable, and listed in docs/errors.md: "B010"; empty for a defect
  const char* message;  ///< what is wrong and what was received
  const char* remedy;   ///< what would be legal; may be empty
  const char* source;   ///< name of the text at fault; empty where there is none
  uint32_t line;        ///< in that text, from 1; 0 where there is none
  uint32_t column;      ///< in characters, from 1; 0 where there is none
  const char* text;     ///< all of it, as the command line prints it: with the source line and carets
} tilewright_diagnostic;

/// At least 1. 0 for a null error.
TILEWRIGHT_C_API size_t tilewright_error_count(const tilewright_error* error);
/// Null where there is no diagnostic of that number.
TILEWRIGHT_C_API const tilewright_diagnostic* tilewright_error_at(const tilewright_error* error, size_t number);
/// The text of all diagnostics; "" for a null error.
TILEWRIGHT_C_API const char* tilewright_error_text(const tilewright_error* error);
/// Null is fine, here and in every other function that frees.
TILEWRIGHT_C_API void tilewright_error_free(tilewright_error* error);

// ---- tensors
// ---------------------------------------------------------------------------------------------------------

/// Codes of element types, DLPack's.
enum {
  TILEWRIGHT_INT = 0,
  TILEWRIGHT_UINT = 1,
  TILEWRIGHT_FLOAT = 2,
  TILEWRIGHT_BFLOAT = 4,
  TILEWRIGHT_BOOL = 6,
  TILEWRIGHT_F8E4M3 = 10,
  TILEWRIGHT_F8E5M2 = 12
};
typedef struct tilewright_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;  ///< 1
} tilewright_type;

/// "f32", "bool": the type by the language's name. 1 if there is such a type, else 0.
TILEWRIGHT_C_API int tilewright_type_named(const char* name, tilewright_type* type);
/// The language's name; null where the language has no such type.
TILEWRIGHT_C_API const char* tilewright_type_name(tilewright_type type);

/// Kinds of devices, DLPack's.
enum { TILEWRIGHT_CPU = 1, TILEWRIGHT_CUDA = 2, TILEWRIGHT_CUDA_HOST = 3, TILEWRIGHT_CUDA_MANAGED = 13 };
typedef struct tilewright_device {
  int32_t kind;
  int32_t index;
} tilewright_device;

/// Memory of the caller. Kernels read operands and write outputs where they are.
typedef struct tilewright_tensor {
  void* data;
  tilewright_device device;
  int32_t rank;  ///< 0 to 8
  tilewright_type type;
  int64_t* shape;        ///< `rank` extents, each 0 or more
  int64_t* strides;      ///< in elements, negative and zero ones included; null: row-major
  uint64_t byte_offset;  ///< from `data` to element (0, …, 0)
} tilewright_tensor;

/// Memory with an owner: what functions return. Freed with tilewright_tensor_free, or by whoever took it by its
/// deleter.
typedef struct tilewright_managed_tensor {
  struct {
    uint32_t major;
    uint32_t minor;
  } version;
  void* owner;
  void (*deleter)(struct tilewright_managed_tensor* self);
  uint64_t flags;  ///< bit 0: read only
  tilewright_tensor tensor;
} tilewright_managed_tensor;

TILEWRIGHT_C_API void tilewright_tensor_free(tilewright_managed_tensor* tensor);

// ---- engines
// ---------------------------------------------------------------------------------------------------------

/// A device that kernels run on.
typedef struct tilewright_engine tilewright_engine;

typedef struct tilewright_engine_options {
  size_t size;              ///< sizeof(tilewright_engine_options)
  int32_t no_disk_cache;    ///< not 0: compiled kernels are not kept between processes
  int64_t workspace_limit;  ///< bytes that one call may allocate beside its results; 0: no limit
} tilewright_engine_options;

/// "cpu" (null means it), "cuda", "cuda:N" or "sim". `options` may be null. R072: no such device on this machine.
TILEWRIGHT_C_API tilewright_status tilewright_engine_open(const char* device, const tilewright_engine_options* options,
                                                          tilewright_engine** engine, tilewright_error** error);
TILEWRIGHT_C_API void tilewright_engine_free(tilewright_engine* engine);
/// "cpu", "cuda:0"; lives as long as the engine.
TILEWRIGHT_C_API const char* tilewright_engine_device(const tilewright_engine* engine);
/// "znver3", "NVIDIA H200".
TILEWRIGHT_C_API const char* tilewright_engine_processor(const tilewright_engine* engine);

/// How many threads of the host a call may use, the calling one included; 0: as many as this process may run at once.
TILEWRIGHT_C_API void tilewright_set_threads(int32_t count);
TILEWRIGHT_C_API int32_t tilewright_threads(void);

// ---- kernels
// ---------------------------------------------------------------------------------------------------------

/// A statement or a program, checked. It keeps what its calls compiled, so keep it rather than parsing again.
typedef struct tilewright_kernel tilewright_kernel;

/// The only kernel of a text in the statement language, which ends with a NUL. `source_name` is how messages call the
/// text; null: "<statement>". L0xx: errors of the language, several at once. R070: no kernel, or several.
TILEWRIGHT_C_API tilewright_status tilewright_kernel_parse(const char* text, const char* source_name,
                                                           tilewright_kernel** kernel, tilewright_error** error);
/// All kernels of a text: `*kernels` becomes an array of `*count` of them, for tilewright_kernels_free. L0xx.
TILEWRIGHT_C_API tilewright_status tilewright_kernels_parse(const char* text, const char* source_name,
                                                            tilewright_kernel*** kernels, size_t* count,
                                                            tilewright_error** error);
TILEWRIGHT_C_API void tilewright_kernels_free(tilewright_kernel** kernels, size_t count);
/// NumPy's einsum string for `count` operands of these ranks, called a, b, c, …. L070 to L076: errors in the string.
TILEWRIGHT_C_API tilewright_status tilewright_kernel_einsum(const char* equation, const size_t* ranks, size_t count,
                                                            tilewright_kernel** kernel, tilewright_error** error);
/// The same with the types of NumPy's einsum for operands of this type: a result of i8 or u8 wraps in that type, and
/// products and sums of bool are `and` and `or`.
TILEWRIGHT_C_API tilewright_status tilewright_kernel_einsum_of(const char* equation, const size_t* ranks, size_t count,
                                                               tilewright_type type, tilewright_kernel** kernel,
                                                               tilewright_error** error);
TILEWRIGHT_C_API void tilewright_kernel_free(tilewright_kernel* kernel);

/// Texts of a kernel live as long as it. Names past the last are null.
TILEWRIGHT_C_API const char* tilewright_kernel_name(const tilewright_kernel* kernel);
/// The statement as canonical text, which parses to the same.
TILEWRIGHT_C_API const char* tilewright_kernel_text(const tilewright_kernel* kernel);
TILEWRIGHT_C_API int tilewright_kernel_is_program(const tilewright_kernel* kernel);
/// Operands in order of first read (a program's parameters), which is the order of every call.
TILEWRIGHT_C_API size_t tilewright_kernel_operand_count(const tilewright_kernel* kernel);
TILEWRIGHT_C_API const char* tilewright_kernel_operand(const tilewright_kernel* kernel, size_t number);
TILEWRIGHT_C_API size_t tilewright_kernel_result_count(const tilewright_kernel* kernel);
TILEWRIGHT_C_API const char* tilewright_kernel_result(const tilewright_kernel* kernel, size_t number);
/// The `example` lines of a kernel: the type and shape of one operand in one of them. 0 past the last example. `shape`
/// has room for 8 extents.
TILEWRIGHT_C_API size_t tilewright_kernel_example_count(const tilewright_kernel* kernel);
TILEWRIGHT_C_API int tilewright_kernel_example(const tilewright_kernel* kernel, size_t example, size_t operand,
                                               tilewright_type* type, int32_t* rank, int64_t* shape);

// ---- how a kernel's axes hang together
// ------------------------------------------------------------------------------
//
// For those who need shapes without running, or who split tensors over devices. Of a program these say nothing.

/// The axis of an operand whose extent axis `axis` of the result has, whatever the operands are: 1, and stores both
/// numbers. 0 where it is no one axis's extent, as in a window. -1 past the last axis.
TILEWRIGHT_C_API int tilewright_kernel_result_axis(const tilewright_kernel* kernel, size_t axis, size_t* operand,
                                                   size_t* operand_axis);

/// A statement may be computed in parts along some of its iterators: each part of what the whole kernel makes of slices
/// of operands. Those of the target give slices of the result; the others give results that are then combined.
typedef struct tilewright_split {
  const char* iterator;
  int32_t result_axis;  ///< -1: the iterator is reduced
  const char* combine;  ///< "++=", "*=", "max=", "min=" where it is reduced, else null
} tilewright_split;
TILEWRIGHT_C_API size_t tilewright_kernel_split_count(const tilewright_kernel* kernel);
/// 1, and stores split `number`, whose texts live as long as the kernel; 0 past the last.
TILEWRIGHT_C_API int tilewright_kernel_split(const tilewright_kernel* kernel, size_t number, tilewright_split* split);
/// The axis that split `number` slices an operand along; -1 for an operand that each part reads whole.
TILEWRIGHT_C_API int32_t tilewright_kernel_split_axis(const tilewright_kernel* kernel, size_t number, size_t operand);

// ---- calls
// -----------------------------------------------------------------------------------------------------------
//
// `operands` is an array of `count` descriptions in the order of tilewright_kernel_operand. Errors of all calls: B0xx,
// types and shapes that do not fit the statement, with the place in it; R073, an operand that is not in memory of this
// device; R076, another number of operands; R078, a workspace past the limit; R001 to R008 and R020 to R023, a
// description that is malformed.

typedef struct tilewright_call_options {
  size_t size;  ///< sizeof(tilewright_call_options)
  /// Not 0: the call is queued on `stream` and returns before the results are there; operands and output must live
  /// until they are. 0: the call waits, and on a GPU begins behind what the default stream holds.
  int32_t has_stream;
  void* stream;  ///< a CUstream of the engine's device; null is the default stream
} tilewright_call_options;

/// The type and shape of a statement's result. `shape` has room for 8 extents. R077: a program.
TILEWRIGHT_C_API tilewright_status tilewright_result_type(const tilewright_kernel* kernel,
                                                          const tilewright_tensor* operands, size_t count,
                                                          tilewright_type* type, int32_t* rank, int64_t* shape,
                                                          tilewright_error** error);

/// The types and shapes of all results, a program's too: `types`, `ranks` and `shapes` have room for
/// tilewright_kernel_result_count of them, `shapes` for 8 extents each. The operands' data may be null.
TILEWRIGHT_C_API tilewright_status tilewright_result_types(const tilewright_kernel* kernel,
                                                           const tilewright_tensor* operands, size_t count,
                                                           tilewright_type* types, int32_t* ranks, int64_t* shapes,
                                                           tilewright_error** error);

/// Computes a statement into existing memory of any strides. `options` may be null. R074: another type or shape than
/// the result's. R060 to R063: it overlaps an operand or itself. R077: a program. R082: a stream where there is none.
TILEWRIGHT_C_API tilewright_status tilewright_call(const tilewright_engine* engine, const tilewright_kernel* kernel,
                                                   const tilewright_tensor* operands, size_t count,
                                                   const tilewright_tensor* output,
                                                   const tilewright_call_options* options, tilewright_error** error);

/// Computes all results of a statement or a program into new, row-major tensors: `results` has room for
/// tilewright_kernel_result_count of them, in the order of tilewright_kernel_result.
TILEWRIGHT_C_API tilewright_status tilewright_run(const tilewright_engine* engine, const tilewright_kernel* kernel,
                                                  const tilewright_tensor* operands, size_t count,
                                                  tilewright_managed_tensor** results, tilewright_error** error);

/// A row-major copy, in memory that the engine's kernels reach, of a tensor that the host reads; and the reverse. R091,
/// R004: no memory for it.
TILEWRIGHT_C_API tilewright_status tilewright_to_device(const tilewright_engine* engine,
                                                        const tilewright_tensor* tensor,
                                                        tilewright_managed_tensor** copy, tilewright_error** error);
TILEWRIGHT_C_API tilewright_status tilewright_to_host(const tilewright_engine* engine, const tilewright_tensor* tensor,
                                                      tilewright_managed_tensor** copy, tilewright_error** error);

// ---- what the compiler did
// -------------------------------------------------------------------------------------------
//
// Only types, shapes, strides and alignments of the operands matter here; their data may be null. A text or block of
// bytes that is returned has a NUL behind it and goes back with tilewright_bytes_free.

TILEWRIGHT_C_API void tilewright_bytes_free(char* bytes);

/// A kernel at one stage of compilation: nest, tile, kernel, llvm, asm, obj, ptx for the target "host" or "nvptx:ARCH".
/// C014 to C016: no such target or stage.
TILEWRIGHT_C_API tilewright_status tilewright_emit(const tilewright_kernel* kernel, const char* target,
                                                   const char* stage, const tilewright_tensor* operands, size_t count,
                                                   char** bytes, size_t* size, tilewright_error** error);

/// What the compiler chose for these operands and why: passes, plan, kernels, cost. `html` not 0: as a page.
TILEWRIGHT_C_API tilewright_status tilewright_explain(const tilewright_engine* engine, const tilewright_kernel* kernel,
                                                      const tilewright_tensor* operands, size_t count, int html,
                                                      char** text, tilewright_error** error);

typedef struct tilewright_timing {
  double median;  ///< seconds of one call
  double low;     ///< first quartile
  double high;    ///< third quartile
  size_t calls;
  double flops;  ///< floating-point operations of the statement
  double bytes;  ///< that it must read and write
} tilewright_timing;

/// Times calls of a statement into `output` for about `seconds`, without the checks before a call. Errors as
/// tilewright_call.
TILEWRIGHT_C_API tilewright_status tilewright_time(const tilewright_engine* engine, const tilewright_kernel* kernel,
                                                   const tilewright_tensor* operands, size_t count,
                                                   const tilewright_tensor* output, double seconds,
                                                   tilewright_timing* timing, tilewright_error** error);

#ifdef __cplusplus
}
#endif
