// How often the printed source has each value of a kernel, where, and which integers may wrap around.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/metal/address_classes.h"
#include "kernel/lower/tile_to_kernel.h"

namespace tilewright::codegen::metal {

class ValueUses {
 public:
  ValueUses(const kernel::LoweredKernel& lowered, const AddressClasses& classes);

  int count(kernel::ValueId value) const { return uses_[value.index].count; }
  bool is_used(kernel::ValueId value) const { return count(value) > 0; }
  /// One use, in the region that defines the value.
  bool is_used_once(kernel::ValueId value) const;
  /// The op that defines it; null for parameters and arguments of regions.
  const kernel::Op* definition(kernel::ValueId value) const { return uses_[value.index].definition; }
  /// Whether arithmetic that gives this value has to wrap around, as the kernel IR's does: what is stored depends on
  /// it, and it may come to its type's end. Addresses and counts do not; nor do places that what is stored depends on
  /// by a comparison alone, unless a product of two of them or by a number past 31 bits is among what is compared.
  bool may_wrap(kernel::ValueId value) const;

  /// Whether the form of a number of bytes shows that it is a multiple of an element's, so that pointers count by
  /// elements: then what counts in its place is made from other values.
  bool is_divisible(kernel::ValueId bytes, std::int64_t size) const;
  /// The parameter's value, if the launch computes one; else nothing.
  const IntExpr* size_parameter(kernel::ValueId value) const;
  /// The parameters that stand for elements, divided by the element's size.
  using Divided = std::pair<kernel::ValueId, std::int64_t>;
  const std::vector<Divided>& divided() const { return divided_; }

 private:
  /// How a value comes to what is stored.
  enum class Flow : std::uint8_t { none, compared, data };
  struct Use {
    const kernel::Op* definition = nullptr;
    int defined_in = -1;  ///< region
    int used_in = -1;
    int count = 0;
    Flow flow = Flow::none;
    bool from_memory = false;
  };
  void define(const kernel::Region& region, int number);
  void use(kernel::ValueId value, int region);
  void use_elements(kernel::ValueId bytes, std::int64_t size, int region);
  void count_region(const kernel::Region& region);
  void count_op(const kernel::Op& op, int region);
  void mark_flows();
  bool mark_from_memory(const kernel::Region& region);

  const kernel::LoweredKernel& lowered_;
  const AddressClasses& classes_;
  std::vector<Use> uses_;
  std::vector<const kernel::Region*> regions_;
  std::vector<Divided> divided_;
};

}  // namespace tilewright::codegen::metal
