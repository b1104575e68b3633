// The machine under the interpreter: a flat list of instructions over one frame of bytes. Each value has a fixed place
// in the frame, its lanes side by side in the element's own format (i1 as a byte of 0 or 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "kernel/interpret.h"
#include "kernel/ir.h"

namespace tilewright::kernel::interpreter {

class Machine;
struct Instruction;
using Handler = void (*)(Machine&, const Instruction&);

/// What an instruction does besides its op: it steers, or moves a value that a region yields (`b`: its bytes).
enum class Flow : std::uint8_t { none, enter_loop, step_loop, jump, jump_unless, move };

/// Places are byte offsets in the frame. What an unused field holds does not matter.
struct Instruction {
  Handler run = nullptr;
  std::uint32_t result = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
  std::uint32_t target = 0;        ///< of a jump: an index of an instruction
  std::uint16_t lanes = 1;         ///< of the result, or of the value stored
  std::uint16_t from_lanes = 1;    ///< of the first operand
  Element element = Element::i64;  ///< of the result, or of the value stored
  Element from = Element::i64;     ///< of the first operand
  bool masked = false;
  bool across = false;  ///< `lanes` and `from_lanes` count those of all threads (decode.h)
  Flow flow = Flow::none;
  const Op* op = nullptr;  ///< for its attribute and for messages
};

/// Memory that the kernel may reach. A local knows which of its bytes have been written.
struct Reachable {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  bool writable = true;
  std::vector<bool>* written = nullptr;
};

class Machine {
 public:
  explicit Machine(std::size_t frame_bytes) : frame_(frame_bytes) {}

  std::byte* at(std::uint32_t place) { return frame_.data() + place; }
  template <class T>
  T* lanes(std::uint32_t place) {
    return reinterpret_cast<T*>(frame_.data() + place);
  }
  std::int64_t& integer(std::uint32_t place) { return *lanes<std::int64_t>(place); }

  void add_memory(Reachable memory) { memory_.push_back(memory); }
  /// Checks one access of `bytes` at `address`; the pointer, or null after `fail`.
  std::byte* read(const Instruction& instruction, std::uint64_t address, std::uint64_t bytes);
  std::byte* write(const Instruction& instruction, std::uint64_t address, std::uint64_t bytes);
  /// Fails unless `address` is a multiple of the op's alignment.
  bool check_alignment(const Instruction& instruction, std::uint64_t address);

  void jump(std::uint32_t target) { next_ = target; }
  void fail(const Instruction& instruction, std::string_view code, std::string message);
  bool failed() const { return failed_; }

  /// Runs from the first instruction past the last one, or to a failure.
  void run(std::span<const Instruction> program);

  struct Failure {
    const Op* op = nullptr;
    std::string code;
    std::string message;
  };
  const Failure& failure() const { return failure_; }

 private:
  const Reachable* find(std::uint64_t address, std::uint64_t bytes, bool writable) const;
  void fail_access(const Instruction& instruction, std::uint64_t address, std::uint64_t bytes);

  std::vector<std::byte> frame_;
  std::vector<Reachable> memory_;
  std::size_t next_ = 0;
  bool failed_ = false;
  Failure failure_;
};

/// Bytes of one lane in the frame.
std::size_t lane_bytes(Element element);
/// An integer lane, kept as wrap_to keeps it.
std::int64_t read_int(Element element, const std::byte* lane);
void write_int(Element element, std::int64_t value, std::byte* lane);
/// A float lane: every float element embeds in f64, and is rounded to once, to nearest even.
double read_float(Element element, const std::byte* lane);
void write_float(Element element, double value, std::byte* lane);

// What executes an op, by op and element; null where there is none. The ops' rows are divided among these:
Handler value_handler(Opcode code, Element element);    ///< splat, extract, insert, shuffle, iota, select, bitcast
Handler integer_handler(Opcode code, Element element);  ///< arithmetic and cmp of integers
Handler float_handler(Opcode code, Element element);    ///< arithmetic, cmp and functions of floats
Handler conversion_handler(Opcode code);                ///< the rows of rule convert
Handler flow_handler(Flow flow);                        ///< null of `none`
Handler memory_handler(Opcode code);                    ///< offset, load, store, gather, scatter, prefetch

}  // namespace tilewright::kernel::interpreter
