// `tilewright check`: parses files, binds each example line and applies each schedule, without compiling anything.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/load.h"
#include "cli/print_message.h"
#include "cli/subcommands.h"
#include "lang/parse.h"
#include "nest/build.h"
#include "nest/passes/schedule_table.h"
#include "report/compile_steps.h"

namespace tilewright::cli {
namespace {

/// The same defect found with several examples is one.
void add(Diagnostics& all, const Diagnostics& found) {
  for (const Diagnostic& each : found) {
    const bool known = std::ranges::any_of(all, [&](const Diagnostic& other) {
      return other.code == each.code && other.span == each.span && other.message == each.message;
    });
    if (!known) all.push_back(each);
  }
}

/// Binds and schedules one statement; `known` gains its result.
void check_statement(const lang::Statement& statement, std::vector<lang::OperandType>& known, Diagnostics& found) {
  std::vector<lang::OperandType> operands;
  for (const std::string& name : statement.tensors_read()) {
    const auto type = std::ranges::find(known, name, &lang::OperandType::name);
    if (type == known.end()) return;  // of a statement that did not bind
    operands.push_back(*type);
  }
  const Result<lang::TypedStatement> typed = lang::bind(statement, operands);
  if (!typed) return add(found, typed.error());
  nest::Nest nest = nest::build_nest(*typed);
  nest::Trace trace;
  if (Result<void> applied = nest::apply_schedule(nest, statement, trace); !applied) add(found, applied.error());
  known.push_back({statement.target.name, typed->output, typed->output_shape});
}

void check_kernel(const Kernel& kernel, Diagnostics& found) {
  std::vector<lang::Example> examples = kernel.examples();
  if (kernel.operand_names().empty()) examples = {{}};
  for (const lang::Example& example : examples) {
    std::vector<lang::OperandType> known;
    for (const lang::ExampleOperand& o : example) known.push_back({o.name.name, o.dtype, o.shape});
    for (const Kernel& step : report::statements_of(kernel)) check_statement(*step.statement(), known, found);
  }
}

}  // namespace

Outcome run_check(const Options& options) {
  Diagnostics errors;
  for (const std::string& path : options.files) {
    Result<SourcePtr> source = read_source(path);
    if (!source) {
      add(errors, source.error());
      continue;
    }
    Diagnostics warnings;
    Result<lang::File> file = lang::parse(*source, warnings);
    print_message(render(warnings));
    if (!file) {
      errors.insert(errors.end(), file.error().begin(), file.error().end());
      continue;
    }
    if (file->items.empty()) add(errors, fail("C003", fmt::format("'{}' has no kernels", path)).error());
    Diagnostics found;
    for (auto& item : file->items) {
      const Kernel kernel(std::move(item));
      if (options.list) fmt::print("{}\n", kernel.name());
      check_kernel(kernel, found);
    }
    errors.insert(errors.end(), found.begin(), found.end());
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return ExitCode::right;
}

}  // namespace tilewright::cli
