// A statement or a program, ready to be called on an engine: parsed once, compiled per signature when called.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lang/ast.h"
#include "lang/bind.h"
#include "runtime/tensor.h"

namespace tilewright {

struct Operand {
  std::string name;
  Tensor tensor;
};

/// A handle; copies share one statement and one cache of compiled calls. Immutable and safe to share between threads.
class Kernel {
 public:
  /// The only kernel of a .tw text; R070 where it has none or several.
  static Result<Kernel> parse(std::string text, std::string source_name = "<statement>");
  /// A NumPy einsum string over operands of these ranks, named `a`, `b`, `c`, … in order; the target is `result`. With
  /// an element type, what NumPy makes of operands of that type (lang/parse.h).
  static Result<Kernel> einsum(std::string_view equation, const std::vector<std::size_t>& ranks,
                               std::optional<DType> element = std::nullopt);
  explicit Kernel(std::variant<lang::Statement, lang::Program> item);

  const std::string& name() const;
  /// Names of its operands, in order of first read (a program's parameters).
  const std::vector<std::string>& operand_names() const { return data_->operands; }
  /// What it computes, by name: the target (a program's results).
  std::vector<std::string> result_names() const;
  const std::vector<lang::Example>& examples() const;

  /// Null for a program.
  const lang::Statement* statement() const { return std::get_if<lang::Statement>(&data_->item); }
  const lang::Program* program() const { return std::get_if<lang::Program>(&data_->item); }

  /// The statements of a program, in order; empty for a statement.
  const std::vector<Kernel>& steps() const { return data_->steps; }

  struct CallCache;
  CallCache& calls() const { return *data_->calls; }

 private:
  struct Data {
    std::variant<lang::Statement, lang::Program> item;
    std::vector<std::string> operands;
    std::vector<Kernel> steps;
    std::shared_ptr<CallCache> calls;
  };
  std::shared_ptr<const Data> data_;
};

/// The operands, all that the kernel reads, and behind them what each of its statements makes of them. Errors: the
/// statements'.
Result<std::vector<lang::OperandType>> types_with_results(const Kernel& kernel,
                                                          std::vector<lang::OperandType> operands);

/// All kernels of a .tw text, in order.
Result<std::vector<Kernel>> parse_kernels(SourcePtr source);

}  // namespace tilewright
