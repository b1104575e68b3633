// The law of the form in C++: any statement of the language, spelled in C++ call by call, is that statement.
#include "api/inside.h"  // first: it sets the public namespace

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <string>
#include <vector>

#include "random_statement.h"
#include "statements.h"
#include "support/overloaded.h"
#include "tilewright/statement.h"

namespace tilewright::v0 {
namespace {

// From the language's tree to calls of the public interface. Operators are spelled as a user would.

Expr literal(const lang::Number& number) {
  if (number.is_integer) return number.integer;
  return number.value;
}

Expr spell_index(const lang::AffineIndex& index) {
  std::vector<Expr> terms;
  for (const lang::AffineIndex::Term& term : index.terms)
    terms.push_back(term.coefficient == 1 ? Expr(Index(term.iterator)) : term.coefficient * Index(term.iterator));
  if (index.constant != 0 || terms.empty()) terms.emplace_back(index.constant);
  Expr sum = terms.front();
  for (std::size_t t = 1; t < terms.size(); ++t) sum = sum + terms[t];
  return sum;
}

Access spell_access(const TensorName& t, const std::vector<lang::AffineIndex>& indices) {
  std::vector<Expr> e;
  for (const lang::AffineIndex& index : indices) e.push_back(spell_index(index));
  switch (e.size()) {
    case 0:
      return t[];
    case 1:
      return t[e[0]];
    case 2:
      return t[e[0], e[1]];
    case 3:
      return t[e[0], e[1], e[2]];
    case 4:
      return t[e[0], e[1], e[2], e[3]];
    default:
      throw std::logic_error("the generator draws no such rank");
  }
}

Expr spell_read(const lang::Read& read) {
  const Access access = spell_access(TensorName(read.tensor), read.indices);
  if (!read.otherwise) return access;
  return read.otherwise->is_integer ? access.otherwise(read.otherwise->integer)
                                    : access.otherwise(read.otherwise->value);
}

using Binary = Expr (*)(const Expr&, const Expr&);
const std::map<ScalarOp, Binary> binary = {{ScalarOp::add, operator+ },
                                            {ScalarOp::sub, operator- },
                                             {ScalarOp::mul, operator* },
                                              {ScalarOp::div, operator/ },
                                               {ScalarOp::lt, operator<},
                                                {ScalarOp::le, operator<= },
                                                 {ScalarOp::gt, operator> },
                                                  {ScalarOp::ge, operator>= },
                                                   {ScalarOp::eq, operator== },
                                                    {ScalarOp::ne, operator!= },
                                                     {ScalarOp::logical_and, operator&& },
                                                      {ScalarOp::logical_or, operator|| },
                                                       {ScalarOp::min, v0::min},
                                                       {ScalarOp::max, v0::max},
                                                       {ScalarOp::pow, v0::pow}};
using Unary = Expr (*)(const Expr&);
const std::map<ScalarOp, Unary> unary = {{ScalarOp::neg, operator- },
                                          {ScalarOp::logical_not, operator!},
                                           {ScalarOp::abs, v0::abs},
                                           {ScalarOp::relu, v0::relu},
                                           {ScalarOp::exp, v0::exp},
                                           {ScalarOp::log, v0::log},
                                           {ScalarOp::sqrt, v0::sqrt},
                                           {ScalarOp::rsqrt, v0::rsqrt},
                                           {ScalarOp::tanh, v0::tanh},
                                           {ScalarOp::sin, v0::sin},
                                           {ScalarOp::cos, v0::cos},
                                           {ScalarOp::erf, v0::erf},
                                           {ScalarOp::sigmoid, v0::sigmoid},
                                           {ScalarOp::gelu, v0::gelu},
                                           {ScalarOp::silu, v0::silu}};

Expr spell(const lang::Statement& s, lang::ExprId id) {
  return std::visit(Overloaded{
                        [](const lang::Literal& e) { return literal(e.number); },
                        [](const lang::Read& e) { return spell_read(e); },
                        [](const lang::IteratorValue& e) { return Expr(Index(e.iterator)); },
                        [](const lang::ExtentOf& e) { return extent(Index(e.iterator)); },
                        [&](const lang::Cast& e) { return cast(outer(e.to), spell(s, e.operand)); },
                        [&](const lang::Apply& e) {
                          if (e.op == ScalarOp::select)
                            return select(spell(s, e.operands[0]), spell(s, e.operands[1]), spell(s, e.operands[2]));
                          if (e.operands.size() == 1) return unary.at(e.op)(spell(s, e.operands[0]));
                          return binary.at(e.op)(spell(s, e.operands[0]), spell(s, e.operands[1]));
                        },
                    },
                    s.exprs[id].node);
}

Statement spell_line(const Statement& statement, const lang::ScheduleLine& line) {
  const auto loop = [&] { return Index(std::get<std::string>(line.arguments[0].value).substr(0, 1)); };
  const auto count = [&](std::size_t at) { return std::get<std::int64_t>(line.arguments[at].value); };
  const std::string& name = line.name.name;
  if (name == "tile") return statement.tile(loop().inner(), count(1));  // the generator's loop is i.in
  if (name == "cache") return statement.cache(TensorName(std::get<std::string>(line.arguments[0].value)));
  if (name == "threads") return statement.threads(count(0));
  if (name == "variant") return statement.variant(std::get<std::string>(line.arguments[0].value));
  if (name == "split") return statement.split(loop(), count(1), atomics);
  if (name == "auto") return statement.automatic();
  throw std::logic_error("the generator draws no such line");
}

Statement spell_head(const lang::Statement& s) {
  const Expr value = spell(s, s.value);
  std::vector<lang::AffineIndex> slots;
  for (const lang::Named& iterator : s.target_iterators) slots.push_back({{{iterator.name, 1}}, 0, {}});
  const auto target = [&] { return spell_access(TensorName(s.target.name), slots); };
  if (!s.reduction) return target() = value;
  switch (*s.reduction) {
    case Monoid::sum:
      return target() += value;
    case Monoid::product:
      return target() *= value;
    case Monoid::max:
      return target().max_reduce(value);
    case Monoid::min:
      return target().min_reduce(value);
  }
  throw std::logic_error("no such monoid");
}

Statement spell(const lang::Statement& s) {
  Statement statement = spell_head(s);
  if (s.binding) {
    std::vector<IndexRange> binding;
    for (const lang::BoundIterator& b : *s.binding)
      binding.push_back(b.extent ? Index(b.iterator.name).below(*b.extent) : IndexRange(Index(b.iterator.name)));
    statement = statement.over(binding);
  }
  if (s.annotation) statement = statement.result_type(outer(*s.annotation));
  if (s.epilogue) statement = statement.then(spell(s, *s.epilogue));
  if (s.precision) statement = statement.precision(static_cast<Precision>(*s.precision));
  for (const lang::Example& example : s.examples) {
    std::vector<ExampleOperand> operands;
    for (const lang::ExampleOperand& o : example)
      operands.push_back({TensorName(o.name.name), outer(o.dtype), o.shape});
    statement = statement.example(operands);
  }
  if (s.schedule)
    for (const lang::ScheduleLine& line : *s.schedule) statement = spell_line(statement, line);
  return statement;
}

TEST(StatementLaw, any_statement_can_be_said_in_cpp) {
  EXPECT_TRUE(rc::check("the kernel of spell(s) is s", [] {
    const lang::Statement s = lang::RandomStatement().draw();
    RC_LOG() << lang::to_text(s);
    const auto kernel = spell(s).try_kernel();
    if (!kernel) RC_FAIL(kernel.error().front().text);
    RC_ASSERT(lang::skeleton(*Kernel::Inside::of(*kernel).kernel.statement()) == lang::skeleton(s));
    RC_ASSERT(kernel->text() == lang::to_text(s));
  }));
}

}  // namespace
}  // namespace tilewright::v0
