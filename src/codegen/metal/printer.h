// The state of the printer kernel IR → Metal source: what each value is called, and the lines so far. Private to
// codegen/metal.
//
//   %5 = mul i64 %4, 4           (used twice)     const long v0 = thread * 4;
//   %7 = offset ptr %a, 4 · %5                    (a pointer and what is added to it, until it is used)
//   %8 = load f32x4 %7 align 16                   const float4 a0 = *(device const float4*)(a + v0);
//   %9 = mul f32x4 %8, %8        (used once)      (an expression, until it is used)
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "codegen/metal/address_classes.h"
#include "codegen/metal/expression.h"
#include "codegen/metal/metal.h"
#include "codegen/metal/names.h"
#include "codegen/metal/prelude.h"
#include "codegen/metal/types.h"
#include "codegen/metal/value_uses.h"
#include "kernel/lower/tile_to_kernel.h"

namespace tilewright::codegen::metal {

/// What an operand is wanted as, of integers: with its sign, without, or as it comes.
enum class Sign : std::uint8_t { any, with, without };

/// A value other than a pointer: its parts, or its lanes where they were put together one by one.
struct Printed {
  std::vector<Expression> parts;
  std::vector<Expression> lanes;
};

/// An address: so many elements of its class behind a pointer that has a name.
struct Address {
  std::string base;
  std::vector<Expression> terms;
  std::int64_t constant = 0;  ///< elements
};

class Printer {
 public:
  Printer(const MetalFunction& function, Prelude& prelude);
  /// The structure of sizes and the function.
  std::string run();
  /// Of the structure, once it has run.
  const std::vector<MetalField>& fields() const { return fields_; }

 private:
  using ValueId = kernel::ValueId;
  using Op = kernel::Op;
  using Type = kernel::Type;

  // printer.cpp: the function, regions and control.
  struct SizeName {
    std::string field;
    std::string elements;  ///< of the local that counts elements
  };
  SizeName size_name(std::size_t parameter) const;
  void declare_sizes();
  std::string signature();
  void print_region(const kernel::Region& region);
  void print_op(const Op& op);
  void print_for(const Op& op);
  void print_if(const Op& op);
  void print_yield(const kernel::Region& region, const std::vector<ValueId>& variables);
  void print_shared(const Op& op);
  void print_local(const Op& op);
  std::vector<ValueId> used_results(const Op& op) const;
  void declare_variable(ValueId variable, std::string_view hint);
  std::vector<std::string> variable_names(ValueId variable) const;
  std::vector<std::string> texts_of(ValueId value);

  // printer_values.cpp: pure ops.
  void print_pure(const Op& op);
  Expression pure(const Op& op, std::size_t part);
  Expression arithmetic(const Op& op, std::size_t part);
  Expression wrapped(const Op& op, std::string_view sign, Binding binding, std::size_t part);
  Expression divided(const Op& op, std::size_t part);
  Expression compared(const Op& op, std::size_t part);
  Expression chosen(const Op& op, std::size_t part);
  Expression converted(const Op& op, std::size_t part);
  Expression shifted(const Op& op, std::size_t part);
  Expression logical(const Op& op, std::size_t part);
  void put_lanes(const Op& op);
  Expression special(const Op& op);

  // printer_names.cpp: values as text.
  Type type(ValueId value) const { return kernel_.values[value].type; }
  const Scalar* constant_of(ValueId value) const;
  Expression literal(kernel::Element element, const Scalar& value, Sign sign, bool typed) const;
  Expression operand(ValueId value, std::size_t part, Sign sign = Sign::any, bool typed = false);
  Expression lane(ValueId value, int lane, Sign sign = Sign::any);
  /// As a name, which is declared if there is none yet.
  Expression atom(ValueId value, std::size_t part);
  Expression with_sign(Expression expression, kernel::Element element, int lanes) const;
  Expression without_sign(Expression expression, kernel::Element element, int lanes) const;
  Expression signed_as(Expression expression, Sign sign, kernel::Element element, int lanes) const;
  Expression declare(const Expression& expression, kernel::Element element, int lanes, std::string_view hint);
  void define(ValueId value, std::vector<Expression> parts, std::string_view hint, bool always = false);
  std::string type_name(kernel::Element element, int lanes, bool is_unsigned = false) const;
  int part_lanes(ValueId value, std::size_t part) const;
  std::string hint_of(ValueId value, std::string_view otherwise) const;

  // printer_memory.cpp: addresses and accesses.
  void print_offset(const Op& op);
  Expression elements_of(ValueId bytes, std::int64_t size);
  std::string pointer_type(ValueId pointer, kernel::Element element, int lanes, bool writes) const;
  std::string space_word(ValueId pointer) const;
  std::string address_text(ValueId pointer, std::int64_t further = 0) const;
  std::string access_text(ValueId pointer, kernel::Element element, int lanes, std::int64_t further, bool writes) const;
  void print_load(const Op& op);
  void print_store(const Op& op);
  void print_gather(const Op& op);
  void print_scatter(const Op& op);
  std::string pointer_text(ValueId pointer) const;

  // printer_threads.cpp: what threads do together.
  void print_together(const Op& op);
  void print_shuffle(const Op& op);
  void print_atomic(const Op& op);

  void line(std::string_view text) { body_ += std::string(2 * depth_, ' ') + std::string(text) + "\n"; }

  const kernel::LoweredKernel& lowered_;
  const kernel::Kernel& kernel_;
  const MetalFunction& function_;
  Prelude& prelude_;
  AddressClasses classes_;
  ValueUses uses_;
  Names names_;
  std::vector<Printed> values_;
  std::vector<Address> addresses_;
  std::vector<std::pair<ValueUses::Divided, std::string>> divided_;
  std::vector<MetalField> fields_;
  std::string structure_;  ///< of sizes, as text
  std::string body_;
  std::size_t depth_ = 1;
  std::set<std::string> attributes_;  ///< parameters that the function asks for: "uint lane [[…]]"
  std::string thread_, block_, blocks_, lane_, warp_;
  std::set<std::uint32_t> reads_;  ///< tensors that the kernel may write and reads
};

}  // namespace tilewright::codegen::metal
