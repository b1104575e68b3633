// NumPy's .npy files (format 1.0, 2.0 and 3.0; numpy.lib.format) as tensors.
//
// Element types are written as NumPy and ml_dtypes write them: '<f8' '<f4' '<f2' '|i1' '|u1' '<i4' '<u4' '<i8' '|b1';
// bf16 is '<V2', f8e4m3 '<V1' and f8e5m2 '<f1', which are what numpy.save makes of arrays of ml_dtypes. NumPy reads
// '<V2' and '<V1' back as raw bytes (to be viewed as the ml_dtypes type) and refuses '<f1'. The names 'bfloat16',
// 'float8_e4m3fn' and 'float8_e5m2' are also read.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "runtime/tensor.h"

namespace tilewright {

struct NpyOptions {
  /// Map the file instead of copying it, where its byte order and the alignment of its data allow. The tensor is then
  /// read only and shows what the file holds; a process that shortens the file meanwhile makes reading it fail hard.
  bool map = true;
  /// The type of raw elements ('V1', 'V2') instead of f8e4m3 and bf16; its size must be theirs.
  std::optional<DType> raw_as = {};
};

/// Reads a file, a pipe or a device. Either byte order, C or Fortran order (as strides), bytes after the data ignored;
/// a bool other than 0 is 1. Messages name the path. R030: no .npy file. R031: a version or a header that the format
/// does not allow. R032: the file ends early. R033: an element type that there is none of here. R040: the file cannot
/// be read. R001 to R004 as Tensor::allocate.
Result<Tensor> read_npy(const std::filesystem::path& path, const NpyOptions& options = {});
/// The same from memory, copied.
Result<Tensor> read_npy_bytes(std::span<const std::byte> bytes, const NpyOptions& options = {});

/// Writes format 1.0 in C order, whole or not at all: on failure an older file of that name is untouched. R041: it
/// cannot be written. R017: not in memory that the host reads.
Result<void> write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace tilewright
