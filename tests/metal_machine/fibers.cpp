// See fibers.h. On x86-64 a switch is a few instructions; elsewhere ucontext's, which asks the kernel each time.
#include "fibers.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define TW_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TW_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef TW_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace tilewright::metal_shim {

namespace {
constexpr std::size_t stack_bytes = 2 << 20;  // unoptimised code keeps every value on it
}

#if defined(__x86_64__)

struct Fibers::Context {
  void* stack = nullptr;
};

extern "C" void tw_switch_stack(void** from, void* to);
asm(R"(
.text
.globl tw_switch_stack
.type tw_switch_stack, @function
tw_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tw_switch_stack, .-tw_switch_stack
)");

#else

struct Fibers::Context {
  ucontext_t context{};
};

#endif

/// AddressSanitizer is told of each switch: by whom it leaves, and once it has arrived.
struct Fibers::Fiber {
  void* fake_stack = nullptr;
  std::byte* stack = nullptr;
  bool begun = false;
  Context context;
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
  Fibers* owner = nullptr;

  ~Fiber() {
    if (stack != nullptr) munmap(stack, stack_bytes);
  }
  [[noreturn]] static void start(Fiber* fiber) {
    fiber->owner->arrive(nullptr);
    fiber->function(fiber->argument);
    fiber->begun = false;  // a further turn starts over
    fiber->owner->pause();
    std::abort();
  }
};

namespace {
/// Who starts next: passed beside the stack, which holds nothing yet.
thread_local void* starting = nullptr;
}  // namespace

Fibers::Fibers() : caller_(std::make_unique<Context>()) {}
Fibers::~Fibers() = default;

void Fibers::reset(std::size_t count) {
  while (fibers_.size() < count) {
    auto fiber = std::make_unique<Fiber>();
    void* memory =
        mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    fiber->stack = static_cast<std::byte*>(memory);
    fiber->owner = this;
    fibers_.push_back(std::move(fiber));
  }
  for (const auto& fiber : fibers_) fiber->begun = false;
}

std::span<const std::byte> Fibers::stack(std::size_t fiber) const {
  return {fibers_[fiber]->stack, stack_bytes};
}

void Fibers::leave([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                   [[maybe_unused]] std::size_t bytes) {
#ifdef TW_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
#endif
}

void Fibers::arrive([[maybe_unused]] void* fake_stack) {
#ifdef TW_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fake_stack, &caller_bottom_, &caller_bytes_);
#endif
}

#if defined(__x86_64__)

void Fibers::resume(std::size_t number, void (*function)(void*), void* argument) {
  Fiber* fiber = fibers_[number].get();
  running_ = fiber;
  fiber->function = function;
  fiber->argument = argument;
  if (!fiber->begun) {
    fiber->begun = true;
    // As tw_switch_stack leaves a stack: six registers, and where to go on. A function finds its stack 8 bytes off a
    // multiple of 16.
    auto** top = reinterpret_cast<void**>(fiber->stack + stack_bytes) - 1;
    *top = nullptr;
    *--top = reinterpret_cast<void*>(+[] { Fiber::start(static_cast<Fiber*>(starting)); });
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    fiber->context.stack = top;
  }
  starting = fiber;
  void* fake_stack = nullptr;
  leave(&fake_stack, fiber->stack, stack_bytes);
  tw_switch_stack(&caller_->stack, fiber->context.stack);
  running_ = nullptr;
  const auto [bottom, bytes] = std::pair(caller_bottom_, caller_bytes_);
  arrive(fake_stack);
  caller_bottom_ = bottom;
  caller_bytes_ = bytes;
}

void Fibers::pause() {
  Fiber* own = running_;
  leave(own->begun ? &own->fake_stack : nullptr, caller_bottom_, caller_bytes_);
  tw_switch_stack(&own->context.stack, caller_->stack);
  arrive(own->fake_stack);
}

#else

void Fibers::resume(std::size_t number, void (*function)(void*), void* argument) {
  Fiber* fiber = fibers_[number].get();
  running_ = fiber;
  fiber->function = function;
  fiber->argument = argument;
  if (!fiber->begun) {
    fiber->begun = true;
    getcontext(&fiber->context.context);
    fiber->context.context.uc_stack.ss_sp = fiber->stack;
    fiber->context.context.uc_stack.ss_size = stack_bytes;
    fiber->context.context.uc_link = nullptr;
    makecontext(&fiber->context.context, +[] { Fiber::start(static_cast<Fiber*>(starting)); }, 0);
  }
  starting = fiber;
  void* fake_stack = nullptr;
  leave(&fake_stack, fiber->stack, stack_bytes);
  swapcontext(&caller_->context, &fiber->context.context);
  running_ = nullptr;
  arrive(fake_stack);
}

void Fibers::pause() {
  Fiber* own = running_;
  leave(own->begun ? &own->fake_stack : nullptr, caller_bottom_, caller_bytes_);
  swapcontext(&own->context.context, &caller_->context);
  arrive(own->fake_stack);
}

#endif

}  // namespace tilewright::metal_shim
