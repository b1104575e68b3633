// Checks src/runtime/cuda on a real device: one program, one line for each check. Built on request as one file to carry
// (tests/device/CMakeLists.txt). Exit codes: 0 all held, 1 some did not, 3 there is no device.
//
//   cuda_runtime_check [cuda:N]
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

#include "cuda_kernels.h"
#include "runtime/cuda/copy.h"
#include "runtime/cuda/fill_tensor.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/cuda/module_cache.h"
#include "runtime/cuda/tensor_map.h"
#include "runtime/cuda/timing.h"
#include "runtime/fill.h"

namespace tilewright::cuda {
namespace {

/// Thrown by the checks' own helpers, so that each check reads straight through.
struct CheckFailed {
  std::string reason;
};

template <class T>
T take(Result<T> result) {
  if (!result) throw CheckFailed{render(result.error())};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

void expect(bool holds, std::string reason) {
  if (!holds) throw CheckFailed{std::move(reason)};
}

template <class T>
void expect_error(const Result<T>& result, std::string_view code, std::string_view part) {
  expect(!result, fmt::format("no error; {} was expected", code));
  const Diagnostic& first = result.error().front();
  expect(first.code == code && first.message.find(part) != std::string::npos,
         fmt::format("{}: {} (expected {} with '{}')", first.code, first.message, code, part));
  std::printf("      says: %s: %s\n", first.code.c_str(), first.message.c_str());
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> figures) {
  std::ranges::sort(figures);
  return figures[figures.size() / 2];
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.byte_size() == b.byte_size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.byte_size())) == 0;
}

class Checks {
 public:
  explicit Checks(ContextPtr context)
      : context_(std::move(context)), queue_(take(Stream::create(context_))), cache_(context_, DiskCache()) {}

  void run(const char* name, void (Checks::*check)()) {
    try {
      (this->*check)();
      std::printf("ok    %s\n", name);
    } catch (const CheckFailed& failed) {
      ++failures_;
      std::printf("FAIL  %s: %s\n", name, failed.reason.c_str());
    }
    std::fflush(stdout);
  }
  void note(const std::string& text) { std::printf("      %s\n", text.c_str()); }
  int failures() const { return failures_; }

  void list_devices();
  void memory();
  void full_device();
  void copies();
  void fills();
  void add();
  void large_shared_memory();
  void spill_figures();
  void refused_ptx();
  void limits();
  void clusters();
  void dependent_launch();
  void tensor_maps();
  void copy_bandwidth();
  void replay();
  void disk_cache();
  void threads();
  void host_overhead();
  void lost_device();

 private:
  Function any(const std::string& name) { return take(take(cache_.load(kernels::any_device()))->function(name)); }
  Function hopper(const std::string& name) { return take(take(cache_.load(kernels::hopper()))->function(name)); }

