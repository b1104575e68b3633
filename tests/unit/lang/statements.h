// What the tests of this layer share: parsing that must succeed, and a fully parenthesised skeleton of a statement that
// holds everything but spans and owes nothing to the printer under test.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "lang/parse.h"
#include "support/overloaded.h"

namespace tilewright::lang {

inline SourcePtr source_of(std::string text) {
  return std::make_shared<const Source>("test.tw", std::move(text));
}

inline File parse_file(const std::string& text) {
  auto file = parse(source_of(text));
  if (!file) throw std::runtime_error(render(file.error()) + "in:\n" + text);
  return *file;
}

inline Statement parse_one(const std::string& text) {
  return std::get<Statement>(parse_file(text).items.at(0));
}

/// The codes of all errors, in order: "L021 L011".
inline std::string codes_of(const std::string& text) {
  auto file = parse(source_of(text));
  std::string codes;
  if (!file)
    for (const Diagnostic& d : file.error()) codes += (codes.empty() ? "" : " ") + d.code;
  return codes;
}

inline std::string skeleton(const Number& number) {
  if (number.is_integer) return fmt::format("int {}", number.integer);
  if (std::isnan(number.value)) return "float nan";
  return fmt::format("float {:x}", std::bit_cast<std::uint64_t>(number.value));
}

inline std::string skeleton(const AffineIndex& index) {
  std::string text;
  for (const AffineIndex::Term& term : index.terms) text += fmt::format("{}*{} ", term.coefficient, term.iterator);
  return fmt::format("<{}{}>", text, index.constant);
}

inline std::string skeleton(const Statement& statement, ExprId id) {
  return std::visit(
      Overloaded{[](const Literal& e) { return fmt::format("({})", skeleton(e.number)); },
                 [](const Read& e) {
                   std::string text = "(read " + e.tensor;
                   for (const AffineIndex& index : e.indices) text += " " + skeleton(index);
                   if (e.otherwise) text += " else " + skeleton(*e.otherwise);
                   return text + ")";
                 },
                 [](const IteratorValue& e) { return fmt::format("(iter {})", e.iterator); },
                 [](const ExtentOf& e) { return fmt::format("(extent {})", e.iterator); },
                 [&](const Cast& e) { return fmt::format("(cast {} {})", name(e.to), skeleton(statement, e.operand)); },
                 [&](const Apply& e) {
                   std::string text = fmt::format("({}", info(e.op).name);
                   for (ExprId operand : e.operands) text += " " + skeleton(statement, operand);
                   return text + ")";
                 }},
      statement.exprs[id].node);
}

inline std::string skeleton(const Statement& s) {
  std::string text = s.target.name;
  text += s.annotation ? fmt::format(":{}", name(*s.annotation)) : "";
  for (const Named& iterator : s.target_iterators) text += " " + iterator.name;
  text += s.reduction ? fmt::format(" {} ", name(*s.reduction)) : " plain ";
  text += skeleton(s, s.value);
  if (s.binding) {
    text += " binding";
    for (const BoundIterator& b : *s.binding)
      text += " " + b.iterator.name + (b.extent ? fmt::format("<{}", *b.extent) : "");
  }
  if (s.epilogue) text += " then " + skeleton(s, *s.epilogue);
  if (s.precision) text += fmt::format(" precision {}", name(*s.precision));
  for (const Example& example : s.examples) {
    text += " example";
    for (const ExampleOperand& operand : example) {
      text += fmt::format(" {} {}", operand.name.name, name(operand.dtype));
      for (std::int64_t extent : operand.shape) text += fmt::format("x{}", extent);
    }
  }
  if (s.schedule) {
    text += " schedule";
    for (const ScheduleLine& line : *s.schedule) {
      text += " (" + line.name.name + (line.is_property ? " =" : "");
      for (const auto& argument : line.arguments)
        text += std::visit(Overloaded{[](const std::string& word) { return " " + word; },
                                      [](std::int64_t number) { return fmt::format(" {}", number); }},
                           argument.value);
      text += ")";
    }
  }
  return text;
}

}  // namespace tilewright::lang
