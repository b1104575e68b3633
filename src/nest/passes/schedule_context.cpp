// Arguments, loops and errors of schedule lines. See schedule_context.h.
#include "nest/passes/schedule_context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tilewright::nest {

const std::string& ScheduleContext::name_at(std::size_t argument) const {
  return std::get<std::string>(line.arguments[argument].value);
}

std::int64_t ScheduleContext::count_at(std::size_t argument) const {
  return std::get<std::int64_t>(line.arguments[argument].value);
}

std::string ScheduleContext::line_text() const {
  std::vector<std::string> arguments;
  for (const lang::ScheduleLine::Argument& argument : line.arguments) {
    const std::string* word = std::get_if<std::string>(&argument.value);
    arguments.push_back(word ? *word : fmt::format("{}", std::get<std::int64_t>(argument.value)));
  }
  if (line.is_property) return fmt::format("{} = {}", line.name.name, fmt::join(arguments, ", "));
  if (arguments.empty()) return line.name.name;
  return fmt::format("{}({})", line.name.name, fmt::join(arguments, ", "));
}

std::unexpected<Diagnostics> ScheduleContext::fail_at(std::size_t argument, std::string_view code, std::string message,
                                                      std::string remedy) const {
  return fail(code, std::move(message), std::move(remedy), source, line.arguments[argument].span);
}

std::unexpected<Diagnostics> ScheduleContext::fail_line(std::string_view code, std::string message,
                                                        std::string remedy) const {
  return fail(code, std::move(message), std::move(remedy), source, line.span);
}

Result<std::size_t> ScheduleContext::find_loop(const Nest& nest, std::size_t argument) const {
  const std::size_t place = loop_place(nest, name_at(argument));
  if (place < nest.loops.size()) return place;
  std::vector<std::string> names;
  for (const Loop& loop : nest.loops) names.push_back(loop.name);
  return fail_at(argument, "N020", fmt::format("there is no loop '{}'", name_at(argument)),
                 names.empty() ? "the statement has no loops"
                               : fmt::format("the loops are {} at this line", fmt::join(names, ", ")));
}

Result<void> ScheduleContext::check_register_tile(const Nest& nest, std::size_t argument) const {
  constexpr std::int64_t most = 1024;
  constexpr std::int64_t outputs = 16;  // that a scheduler may compute together with each term
  std::int64_t points = 1;
  const auto multiply = [&](std::int64_t factor) { points = points > most / factor ? most + 1 : points * factor; };
  bool has_outputs = false;
  for (const Loop& loop : nest.loops)
    for (const std::int64_t factor : {loop.unroll, loop.vector_width}) {
      if (factor <= 1) continue;
      multiply(factor);
      has_outputs = has_outputs || nest.iterators[loop.iter].role == IteratorRole::output;
    }
  if (!has_outputs && points > 1) multiply(outputs);
  if (points <= most) return {};
  return fail_at(argument, "N029",
                 fmt::format("more than {} points in registers, with a factor of {}",
                             has_outputs ? most : most / outputs, count_at(argument)),
                 fmt::format("the factors of vectorize and unroll multiply to at most {}, those of reduction loops "
                             "alone to at most {}",
                             most, most / outputs));
}

std::size_t loop_place(const Nest& nest, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(nest.loops, name, &Loop::name) - nest.loops.begin());
}

std::string_view enclosing_loop(std::string_view name) {
  constexpr std::string_view suffix = ".in";
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : std::string_view();
}

}  // namespace tilewright::nest
