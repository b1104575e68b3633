// The table of schedule lines and the check of a line against it.
#include "lang/schedule_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace tilewright::lang {
namespace {

using enum ScheduleArgument;
constexpr std::array<ScheduleArgument, 1> one_loop = {loop};
constexpr std::array<ScheduleArgument, 2> loop_and_count = {loop, count};
constexpr std::array<ScheduleArgument, 3> loop_count_atomics = {loop, count, atomics};
constexpr std::array<ScheduleArgument, 1> one_tensor = {tensor};
constexpr std::array<ScheduleArgument, 1> one_count = {count};
constexpr std::array<ScheduleArgument, 3> three_counts = {count, count, count};
constexpr std::array<ScheduleArgument, 1> one_variant = {variant};

constexpr std::array<ScheduleLineInfo, 12> table = {{
    {"tile", ScheduleForm::call, loop_and_count, 1, false, "tile(i, n)"},
    {"cache", ScheduleForm::call, one_tensor, 1, true, "cache(t, …)"},
    {"threads", ScheduleForm::property, one_count, 1, false, "threads = n"},
    {"parallel", ScheduleForm::call, one_loop, 1, false, "parallel(i)"},
    {"reorder", ScheduleForm::call, one_loop, 1, true, "reorder(i, k, j)"},
    {"vectorize", ScheduleForm::call, loop_and_count, 2, false, "vectorize(j, n)"},
    {"unroll", ScheduleForm::call, loop_and_count, 2, false, "unroll(k, n)"},
    {"split", ScheduleForm::call, loop_count_atomics, 2, false, "split(k, n) or split(k, n, atomics)"},
    {"stages", ScheduleForm::property, one_count, 1, false, "stages = n"},
    {"warps", ScheduleForm::call, three_counts, 2, false, "warps(m, n) or warps(m, n, k)"},
    {"variant", ScheduleForm::property, one_variant, 1, false, "variant = NAME"},
    {"auto", ScheduleForm::word, {}, 0, false, "auto"},
}};

std::string_view describe(ScheduleArgument kind) {
  switch (kind) {
    case loop:
      return "the name of a loop";
    case tensor:
      return "the name of a tensor";
    case count:
      return "a positive integer literal";
    case atomics:
      return "the word 'atomics'";
    case variant:
      return "the name of a variant";
  }
  return {};
}

bool fits(ScheduleArgument kind, const ScheduleLine::Argument& argument) {
  const auto* number = std::get_if<std::int64_t>(&argument.value);
  if (kind == count) return number != nullptr && *number > 0;
  const auto* name = std::get_if<std::string>(&argument.value);
  if (name == nullptr) return false;
  if (kind == atomics) return *name == "atomics";
  return kind == loop || name->find('.') == std::string::npos;
}

std::string to_text(const ScheduleLine::Argument& argument) {
  if (const auto* name = std::get_if<std::string>(&argument.value)) return *name;
  return std::to_string(std::get<std::int64_t>(argument.value));
}

std::string all_names() {
  std::string names;
  for (const ScheduleLineInfo& row : table) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

}  // namespace

std::span<const ScheduleLineInfo> schedule_lines() {
  return table;
}

const ScheduleLineInfo* find_schedule_line(std::string_view name) {
  const auto row = std::ranges::find(table, name, &ScheduleLineInfo::name);
  return row == table.end() ? nullptr : &*row;
}

Diagnostics check_schedule_line(const ScheduleLine& line, const SourcePtr& source) {
  Diagnostics found;
  const auto error = [&](std::string_view code, Span span, std::string message, std::string remedy) {
    found.push_back({std::string(code), std::move(message), std::move(remedy), source, span});
  };
  const ScheduleLineInfo* row = find_schedule_line(line.name.name);
  if (row == nullptr) {
    error("L050", line.name.span, fmt::format("'{}' is no schedule line", line.name.name), "they are " + all_names());
    return found;
  }
  const std::string usage = fmt::format("write {}", row->usage);
  const bool is_word = !line.is_property && line.arguments.empty() && line.span.end == line.name.span.end;
  const ScheduleForm form = line.is_property ? ScheduleForm::property
                            : is_word        ? ScheduleForm::word
                                             : ScheduleForm::call;
  if (form != row->form) {
    error("L053", line.name.span, fmt::format("'{}' is not written like this", line.name.name), usage);
    return found;
  }
  const std::size_t given = line.arguments.size();
  if (given < row->required || (given > row->arguments.size() && !row->repeats)) {
    error("L051", line.span, fmt::format("'{}' has {} argument{}", line.name.name, given, given == 1 ? "" : "s"),
          usage);
    return found;
  }
  for (std::size_t i = 0; i < given; ++i) {
    const ScheduleArgument kind = row->arguments[std::min(i, row->arguments.size() - 1)];
    if (!fits(kind, line.arguments[i]))
      error("L052", line.arguments[i].span,
            fmt::format("argument {} of '{}' must be {}, found {}", i + 1, line.name.name, describe(kind),
                        to_text(line.arguments[i])),
            usage);
  }
  return found;
}

bool has_automatic_schedule(const Statement& statement) {
  return !statement.schedule ||
         std::ranges::all_of(*statement.schedule, [](const ScheduleLine& line) { return line.name.name == "auto"; });
}

}  // namespace tilewright::lang
