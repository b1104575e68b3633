// Stacks that take turns. See metal_machine.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tilewright::metal_shim {

class Fibers {
 public:
  Fibers();
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// As many, none of which has begun.
  void reset(std::size_t count);
  /// Lets the fiber run until it pauses or its function returns. It begins with `function(argument)`.
  void resume(std::size_t fiber, void (*function)(void*), void* argument);
  /// Of the running fiber: back to who resumed it.
  void pause();
  std::span<const std::byte> stack(std::size_t fiber) const;

 private:
  struct Fiber;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber* running_ = nullptr;
  struct Context;
  std::unique_ptr<Context> caller_;
  void leave(void** fake_stack, const void* bottom, std::size_t bytes);
  void arrive(void* fake_stack);
  const void* caller_bottom_ = nullptr;
  std::size_t caller_bytes_ = 0;
};

}  // namespace tilewright::metal_shim
