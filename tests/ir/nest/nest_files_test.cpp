// Runs tests/ir/nest/**: what each folder's files are.
//
//   build    a statement with an example line  →  its nest
//   print    a nest                            →  the same text
//   parse    a text that is no nest            →  the error
//   verify   a nest that breaks an invariant   →  every error
//   trace    a statement with a schedule       →  its trace
//   fuse_statements   a program with an example →  what became of its statements, and the nests that are left
//   others   a nest, and schedule lines (`run: tile(i, 128)`)  →  the nest after them, or the error
#include "filetest.h"
#include "lang/bind.h"
#include "lang/parse.h"
#include "nest/bind_program.h"
#include "nest/build.h"
#include "nest/ir.h"
#include "nest/passes/fuse_statements.h"
#include "nest/passes/schedule_table.h"
#include "nest/trace.h"

namespace tilewright::nest {
namespace {

using filetest::FileTest;

SourcePtr source(std::string name, std::string text) {
  return std::make_shared<const Source>(std::move(name), std::move(text));
}

/// The statement's nest, or the rendered errors.
std::expected<Nest, std::string> build(const lang::Statement& statement) {
  std::vector<lang::OperandType> operands;
  if (!statement.examples.empty())
    for (const lang::ExampleOperand& operand : statement.examples[0])
      operands.push_back({operand.name.name, operand.dtype, operand.shape});
  const auto typed = lang::bind(statement, operands);
  if (!typed) return std::unexpected(render(typed.error()));
  Nest nest = build_nest(*typed);
  if (const auto sound = verify(nest); !sound) return std::unexpected(render(sound.error()));
  return nest;
}

std::string build_output(const FileTest& test, bool trace_wanted) {
  const auto file = lang::parse(source("input.tw", test.input));
  if (!file) return render(file.error());
  const lang::Statement& statement = std::get<lang::Statement>(file->items.at(0));
  auto nest = build(statement);
  if (!nest) return nest.error();
  Trace trace;
  if (const auto done = apply_schedule(*nest, statement, trace); !done) return render(done.error());
  return trace_wanted ? to_text(trace) : to_text(*nest);
}

/// The program's nests after fusion. The setting `nests: no` leaves them out, where the decisions say it all.
std::string fused(const FileTest& test) {
  const auto file = lang::parse(source("input.tw", test.input));
  if (!file) return render(file.error());
  const lang::Program& program = std::get<lang::Program>(file->items.at(0));
  std::vector<lang::OperandType> parameters;
  for (const lang::ExampleOperand& operand : program.examples.at(0))
    parameters.push_back({operand.name.name, operand.dtype, operand.shape});
  auto bound = bind_program(program, parameters);
  if (!bound) return render(bound.error());
  std::string text;
  for (const std::string& decision : fuse_statements(*bound)) text += decision + "\n";
  if (!test.all("nests").empty()) return text;
  for (const BoundNest& nest : bound->nests) text += "\n" + to_text(nest.nest);
  return text;
}

/// The nest after the file's schedule lines.
std::string scheduled(const FileTest& test, Nest nest) {
  std::string text = "o[] = 1.0 do:\n  schedule:\n";
  for (const std::string& line : test.all("run")) text += "    " + line + "\n";
  const auto lines = lang::parse(source("schedule", text));
  if (!lines) return render(lines.error());
  Trace trace;
  const auto done = apply_schedule(nest, std::get<lang::Statement>(lines->items.at(0)), trace);
  return done ? to_text(nest) : render(done.error());
}

std::string produce(const FileTest& test) {
  if (test.folder == "build" || test.folder == "trace") return build_output(test, test.folder == "trace");
  if (test.folder == "fuse_statements") return fused(test);
  auto nest = parse_nest(source("input", test.input));
  if (!nest) return render(nest.error());
  if (test.folder == "parse" || test.folder == "print") return to_text(*nest);
  const auto sound = verify(*nest);
  if (!sound) return render(sound.error());
  return test.folder == "verify" ? "sound\n" : scheduled(test, std::move(*nest));
}

class NestFiles : public testing::TestWithParam<std::string> {};

TEST_P(NestFiles, Output) {
  filetest::check(GetParam(), produce);
}

INSTANTIATE_TEST_SUITE_P(Ir, NestFiles, testing::ValuesIn(filetest::files_under("tests/ir/nest")), filetest::name);

}  // namespace
}  // namespace tilewright::nest
