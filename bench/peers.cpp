#include "peers.h"

#include <dlfcn.h>

#include <cstdlib>

namespace tilewright::bench {
namespace {

// CBLAS's constants.
constexpr int row_major = 101;
constexpr int plain = 111;
constexpr int transposed = 112;

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

int as_int(std::int64_t value) {
  return static_cast<int>(value);
}

}  // namespace

std::unique_ptr<OpenBlas> OpenBlas::open() {
  unsetenv("OPENBLAS_CORETYPE");
  // Its threads spin for 2²⁰ cycles after a call, not 2²⁶: awake from one call to the next, asleep in another's turn.
  setenv("OPENBLAS_THREAD_TIMEOUT", "20", 1);
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto blas = std::make_unique<OpenBlas>();
  find(library, "cblas_sgemm", blas->gemm_);
  find(library, "cblas_sgemv", blas->gemv_);
  find(library, "cblas_sdot", blas->dot_);
  find(library, "cblas_somatcopy", blas->transpose_);
  find(library, "openblas_set_num_threads", blas->set_threads_);
  find(library, "openblas_get_config", blas->config_);
  find(library, "openblas_get_corename", blas->core_name_);
  const bool complete = blas->gemm_ && blas->gemv_ && blas->dot_ && blas->transpose_ && blas->set_threads_ &&
                        blas->config_ && blas->core_name_;
  return complete ? std::move(blas) : nullptr;
}

std::string OpenBlas::version() const {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …": the first two words.
  const std::string config = config_();
  const std::size_t end = config.find(' ', config.find(' ') + 1);
  return config.substr(0, end) + ", " + core_name_() + " kernels";
}

void OpenBlas::gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c) const {
  gemm_(row_major, plain, plain, as_int(m), as_int(n), as_int(k), 1.0F, a, as_int(k), b, as_int(n), 0.0F, c, as_int(n));
}

void OpenBlas::gemv(std::int64_t m, std::int64_t n, const float* a, const float* x, float* y) const {
  gemv_(row_major, plain, as_int(m), as_int(n), 1.0F, a, as_int(n), x, 1, 0.0F, y, 1);
}

float OpenBlas::dot(std::int64_t n, const float* x, const float* y) const {
  return dot_(as_int(n), x, 1, y, 1);
}

void OpenBlas::transpose(std::int64_t m, std::int64_t n, const float* a, float* b) const {
  transpose_(row_major, transposed, as_int(m), as_int(n), 1.0F, a, as_int(n), b, as_int(m));
}

std::unique_ptr<OneDnn> OneDnn::open() {
  setenv("GOMP_SPINCOUNT", "200000", 1);  // as for OpenBLAS: about half a millisecond
  void* library = nullptr;
  for (const char* name : {"libdnnl.so.3", "libdnnl.so.2"})
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto dnnl = std::make_unique<OneDnn>();
  find(library, "dnnl_sgemm", dnnl->gemm_);
  find(library, "dnnl_version", dnnl->version_);
  find(library, "omp_set_num_threads", dnnl->set_threads_);
  return dnnl->gemm_ && dnnl->version_ ? std::move(dnnl) : nullptr;
}

std::string OneDnn::version() const {
  const Version& v = *version_();
  return "oneDNN " + std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

void OneDnn::set_threads(int count) const {
  if (set_threads_ != nullptr) set_threads_(count);
}

void OneDnn::gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c) const {
  gemm_('N', 'N', m, n, k, 1.0F, a, k, b, n, 0.0F, c, n);
}

}  // namespace tilewright::bench
