// What every schedule pass is given: the line that asks for it, and the trace entry that it may annotate.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lang/ast.h"
#include "nest/ir.h"
#include "nest/trace.h"

namespace tilewright::nest {

/// The line has passed lang::check_schedule_line: its arguments are of the right number and kinds.
struct ScheduleContext {
  const lang::ScheduleLine& line;
  const SourcePtr& source;
  TraceEntry& entry;

  const std::string& name_at(std::size_t argument) const;
  std::int64_t count_at(std::size_t argument) const;
  std::string line_text() const;  ///< the line as written

  /// An error at the argument, or at the line.
  std::unexpected<Diagnostics> fail_at(std::size_t argument, std::string_view code, std::string message,
                                       std::string remedy) const;
  std::unexpected<Diagnostics> fail_line(std::string_view code, std::string message, std::string remedy) const;

  /// N029, at the argument: the nest's factors of vectorize and unroll multiply to more points than 1,024, which would
  /// be as many instructions; those of reduction loops alone to more than 64, each of which a scheduler may compute for
  /// several outputs.
  Result<void> check_register_tile(const Nest& nest, std::size_t argument) const;

  /// The loop that an argument names, as its place in nest.loops: N020 where there is none.
  Result<std::size_t> find_loop(const Nest& nest, std::size_t argument) const;
};

/// The place of the loop of that name, or nest.loops.size().
std::size_t loop_place(const Nest& nest, std::string_view name);

/// The loop that `name` runs inside of ("i" for "i.in"); empty for an iterator's own loop.
std::string_view enclosing_loop(std::string_view name);

}  // namespace tilewright::nest
