// See metal_machine.h.
#include "metal_machine.h"

#include <fmt/format.h>
#include <array>
#include <cmath>

#include <algorithm>
#include <cstring>

#include "fibers.h"

namespace tilewright::metal_shim {

namespace {

constexpr std::size_t array_gap = 16;  ///< between arrays, where nothing may reach
thread_local Machine* running = nullptr;

/// A thread at a time: two notes of it are the same where nothing orders other threads in between.
constexpr unsigned thread_bits = 12;

bool same_thread(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t mask = (1U << thread_bits) - 1;
  return (a & mask) == (b & mask);
}
std::uint64_t epoch_of(std::uint64_t note) {
  return note >> thread_bits;
}

}  // namespace

Buffer::Buffer(std::byte* data, std::size_t bytes, std::size_t granule, bool readonly)
    : data_(data), bytes_(bytes), granule_(granule), readonly_(readonly) {
  if (!readonly) notes_.resize((bytes + granule - 1) / granule);
}

void Buffer::note_written() {
  for (Note& note : notes_) note.writer = 1;  // of the epoch 0
}

Machine::Machine() : fibers_(std::make_unique<Fibers>()) {}
Machine::~Machine() = default;

tw_machine* Machine::interface() {
  static tw_machine calls = {[](const void* address, unsigned bytes, int writes) {
                               running->access(static_cast<const std::byte*>(address), bytes, writes != 0);
                             },
                             [](int flags, int line) { running->wait_at_barrier(flags, line); },
                             [](const void* own, unsigned bytes, tw_exchange_kind kind, unsigned operand, void* result,
                                int line) { running->exchange(own, bytes, kind, operand, result, line); },
                             [](unsigned index, unsigned long bytes) { return running->array(index, bytes); },
                             [](const char* what) { running->fault(what); },
                             nullptr,
                             0};
  return &calls;
}

std::string Machine::run(const Launch& launch) {
  running = this;
  launch_ = &launch;
  fault_.clear();
  memory_.assign(launch.most_threadgroup_bytes + 64 * array_gap + 64, std::byte{0xcd});
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
  threadgroup_ = memory_.data() + (64 - address % 64) % 64;
  cells_.assign(launch.most_threadgroup_bytes + 64 * array_gap, {});
  launch_begin_ = ++epoch_;
  const unsigned count = launch.only.empty() ? launch.groups : static_cast<unsigned>(launch.only.size());
  for (unsigned n = 0; n < count && fault_.empty(); ++n) {
    std::string wrong = run_group(launch, launch.only.empty() ? n : launch.only[n]);
    if (fault_.empty()) fault_ = std::move(wrong);
  }
  return fault_;
}

void Machine::run_thread(void* argument) {
  auto* machine = static_cast<Machine*>(argument);
  const unsigned own = machine->current_;
  machine->launch_->entry(&machine->arguments_[own]);
  machine->threads_[own].state = State::done;
}

std::string Machine::run_group(const Launch& launch, unsigned group) {
  group_ = group;
  group_begin_ = ++epoch_;
  arrays_.clear();
  threads_.assign(launch.threads, {});
  arguments_.assign(launch.threads, {});
  for (unsigned t = 0; t < launch.threads; ++t) {
    tw_thread& own = arguments_[t];
    for (std::size_t b = 0; b < launch.arguments.size(); ++b) own.buffers[b] = launch.arguments[b];
    own.index = t;
    own.group = group;
    own.groups = launch.groups;
    own.lane = t % simd_width;
    own.simdgroup = t / simd_width;
  }
  fibers_->reset(launch.threads);
  while (true) {
    for (unsigned turn = 0; turn < launch.threads; ++turn) {
      current_ = launch.backwards ? launch.threads - 1 - turn : turn;
      if (threads_[current_].state != State::ready) continue;
      const std::span<const std::byte> stack = fibers_->stack(current_);
      interface()->stack = reinterpret_cast<const char*>(stack.data());
      interface()->stack_bytes = stack.size();
      fibers_->resume(current_, run_thread, this);
      if (!fault_.empty()) return fault_;
    }
    if (resolve_exchanges()) {
      if (!fault_.empty()) return fault_;
      continue;
    }
    const auto all = [&](State state) {
      return std::ranges::all_of(threads_, [&](const Thread& t) { return t.state == state; });
    };
    if (all(State::done)) return {};
    const auto same_line = [&](const Thread& t) { return t.line == threads_[0].line; };
    if (!all(State::at_barrier) || !std::ranges::all_of(threads_, same_line)) return stuck();
    ++epoch_;
    for (Thread& thread : threads_) thread.state = State::ready;
  }
}

/// Simdgroups all of whose threads have come to one exchange go on.
bool Machine::resolve_exchanges() {
  bool any = false;
  for (unsigned first = 0; first < threads_.size(); first += simd_width) {
    const std::size_t end = std::min<std::size_t>(first + simd_width, threads_.size());
    bool together = true;
    for (std::size_t t = first; t < end; ++t)
      together = together && threads_[t].state == State::at_exchange && threads_[t].line == threads_[first].line &&
                 threads_[t].kind == threads_[first].kind && threads_[t].bytes == threads_[first].bytes;
    if (!together) continue;
    exchange_in(first);
    any = true;
  }
  return any;
}

/// Matrices of 8 × 8: a thread has two neighbours of a row of each factor, of the sums and of the result.
void Machine::multiply_in(unsigned first) {
  struct Place {
    std::size_t row, column;
  };
  const auto place = [](std::size_t lane) {
    return Place{lane / 16 * 4 + lane / 2 % 4, lane / 8 % 2 * 4 + lane % 2 * 2};
  };
  std::array<std::array<float, 8>, 8> a{}, b{};
  for (std::size_t lane = 0; lane < simd_width; ++lane) {
    const auto [row, column] = place(lane);
    const float* own = threads_[first + lane].factors;
    for (std::size_t e = 0; e < 2; ++e) a[row][column + e] = own[e], b[row][column + e] = own[2 + e];
  }
  for (std::size_t lane = 0; lane < simd_width; ++lane) {
    const auto [row, column] = place(lane);
    Thread& thread = threads_[first + lane];
    for (std::size_t e = 0; e < 2; ++e) {
      float sum = thread.factors[4 + e];
      for (std::size_t k = 0; k < 8; ++k) sum = std::fma(a[row][k], b[k][column + e], sum);
      thread.product[e] = sum;
    }
  }
}

void Machine::exchange_in(unsigned first) {
  const std::size_t count = std::min<std::size_t>(simd_width, threads_.size() - first);
  if (threads_[first].kind == tw_product) {
    if (count < simd_width) {
      fault_ = fmt::format("line {}: a product of matrices by {} threads", threads_[first].line, count);
      return;
    }
    multiply_in(first);
  }
  bool any = false;
  bool all = true;
  for (std::size_t lane = 0; lane < count; ++lane) {
    any = any || threads_[first + lane].own != 0;
    all = all && threads_[first + lane].own != 0;
  }
  for (std::size_t lane = 0; lane < count; ++lane) {
    Thread& thread = threads_[first + lane];
    std::size_t source = lane;
    switch (thread.kind) {
      case tw_shuffle:
        source = thread.operand;
        break;
      case tw_shuffle_down:
        source = lane + thread.operand < simd_width ? lane + thread.operand : lane;
        break;
      case tw_shuffle_up:
        source = thread.operand <= lane ? lane - thread.operand : lane;
        break;
      case tw_shuffle_xor:
        source = lane ^ thread.operand;
        break;
      case tw_any:
        thread.result = any ? 1 : 0;
        continue;
      case tw_all:
        thread.result = all ? 1 : 0;
        continue;
      case tw_product:
        continue;
    }
    if (source >= count) {
      fault_ = fmt::format("line {}: lane {} asks for lane {}, which is not there", thread.line, lane, source);
      return;
    }
    thread.result = threads_[first + source].own;
  }
  for (std::size_t lane = 0; lane < count; ++lane) threads_[first + lane].state = State::ready;
}

std::string Machine::stuck() const {
  const auto text = [&](const Thread& thread) {
    switch (thread.state) {
      case State::at_barrier:
        return fmt::format("waits at the barrier of line {}", thread.line);
      case State::at_exchange:
        return fmt::format("waits at the exchange of line {}", thread.line);
      default:
        return std::string("has ended");
    }
  };
  for (std::size_t t = 1; t < threads_.size(); ++t)
    if (threads_[t].state != threads_[0].state || threads_[t].line != threads_[0].line)
      return fmt::format("divergent: in group {} thread 0 {}, thread {} {}", group_, text(threads_[0]), t,
                         text(threads_[t]));
  return fmt::format("divergent: in group {} thread 0 {}", group_, text(threads_[0]));
}

std::string Machine::place() const {
  return fmt::format("group {}, thread {}", group_, current_);
}

/// The thread does not go on; neither does any other. Nothing on its stack is destroyed, so that nothing may be owned
/// there by now.
void Machine::fault(std::string what) {
  {
    const std::string own = std::move(what);
    if (fault_.empty()) fault_ = fmt::format("{} ({})", own, place());
  }
  threads_[current_].state = State::done;
  fibers_->pause();
}

std::uint64_t Machine::now() const {
  return epoch_ << thread_bits | current_;
}

void Machine::access(const std::byte* address, std::size_t bytes, bool writes) {
  if (access_array(address, bytes, writes) || access_buffer(address, bytes, writes)) return;
  fault(fmt::format("{} of {} bytes outside of every buffer and array", writes ? "a store" : "a load", bytes));
}

bool Machine::access_array(const std::byte* address, std::size_t bytes, bool writes) {
  if (address < threadgroup_ || address >= threadgroup_ + cells_.size()) return false;
  const auto offset = static_cast<std::size_t>(address - threadgroup_);
  const auto holds = [&](const Array& each) {
    return offset >= each.offset && offset + bytes <= each.offset + each.bytes;
  };
  if (std::ranges::none_of(arrays_, holds)) return false;
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Cell& cell = cells_[i];
    const bool written = epoch_of(cell.writer) >= group_begin_;
    if (!writes && !written) {
      fault(fmt::format("a load of byte {} of threadgroup memory, which nothing has written", i));
      return true;
    }
    const bool races = epoch_of(cell.writer) == epoch_ && !same_thread(cell.writer, now());
    const bool overtakes = writes && epoch_of(cell.reader) == epoch_ && !same_thread(cell.reader, now());
    if (races || overtakes) {
      fault(fmt::format("a race at byte {} of threadgroup memory", i));
      return true;
    }
    (writes ? cell.writer : cell.reader) = now();
  }
  return true;
}

