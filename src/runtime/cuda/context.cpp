// Primary contexts, shared by all who open a device. See context.h.
#include "runtime/cuda/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "runtime/cuda/memory_pool.h"
#include "runtime/cuda/staging.h"

namespace tilewright::cuda {
namespace {

constexpr std::array sticky_statuses{
    Status::deinitialized,        Status::ecc_uncorrectable,
    Status::nvlink_uncorrectable, Status::contained,
    Status::illegal_address,      Status::launch_timeout,
    Status::context_is_destroyed, Status::assertion,
    Status::hardware_stack_error, Status::illegal_instruction,
    Status::misaligned_address,   Status::invalid_address_space,
    Status::invalid_pc,           Status::launch_failed,
    Status::tensor_memory_leak,
};

/// The contexts that someone holds.
struct Registry {
  std::mutex mutex;
  std::map<std::pair<const Driver*, int>, std::weak_ptr<Context>> contexts;
};

Registry& registry() {
  static Registry* const instance = new Registry;  // never destroyed: contexts may be opened while the process ends
  return *instance;
}

}  // namespace

Context::Context(DriverPtr driver, DeviceProperties device) : driver_(std::move(driver)), device_(std::move(device)) {}

Context::~Context() {
  pool_.reset();
  staging_.reset();
  if (handle_ != nullptr) (void)driver_->calls().cuDevicePrimaryCtxRelease(device_handle_);
}

Result<void> Context::retain() {
  const DriverCalls& calls = driver_->calls();
  if (auto found = driver_->check(calls.cuDeviceGet(&device_handle_, device_.ordinal)); !found) return found;
  const Outcome retained = calls.cuDevicePrimaryCtxRetain(&handle_, device_handle_);
  if (retained.status == Status::out_of_memory)
    return fail("R091", fmt::format("no memory for a context on {}: {}", device_.text(), driver_->text(retained)),
                "another process may hold it (nvidia-smi lists them)");
  if (auto checked = driver_->check(retained); !checked) return checked;
  pool_ = std::make_unique<MemoryPool>(*this);
  staging_ = std::make_unique<StagingPool>(*this);
  return {};
}

Result<ContextPtr> Context::open(std::string_view device_name) {
  const Result<int> ordinal = parse_device_name(device_name);
  if (!ordinal) return std::unexpected(ordinal.error());
  const Result<DriverPtr> driver = Driver::instance();
  if (!driver) return std::unexpected(driver.error());
  return open(*driver, *ordinal);
}

Result<ContextPtr> Context::open(const DriverPtr& driver, int ordinal) {
  Registry& known = registry();
  const std::lock_guard lock(known.mutex);
  std::weak_ptr<Context>& entry = known.contexts[{driver.get(), ordinal}];
  // The driver of a live context lives, so its address is not another's.
  if (ContextPtr shared = entry.lock()) return shared;
  Result<DeviceProperties> device = find_device(*driver, ordinal);
  if (!device) return std::unexpected(std::move(device.error()));
  ContextPtr context(new Context(driver, std::move(*device)));
  if (auto retained = context->retain(); !retained) return std::unexpected(std::move(retained.error()));
  entry = context;
  return context;
}

bool Context::is_sticky(Status status) {
  return std::ranges::find(sticky_statuses, status) != sticky_statuses.end();
}

std::unexpected<Diagnostics> Context::lost_error() const {
  const std::lock_guard lock(lost_mutex_);
  return fail("R092", fmt::format("device {} is lost: {}", device_.text(), lost_cause_),
              "a kernel that ran before this call did it; the device works again in a new process");
}

Result<void> Context::check(Outcome outcome) {
  if (outcome.ok()) return {};
  if (is_sticky(outcome.status)) {
    {
      const std::lock_guard lock(lost_mutex_);
      if (lost_cause_.empty()) lost_cause_ = driver_->text(outcome);
    }
    lost_.store(true, std::memory_order_release);
    return lost_error();
  }
  if (outcome.status == Status::out_of_memory)
    return fail("R091",
                fmt::format("no memory left on {}: {}{}", device_.text(), driver_->text(outcome), free_memory_text()),
                "free tensors, or use smaller ones");
  return fail("R090", fmt::format("{}, on {}", driver_->text(outcome), device_.text()));
}

Result<void> Context::synchronize() {
  return call([](const DriverCalls& calls) { return calls.cuCtxSynchronize(); });
}

Result<MemoryFigures> Context::memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  if (auto asked = call([&](const DriverCalls& calls) { return calls.cuMemGetInfo(&free, &total); }); !asked)
    return std::unexpected(std::move(asked.error()));
  return MemoryFigures{static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

std::string Context::free_memory_text() {
  std::size_t free = 0;
  std::size_t total = 0;
  const Outcome asked = in_context([&](const DriverCalls& calls) { return calls.cuMemGetInfo(&free, &total); });
  return asked.ok() ? fmt::format(": {} of {} bytes are free", free, total) : "";
}

}  // namespace tilewright::cuda
