// Loops, branches and moves of one thread.
#include <fmt/format.h>

#include "kernel/interpret/machine.h"

namespace tilewright::kernel::interpreter {

namespace {

void enter_loop(Machine& m, const Instruction& i) {
  if (m.integer(i.c) <= 0) return m.fail(i, "K105", fmt::format("the loop's step is {}", m.integer(i.c)));
  m.integer(i.result) = m.integer(i.a);
  if (m.integer(i.a) >= m.integer(i.b)) m.jump(i.target);
}

/// A variable that steps past the largest i64 has passed the end.
void step_loop(Machine& m, const Instruction& i) {
  std::int64_t next = 0;
  if (__builtin_add_overflow(m.integer(i.result), m.integer(i.c), &next)) return;
  m.integer(i.result) = next;
  if (next < m.integer(i.b)) m.jump(i.target);
}

void jump(Machine& m, const Instruction& i) {
  m.jump(i.target);
}

void jump_unless(Machine& m, const Instruction& i) {
  if (*m.lanes<std::uint8_t>(i.a) == 0) m.jump(i.target);
}

/// `b` holds the size in bytes.
void move(Machine& m, const Instruction& i) {
  std::memcpy(m.at(i.result), m.at(i.a), i.b);
}

}  // namespace

Handler flow_handler(Flow flow) {
  switch (flow) {
    case Flow::none:
      return nullptr;
    case Flow::enter_loop:
      return enter_loop;
    case Flow::step_loop:
      return step_loop;
    case Flow::jump:
      return jump;
    case Flow::jump_unless:
      return jump_unless;
    case Flow::move:
      return move;
  }
  internal_error("no flow");
}

}  // namespace tilewright::kernel::interpreter
