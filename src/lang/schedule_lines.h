// The schedule lines that exist, and the shape of each one's arguments: one table for the parser and for help texts.
// What a line does to a nest is its pass in src/nest/passes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "lang/ast.h"
#include "support/diagnostic.h"

namespace tilewright::lang {

enum class ScheduleForm : std::uint8_t {
  call,      ///< tile(i, 128)
  property,  ///< threads = 256
  word       ///< auto
};
enum class ScheduleArgument : std::uint8_t {
  loop,  ///< an iterator, or a loop that a tile made: i.in
  tensor,
  count,    ///< a positive integer literal
  atomics,  ///< the word 'atomics'
  variant   ///< the name of a lowering variant
};

struct ScheduleLineInfo {
  std::string_view name;
  ScheduleForm form;
  std::span<const ScheduleArgument> arguments;  ///< the last one repeats where `repeats`
  std::size_t required;                         ///< how many may not be left out
  bool repeats;
  std::string_view usage;  ///< "tile(i, n)"
};

std::span<const ScheduleLineInfo> schedule_lines();
/// Null where there is none.
const ScheduleLineInfo* find_schedule_line(std::string_view name);

/// Name, form, number and kinds of arguments: L050 to L053. Whether its loops and tensors exist is for the nest to say.
Diagnostics check_schedule_line(const ScheduleLine& line, const SourcePtr& source);

/// The compiler chooses all of the statement's schedule: it has no block, or one that says nothing but `auto`.
bool has_automatic_schedule(const Statement& statement);

}  // namespace tilewright::lang