  ContextPtr context_;
  Stream queue_;
  ModuleCache cache_;
  int failures_ = 0;
};

void Checks::list_devices() {
  const Driver& driver = context_->driver();
  note(
      fmt::format("driver {} of CUDA {}, PTX {}", driver.path(), driver.version_text(), ptx_version(driver.version())));
  for (const DeviceProperties& d : take(cuda::list_devices(driver))) {
    note(fmt::format("{}: {} ({}), {} multiprocessors at {} MHz, {} MiB, L2 {} MiB, memory {} MHz x {} bits", d.text(),
                     d.binary_target(), ptx_target(d.major, d.minor), d.multiprocessors, d.clock_khz / 1000,
                     d.memory_bytes >> 20, d.l2_bytes >> 20, d.memory_clock_khz / 1000, d.memory_bus_bits));
    note(fmt::format(
        "  a block: {} threads, {} bytes of shared memory ({} reserved), {} registers; a multiprocessor: {}, "
        "{}, {}, {} blocks; pools {}, clusters {}, tensor maps {}",
        d.max_threads_per_block, d.shared_bytes_per_block, d.reserved_shared_bytes, d.registers_per_block,
        d.max_threads_per_multiprocessor, d.shared_bytes_per_multiprocessor, d.registers_per_multiprocessor,
        d.max_blocks_per_multiprocessor, d.has_memory_pools, d.has_clusters, d.has_tensor_maps));
    expect(d.major >= 8 && d.multiprocessors > 0 && d.memory_bytes > 0 && d.l2_bytes > 0 && !d.name.empty() &&
               d.shared_bytes_per_block >= 48 << 10 && d.max_grid_x == 2147483647,
           "a figure is missing");
  }
  expect_error(find_device(driver, 1000), "R072", "device 'cuda:1000' is not there");
}

void Checks::memory() {
  const std::int64_t before = take(context_->memory()).free_bytes;
  {
    const DeviceMemory large = take(DeviceMemory::allocate(queue_, std::int64_t{1} << 30));
    expect(large.address() % 256 == 0, "not aligned to 256");
    expect(take(context_->memory()).free_bytes <= before - (std::int64_t{1} << 30), "no memory was taken");
  }
  take(queue_.synchronize());
  expect(context_->pool().reserved_bytes() >= std::int64_t{1} << 30, "the pool keeps nothing");
  const double start = seconds_now();
  constexpr int rounds = 1000;
  for (int n = 0; n < rounds; ++n) (void)take(DeviceMemory::allocate(queue_, 1 << 20));
  note(fmt::format("an allocation and its release: {:.2f} us", (seconds_now() - start) / rounds * 1e6));
  context_->pool().trim();
  expect(context_->pool().reserved_bytes() < 64 << 20, "the pool gives nothing back");
  take(fill_bytes(queue_, take(DeviceMemory::allocate(queue_, 1000)).address(), 3, 1000));
}

void Checks::full_device() {
  const std::int64_t total = take(context_->memory()).total_bytes;
  expect_error(DeviceMemory::allocate(queue_, 2 * total), "R091", "bytes are free");
  std::vector<DeviceMemory> pieces;
  Result<DeviceMemory> piece = DeviceMemory::allocate(queue_, total / 8);
  for (; piece; piece = DeviceMemory::allocate(queue_, total / 8)) pieces.push_back(std::move(*piece));
  expect(pieces.size() >= 4 && pieces.size() <= 8, fmt::format("{} eighths fit", pieces.size()));
  expect_error(piece, "R091", "bytes are free");
  take(queue_.synchronize());
  // The rest of the device goes on working, also while it is full, and after.
  pieces.pop_back();
  const Tensor host = take(arange(DType::i32, {1000}));
  expect(same_bytes(take(to_host(queue_, take(to_device(queue_, host)))), host), "a copy on a full device differs");
  pieces.clear();
  context_->pool().trim();
  (void)take(DeviceMemory::allocate(queue_, total / 4));
  context_->pool().trim();
}

void Checks::copies() {
  const Tensor host = take(arange(DType::i32, {1031, 65537}));       // 270 MB, an odd number of chunks
  (void)take(to_device(queue_, take(host.slice(0, {.stop = 64}))));  // pins the chunks
  double start = seconds_now();
  const Tensor there = take(to_device(queue_, host));
  take(queue_.synchronize());
  const double down = seconds_now() - start;
  start = seconds_now();
  const Tensor back = take(to_host(queue_, there));
  const double up = seconds_now() - start;
  expect(same_bytes(back, host), "270 MB come back changed");
  const double bytes = static_cast<double>(host.byte_size());
  note(fmt::format("to the device {:.1f} GB/s, to the host {:.1f} GB/s (pageable, staged)", bytes / down / 1e9,
                   bytes / up / 1e9));
  const Tensor turned = take(host.transpose({1, 0}));
  expect(same_bytes(take(to_host(queue_, take(to_device(queue_, turned)))), take(turned.clone())),
         "a transposed tensor comes back changed");
  expect(same_bytes(take(to_host(queue_, take(there.transpose({1, 0})))), take(turned.clone())),
         "a transposed tensor of the device comes back changed");
}

void Checks::fills() {
  const auto same_fill = [&](DType type, Scalar value, auto view) {
    const Tensor host = take(random_data(type, {30, 40, 50}, 5));
    const Tensor there = take(to_device(queue_, host));
    take(fill_tensor(queue_, view(there).view(), value));
    const TensorView target = view(host).view();
    for_each_index(target.shape, [&](const std::vector<std::int64_t>& index) { target.set(index, value); });
    expect(same_bytes(take(to_host(queue_, there)), host), fmt::format("a fill of {} is wrong", name(type)));
  };
  const auto all = [](const Tensor& tensor) { return tensor; };
  const auto some = [](const Tensor& tensor) {
    return take(
        take(take(tensor.transpose({2, 0, 1})).slice(0, {.start = 40, .stop = 4, .step = -3})).slice(2, {.step = 2}));
  };
  for (const DType type : {DType::u8, DType::i32, DType::i64}) {
    same_fill(type, Scalar::of(std::int64_t{5}), all);
    same_fill(type, Scalar::of(std::int64_t{7}), some);
  }
  for (const DType type : {DType::f16, DType::f32, DType::f64}) {
    same_fill(type, Scalar::of(-1.5), all);
    same_fill(type, Scalar::of(-1.5), some);
  }
}

void Checks::add() {
  constexpr std::int64_t count = 1000003;
  const Tensor a = take(random_data(DType::f32, {count}, 1));
  const Tensor b = take(random_data(DType::f32, {count}, 2));
  const Tensor da = take(to_device(queue_, a));
  const Tensor db = take(to_device(queue_, b));
  const Tensor dc = take(allocate_tensor(queue_, DType::f32, {count}));
  const Launch shape{.grid = {(count + 255) / 256, 1, 1}, .block = {256, 1, 1}};
  const Function kernel = any("add");
  take(kernel.launch_with(queue_, shape, device_address(da), device_address(db), device_address(dc),
                          static_cast<std::int32_t>(count)));
  const Tensor c = take(to_host(queue_, dc));
  for (std::int64_t n = 0; n < count; ++n)
    expect(c.at<float>({n}) == a.at<float>({n}) + b.at<float>({n}), fmt::format("element {} is wrong", n));
  note(fmt::format("add: {} registers, {} threads at most, {} blocks of 256 a multiprocessor",
                   kernel.properties().registers, kernel.properties().max_threads,
                   take(kernel.resident_blocks(shape))));
  expect(kernel.properties().registers > 0 && kernel.properties().local_bytes == 0, "no figures of the kernel");
}

void Checks::large_shared_memory() {
  constexpr std::int64_t words = 25600;
  const Tensor from = take(to_device(queue_, take(arange(DType::i32, {words}))));
  const Tensor to = take(allocate_tensor(queue_, DType::i32, {words}));
  take(any("reverse").launch_with(queue_, {.block = {1024, 1, 1}, .shared_bytes = 4 * words}, device_address(from),
                                  device_address(to)));
  const Tensor back = take(to_host(queue_, to));
  for (std::int64_t n = 0; n < words; ++n)
    expect(back.at<std::int32_t>({n}) == words - 1 - n, fmt::format("word {} is {}", n, back.at<std::int32_t>({n})));
}

void Checks::spill_figures() {
  const ModulePtr tight = take(cache_.load(kernels::any_device(), {.max_registers = 32}));
  const FunctionProperties properties = take(tight->function("spills")).properties();
  expect(properties.log.has_value(), fmt::format("the compiler's log has no figures: {}", tight->cubin().log));
  note(fmt::format("with 32 registers: {} stored, {} loaded, {} local bytes", properties.log->spill_store_bytes,
                   properties.log->spill_load_bytes, properties.local_bytes));
  expect(properties.log->spill_store_bytes > 0 && properties.local_bytes > 0 && properties.registers <= 32,
         "no spills where there must be some");
  expect(any("spills").properties().log->spill_store_bytes == 0, "spills where there must be none");
}

void Checks::refused_ptx() {
  expect_error(cache_.load(".version 8.0\n.target sm_80\n.address_size 64\n.entry x() { nonsense; }\n"), "R093",
               "nonsense");
  expect_error(cache_.load(".version 99.0\n.target sm_80\n.address_size 64\n.entry x() { ret; }\n"), "R093",
               "the compiler of driver");
  expect_error(take(cache_.load(kernels::any_device()))->function("absent"), "R090", "cuModuleGetFunction failed");
}

void Checks::limits() {
  const Function kernel = any("fault");
  const DevicePointer none = 0;
  expect_error(kernel.launch_with(queue_, {.block = {2048, 1, 1}}, none), "R094", "2048 x 1 x 1 threads");
  expect_error(kernel.launch_with(queue_, {.shared_bytes = 300000}, none), "R094", "300000 bytes of shared memory");
  expect_error(kernel.launch_with(queue_, {.grid = {std::int64_t{1} << 31, 1, 1}}, none), "R094", "2147483648 x 1 x 1");
  take(queue_.synchronize());
}

void Checks::clusters() {
  constexpr std::int64_t blocks = 200;
  const Function kernel = hopper("neighbour");
  for (const std::int64_t size : {2, 4}) {
    const Tensor to = take(allocate_tensor(queue_, DType::i32, {blocks}));
    const Launch shape{.grid = {blocks, 1, 1}, .cluster = {size, 1, 1}};
    take(kernel.launch_with(queue_, shape, device_address(to)));
    const Tensor back = take(to_host(queue_, to));
    for (std::int64_t n = 0; n < blocks; ++n)
      expect(back.at<std::int32_t>({n}) == 1000 + (n ^ 1),
             fmt::format("block {} of clusters of {} read {}", n, size, back.at<std::int32_t>({n})));
    note(fmt::format("clusters of {}: {} at once", size, take(kernel.resident_clusters(shape))));
  }
  // More than 8 blocks must be asked for.
  const Tensor to = take(allocate_tensor(queue_, DType::i32, {32}));
  take(kernel.launch_with(queue_, {.grid = {32, 1, 1}, .cluster = {16, 1, 1}}, device_address(to)));
  expect(take(to_host(queue_, to)).at<std::int32_t>({31}) == 1030, "a cluster of 16 is wrong");
}

void Checks::dependent_launch() {
  constexpr std::int64_t count = 1 << 20;
  const Tensor ones = take(to_device(queue_, take(full(DType::f32, {count}, Scalar::of(1.0)))));
  const Tensor sum = take(to_device(queue_, take(zeros(DType::f32, {count}))));
  const Function kernel = hopper("add_after");
  Launch shape{.grid = {count / 256, 1, 1}, .block = {256, 1, 1}};
  shape.overlaps_previous = true;
  for (int n = 0; n < 50; ++n)
    take(kernel.launch_with(queue_, shape, device_address(ones), device_address(sum), device_address(sum),
                            static_cast<std::int32_t>(count)));
  const Tensor back = take(to_host(queue_, sum));
  for (std::int64_t n = 0; n < count; ++n)
    expect(back.at<float>({n}) == 50, fmt::format("element {} is {}", n, back.at<float>({n})));
}

void Checks::tensor_maps() {
  const Tensor host = take(arange(DType::f32, {20, 40}, 1));
  const Tensor there = take(to_device(queue_, host));
  const Tensor to = take(allocate_tensor(queue_, DType::f32, {8, 32}));
  const TensorMap map = take(encode_tensor_map(*context_, {.type = TensorMapType::f32,
                                                           .address = device_address(there),
                                                           .extents = {40, 20},
                                                           .strides = {160},
                                                           .box = {32, 8}}));
  const Function kernel = hopper("load_box");
  // A box whose first byte is no multiple of 16 is an illegal instruction: x goes in fours.
  for (const auto& [x, y] : {std::pair(0, 0), std::pair(16, 15), std::pair(-4, 2)}) {
    take(kernel.launch_with(queue_, {.block = {32, 1, 1}}, map, device_address(to), x, y));
    const Tensor box = take(to_host(queue_, to));
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 32; ++column) {
        const int i = y + row;
        const int j = x + column;
        const bool inside = i >= 0 && i < 20 && j >= 0 && j < 40;
        const float expected = inside ? host.at<float>({i, j}) : 0;
        expect(box.at<float>({row, column}) == expected,
               fmt::format("box at ({}, {}): element ({}, {}) is {}", x, y, row, column, box.at<float>({row, column})));
      }
  }
}

