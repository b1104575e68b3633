// The libraries to compare with, opened at run time; one that is not there is left out of the tables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tilewright::bench {

/// Row-major f32. Each call blocks until the result is there.
class OpenBlas {
 public:
  /// Null if the library is not there. Its kernels are chosen by itself: OPENBLAS_CORETYPE is unset first.
  static std::unique_ptr<OpenBlas> open();

  std::string version() const;  ///< with the name of the kernels that it chose
  void set_threads(int count) const { set_threads_(count); }
  /// c = a·b, m × k by k × n.
  void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c) const;
  /// y = a·x, m × n.
  void gemv(std::int64_t m, std::int64_t n, const float* a, const float* x, float* y) const;
  float dot(std::int64_t n, const float* x, const float* y) const;
  /// b = aᵀ for a of m × n.
  void transpose(std::int64_t m, std::int64_t n, const float* a, float* b) const;

 private:
  using Gemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
  using Gemv = void (*)(int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
  using Dot = float (*)(int, const float*, int, const float*, int);
  using Transpose = void (*)(int, int, int, int, float, const float*, int, float*, int);
  Gemm gemm_ = nullptr;
  Gemv gemv_ = nullptr;
  Dot dot_ = nullptr;
  Transpose transpose_ = nullptr;
  void (*set_threads_)(int) = nullptr;
  char* (*config_)() = nullptr;
  char* (*core_name_)() = nullptr;
};

/// oneDNN's plain matrix product.
class OneDnn {
 public:
  static std::unique_ptr<OneDnn> open();

  std::string version() const;
  void set_threads(int count) const;
  /// c = a·b, m × k by k × n.
  void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c) const;

 private:
  struct Version {
    int major;
    int minor;
    int patch;
  };
  using Gemm = int (*)(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*, std::int64_t,
                       const float*, std::int64_t, float, float*, std::int64_t);
  Gemm gemm_ = nullptr;
  const Version* (*version_)() = nullptr;
  void (*set_threads_)(int) = nullptr;  ///< OpenMP's; null where the library has other threads
};

}  // namespace tilewright::bench
