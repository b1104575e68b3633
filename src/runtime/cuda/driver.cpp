// Loading: dlopen, one dlsym for each row of the table, cuInit. See driver.h.
#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace tilewright::cuda {
namespace {

constexpr const char* default_library = "libcuda.so.1";
constexpr const char* needed_driver = "install an NVIDIA driver that supports CUDA 12.0 or later (525 or later)";

/// The value of an environment variable that is set and not empty.
const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

std::unexpected<Diagnostics> absent(std::string reason, std::string remedy) {
  return fail("R072", "no CUDA device is there: " + std::move(reason), std::move(remedy));
}

std::string version_text_of(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// The first symbol of the table that the library lacks, or null.
const char* bind_all(void* library, DriverCalls& calls) {
  const char* missing = nullptr;
  const auto bind = [&](auto& call, const char* symbol) {
    void* address = ::dlsym(library, symbol);
    if (address == nullptr && missing == nullptr) missing = symbol;
    call.bind(address);
  };
#define X(name, symbol, parameters) bind(calls.name, symbol);
  TILEWRIGHT_CUDA_CALLS(X)
#undef X
  return missing;
}

/// What hides devices from this process, for the remedy.
std::string visibility_note() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return "use 'cpu', or a machine with an NVIDIA GPU (nvidia-smi lists them)";
  return fmt::format("CUDA_VISIBLE_DEVICES is '{}': unset it, or name a device that nvidia-smi lists", visible);
}

}  // namespace

Result<DriverPtr> Driver::load(const std::string& path) {
  // Never closed: the driver keeps threads of its own, and its handles outlive any order of destruction that we choose.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    return absent(
        fmt::format("the driver's library '{}' cannot be loaded ({})", path,
                    reason == nullptr ? "no reason given" : reason),
        fmt::format("use 'cpu', or {}; TILEWRIGHT_CUDA_DRIVER names a library in another place", needed_driver));
  }
  std::shared_ptr<Driver> driver(new Driver(path));
  const char* missing = bind_all(library, driver->calls_);
  // The version, where even an old driver tells it, explains a missing function.
  if (auto* get_version = reinterpret_cast<Status (*)(int*)>(::dlsym(library, "cuDriverGetVersion")))
    (void)get_version(&driver->version_);
  if (missing != nullptr)
    return absent(fmt::format("the driver's library '{}' (CUDA {}) has no function '{}'", path,
                              version_text_of(driver->version_), missing),
                  needed_driver);
  if (const Outcome initialised = driver->calls_.cuInit(0); !initialised.ok())
    return absent(driver->text(initialised), visibility_note());
  return driver;
}

Result<DriverPtr> Driver::instance() {
  static const Result<DriverPtr> driver = [] {
    const char* chosen = environment("TILEWRIGHT_CUDA_DRIVER");
    return load(chosen == nullptr ? default_library : chosen);
  }();
  return driver;
}

std::string Driver::version_text() const {
  return version_text_of(version_);
}

std::string Driver::text(Status status) const {
  const char* name = nullptr;
  const char* meaning = nullptr;
  if (!calls_.cuGetErrorName(status, &name).ok() || name == nullptr)
    return fmt::format("error {}", static_cast<int>(status));
  if (!calls_.cuGetErrorString(status, &meaning).ok() || meaning == nullptr) return name;
  return fmt::format("{} ({})", name, meaning);
}

std::string Driver::text(Outcome outcome) const {
  return fmt::format("{} failed: {}", outcome.call, text(outcome.status));
}

Result<void> Driver::check(Outcome outcome) const {
  if (outcome.ok()) return {};
  return fail("R090", text(outcome));
}

}  // namespace tilewright::cuda