void Checks::copy_bandwidth() {
  constexpr std::int64_t bytes = 256 << 20;
  constexpr std::int64_t count = bytes / 16;
  const DeviceMemory from = take(DeviceMemory::allocate(queue_, bytes));
  const DeviceMemory to = take(DeviceMemory::allocate(queue_, bytes));
  take(fill_bytes(queue_, from.address(), 1, bytes));
  const Function kernel = any("copy");
  const Launch shape{.grid = {count / 256, 1, 1}, .block = {256, 1, 1}};
  const auto work = [&](const Stream& where, int) {
    return kernel.launch_with(where, shape, from.address(), to.address(), static_cast<std::int32_t>(count));
  };
  const double cold = median(take(time_cold(queue_, work, 20)));
  const double replayed = median(take(time_replays(queue_, work)));
  const Event start = take(Event::create(context_, Event::Kind::timing));
  const Event end = take(Event::create(context_, Event::Kind::timing));
  take(start.record(queue_));
  for (int n = 0; n < 20; ++n) take(work(queue_, n));
  take(end.record(queue_));
  take(end.synchronize());
  const double queued = take(Event::seconds_between(start, end)) / 20;
  const auto rate = [&](double seconds) { return 2.0 * static_cast<double>(bytes) / seconds / 1e12; };
  note(fmt::format(
      "copy of 256 MB: cold {:.1f} us ({:.2f} TB/s), replayed {:.1f} us ({:.2f}), queued {:.1f} us ({:.2f})",
      cold * 1e6, rate(cold), replayed * 1e6, rate(replayed), queued * 1e6, rate(queued)));
  expect(cold < 1.3 * queued && queued < 1.3 * cold && replayed < 1.3 * cold, "three ways to time disagree");
}