/// Threads of one launch see no other thread's stores but across a barrier of the device's memory in a threadgroup,
/// whose epochs lie behind its begin.
bool Machine::access_buffer(const std::byte* address, std::size_t bytes, bool writes) {
  for (Buffer* buffer : launch_->reach) {
    if (address < buffer->data_ || address + bytes > buffer->data_ + buffer->bytes_) continue;
    if (buffer->readonly_) {
      if (writes) fault("a store to a buffer that is read only");
      return true;
    }
    const auto offset = static_cast<std::size_t>(address - buffer->data_);
    for (std::size_t i = offset / buffer->granule_; i * buffer->granule_ < offset + bytes; ++i) {
      Buffer::Note& note = buffer->notes_[i];
      const auto other = [&](std::uint64_t by) {
        const std::uint64_t at = epoch_of(by);
        if (by == 0 || at < launch_begin_) return false;
        if (at < group_begin_) return true;  // another group's
        return !same_thread(by, now()) && (at == epoch_ || !device_barrier_);
      };
      if (!writes && note.writer == 0) {
        fault(fmt::format("a load of byte {} of a buffer that nothing has written", i * buffer->granule_));
        return true;
      }
      if (other(note.writer) || (writes && other(note.reader))) {
        fault(fmt::format("a race at byte {} of a buffer", i * buffer->granule_));
        return true;
      }
      (writes ? note.writer : note.reader) = now();
    }
    return true;
  }
  return false;
}

