// The documents and examples are true: every tw block of docs/language.md parses, every example line of examples/
// binds.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "lang/bind.h"
#include "statements.h"

namespace tilewright::lang {
namespace {

namespace fs = std::filesystem;
const fs::path root = TILEWRIGHT_SOURCE_DIR;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Documents, blocks_of_the_language_reference_parse_and_are_formatted) {
  const std::string text = read_file(root / "docs/language.md");
  const std::string fence = "```tw\n";
  int blocks = 0;
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    const std::string block = text.substr(begin, text.find("```", begin) - begin);
    const auto result = format(source_of(block));
    ASSERT_TRUE(result) << render(result.error());
    EXPECT_EQ(*result, block);
    ++blocks;
  }
  EXPECT_GE(blocks, 6);
}

using Operands = std::map<std::string, OperandType>;

Operands operands_of(const Example& example) {
  Operands operands;
  for (const ExampleOperand& o : example) operands[o.name.name] = {o.name.name, o.dtype, o.shape};
  return operands;
}

/// Binds, and adds the result to the operands.
void bind_statement(const Statement& statement, Operands& operands) {
  std::vector<OperandType> given;
  for (const std::string& name : statement.tensors_read()) given.push_back(operands.at(name));
  const auto typed = lang::bind(statement, given);
  ASSERT_TRUE(typed) << render(typed.error());
  operands[statement.target.name] = {statement.target.name, typed->output, typed->output_shape};
}

TEST(Documents, examples_bind) {
  std::size_t bound = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "examples")) {
    if (entry.path().extension() != ".tw") continue;
    const std::string text = read_file(entry.path());
    SCOPED_TRACE(entry.path().string());
    const auto formatted = format(source_of(text));
    ASSERT_TRUE(formatted) << render(formatted.error());
    EXPECT_EQ(*formatted, text);
    for (const auto& item : parse_file(text).items) {
      SCOPED_TRACE(name_of(item));
      const auto* statement = std::get_if<Statement>(&item);
      const auto* program = std::get_if<Program>(&item);
      const auto& examples = statement != nullptr ? statement->examples : program->examples;
      const bool takes_nothing = statement != nullptr ? statement->tensors_read().empty() : program->parameters.empty();
      EXPECT_TRUE(!examples.empty() || takes_nothing);
      for (const Example& example : examples) {
        Operands operands = operands_of(example);
        if (statement != nullptr) bind_statement(*statement, operands);
        if (program != nullptr)
          for (const Statement& step : program->statements) bind_statement(step, operands);
        ++bound;
      }
    }
  }
  EXPECT_GE(bound, 60U);
}

}  // namespace
}  // namespace tilewright::lang