void Checks::replay() {
  constexpr std::int64_t count = 1000;
  const Tensor ones = take(to_device(queue_, take(full(DType::f32, {count}, Scalar::of(1.0)))));
  const Tensor sum = take(to_device(queue_, take(zeros(DType::f32, {count}))));
  const Function kernel = any("add");
  const auto work = [&](const Stream& where, int) {
    return kernel.launch_with(where, {.grid = {4, 1, 1}, .block = {256, 1, 1}}, device_address(ones),
                              device_address(sum), device_address(sum), static_cast<std::int32_t>(count));
  };
  const double seconds = median(take(time_replays(queue_, work, {.launches = 100, .replays = 9})));
  expect(take(to_host(queue_, sum)).at<float>({count - 1}) == 1000, "100 launches replayed 10 times add up wrongly");
  note(fmt::format("a short kernel replayed: {:.2f} us", seconds * 1e6));
  expect_error(time_replays(queue_, [](const Stream& where, int) { return where.synchronize(); }), "R090",
               "cuStreamSynchronize");
  take(queue_.synchronize());
}

void Checks::disk_cache() {
  std::string folder = (std::filesystem::temp_directory_path() / "tilewright-check-XXXXXX").string();
  expect(::mkdtemp(folder.data()) != nullptr, "no temporary folder");
  const std::string ptx = kernels::any_device() + fmt::format("// {}\n", seconds_now());  // that no cache knows
  std::array<double, 3> seconds{};
  for (int n = 0; n < 2; ++n) {
    ModuleCache cache(context_, take(DiskCache::open({.folder = folder})));
    double start = seconds_now();
    const ModulePtr module = take(cache.load(ptx));
    seconds[static_cast<std::size_t>(n)] = seconds_now() - start;
    expect(take(module->function("spills")).properties().log.has_value(), "the log is lost");
    start = seconds_now();
    expect(take(cache.load(ptx)) == module, "not kept in memory");
    seconds[2] = seconds_now() - start;
  }
  std::filesystem::remove_all(folder);
  note(fmt::format("5 kernels: compiled in {:.1f} ms, from disk {:.2f} ms, from memory {:.1f} us", seconds[0] * 1e3,
                   seconds[1] * 1e3, seconds[2] * 1e6));
  expect(seconds[1] < seconds[0] / 3, "the disk cache is no quicker");
}

