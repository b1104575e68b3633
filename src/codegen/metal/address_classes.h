// What each pointer of a kernel points to: the address space, and the element that it counts by. Pointers that flow
// into one another (offsets, choices, loops) are of one class.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/ir.h"

namespace tilewright::codegen::metal {

enum class Space : std::uint8_t { device, threadgroup, thread };

struct AddressClass {
  std::optional<Space> space;
  kernel::Element element = kernel::Element::i8;  ///< the smallest one that is loaded or stored
  bool accessed = false;
  bool readonly = true;   ///< nothing is stored through it
  bool is_mixed = false;  ///< pointers of two spaces meet
  std::string name;       ///< of a tensor that it points to; empty: a buffer
};

class AddressClasses {
 public:
  explicit AddressClasses(const kernel::Kernel& kernel);

  const AddressClass& of(kernel::ValueId pointer) const { return classes_[find(pointer.index)]; }
  bool any_mixed() const;

 private:
  std::uint32_t find(std::uint32_t value) const;
  void join(kernel::ValueId a, kernel::ValueId b);
  void follow(const kernel::Region& region);
  void follow_op(const kernel::Op& op);
  void access(kernel::ValueId pointer, kernel::Element element, bool stores);
  void place(kernel::ValueId pointer, Space space);

  const kernel::Kernel& kernel_;
  mutable std::vector<std::uint32_t> parents_;
  std::vector<AddressClass> classes_;
};

}  // namespace tilewright::codegen::metal