void Machine::wait_at_barrier(int flags, int line) {
  constexpr int device = 1, threadgroup = 2;
  if ((flags & threadgroup) == 0) fault("a barrier that does not order threadgroup memory");
  device_barrier_ = (flags & device) != 0;
  Thread& own = threads_[current_];
  own.state = State::at_barrier;
  own.line = line;
  fibers_->pause();
}

void Machine::exchange(const void* own, unsigned bytes, tw_exchange_kind kind, unsigned operand, void* result,
                       int line) {
  Thread& thread = threads_[current_];
  thread.state = State::at_exchange;
  thread.line = line;
  thread.kind = kind;
  thread.operand = operand;
  thread.bytes = bytes;
  thread.own = 0;
  if (kind == tw_product) {
    thread.factors = static_cast<const float*>(own);
    thread.product = static_cast<float*>(result);
    return fibers_->pause();
  }
  std::memcpy(&thread.own, own, bytes);
  const unsigned number = current_;
  fibers_->pause();
  std::memcpy(result, &threads_[number].result, bytes);
}

void* Machine::array(unsigned index, std::size_t bytes) {
  if (index == arrays_.size()) {
    const std::size_t offset = arrays_.empty() ? 0 : arrays_.back().offset + arrays_.back().bytes + array_gap;
    arrays_.push_back({(offset + 15) / 16 * 16, bytes});
    std::size_t all = 0;
    for (const Array& each : arrays_) all += (each.bytes + 15) / 16 * 16;
    if (all > launch_->most_threadgroup_bytes)
      fault(fmt::format("{} bytes of threadgroup memory, more than {}", all, launch_->most_threadgroup_bytes));
  }
  return threadgroup_ + arrays_.at(index).offset;
}

}  // namespace tilewright::metal_shim