void Checks::threads() {
  std::vector<std::thread> threads;
  std::vector<std::string> errors(4);
  for (std::size_t n = 0; n < errors.size(); ++n)
    threads.emplace_back([&, n] {
      try {
        const Stream queue = take(Stream::create(context_));
        ModuleCache cache(context_, DiskCache());
        const Function kernel = take(take(cache.load(kernels::any_device()))->function("add"));
        for (int round = 0; round < 50; ++round) {
          const std::int64_t count = 100000 + round;
          const Tensor a = take(to_device(queue, take(arange(DType::f32, {count}))));
          const Tensor b = take(to_device(queue, take(full(DType::f32, {count}, Scalar::of(double(n))))));
          const Tensor c = take(allocate_tensor(queue, DType::f32, {count}));
          take(kernel.launch_with(queue, {.grid = {(count + 255) / 256, 1, 1}, .block = {256, 1, 1}}, device_address(a),
                                  device_address(b), device_address(c), static_cast<std::int32_t>(count)));
          const Tensor back = take(to_host(queue, c));
          for (std::int64_t i = 0; i < count; ++i)
            expect(back.at<float>({i}) == static_cast<float>(i) + static_cast<float>(n), "a wrong sum");
        }
      } catch (const CheckFailed& failed) {
        errors[n] = failed.reason;
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) expect(error.empty(), error);
}

void Checks::host_overhead() {
  const Tensor one = take(to_device(queue_, take(zeros(DType::f32, {1}))));
  const Function kernel = any("add");
  constexpr int rounds = 500;
  const double start = seconds_now();
  for (int n = 0; n < rounds; ++n)
    take(kernel.launch_with(queue_, {}, device_address(one), device_address(one), device_address(one), 1));
  const double queued = (seconds_now() - start) / rounds;
  take(queue_.synchronize());
  note(fmt::format("host time of a launch: {:.2f} us", queued * 1e6));
}

/// The last check: nothing works on the device after it.
void Checks::lost_device() {
  const DeviceMemory memory = take(DeviceMemory::allocate(queue_, 1000));
  const Function kernel = any("fault");
  take(kernel.launch_with(queue_, {}, DevicePointer{0x10}));
  expect_error(queue_.synchronize(), "R092", "CUDA_ERROR_ILLEGAL_ADDRESS");
  expect(context_->is_lost(), "not known to be lost");
  expect_error(DeviceMemory::allocate(queue_, 1), "R092", "CUDA_ERROR_ILLEGAL_ADDRESS");
  expect_error(to_device(queue_, take(zeros(DType::f32, {1}))), "R092", "cuStreamSynchronize failed");
  expect_error(Stream::create(context_), "R092", "is lost");
}

struct NamedCheck {
  const char* name;
  void (Checks::*check)();
  bool needs_hopper = false;
};
constexpr NamedCheck all_checks[]{
    {"devices and their figures", &Checks::list_devices},
    {"memory and its pool", &Checks::memory},
    {"a full device", &Checks::full_device},
    {"copies of any strides", &Checks::copies},
    {"fills of any strides", &Checks::fills},
    {"an elementwise kernel", &Checks::add},
    {"100 KiB of shared memory", &Checks::large_shared_memory},
    {"figures of spills", &Checks::spill_figures},
    {"PTX that is refused", &Checks::refused_ptx},
    {"launches beyond limits", &Checks::limits},
    {"clusters", &Checks::clusters, true},
    {"programmatic dependent launch", &Checks::dependent_launch, true},
    {"tensor maps", &Checks::tensor_maps, true},
    {"timing of a copy", &Checks::copy_bandwidth},
    {"graph replay", &Checks::replay},
    {"the disk cache", &Checks::disk_cache},
    {"four threads", &Checks::threads},
    {"the host's time", &Checks::host_overhead},
    {"a lost device", &Checks::lost_device},
};

/// Whether a lost device comes back once everybody has let go of it: told, not judged.
void reopen(const char* device) {
  const Result<ContextPtr> again = Context::open(device);
  const Result<void> works = again ? (*again)->synchronize() : std::unexpected(again.error());
  std::printf("      opened again in this process: %s\n", works ? "it works" : works.error().front().message.c_str());
}

int main_of(const char* device) {
  const double start = seconds_now();
  const Result<ContextPtr> context = Context::open(device);
  if (!context) {
    std::printf("%s\n", render(context.error()).c_str());
    return 3;
  }
  std::printf("      a context takes %.0f ms\n", (seconds_now() - start) * 1e3);
  int failures = 0;
  {
    Checks checks(*context);
    for (const NamedCheck& check : all_checks)
      if (!check.needs_hopper || (*context)->device().major >= 9) checks.run(check.name, check.check);
    failures = checks.failures();
  }
  std::printf("%s\n", failures == 0 ? "all checks hold" : fmt::format("{} checks do not hold", failures).c_str());
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tilewright::cuda

int main(int argc, char** argv) {
  const char* device = argc > 1 ? argv[1] : "cuda";
  const int result = tilewright::cuda::main_of(device);
  if (result != 3) tilewright::cuda::reopen(device);
  return result;
}
