// Texts for name objects: one scope for a statement or a whole program.
#pragma once

#include "api/expr_node.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tilewright::v0 {

/// Names are first noted, in the order in which they are to be named, then read. A given text stays; an object without
/// one gets the first free letter of its kind: i, j, k, … for iterators, a, b, c, … for tensors, and after them i1, a1,
/// ….
class Naming {
 public:
  void note_iterator(const detail::NamePtr& name) { note(iterators_, name); }
  void note_tensor(const detail::NamePtr& name) { note(tensors_, name); }
  /// After all notes.
  void assign();

  /// The texts given to noted objects.
  const std::unordered_set<std::string>& given() const { return given_; }
  /// Requires that the object was noted and assign() called.
  const std::string& text(const detail::NamePtr& name) const;
  /// The objects without a text of their own, tensors only.
  std::vector<AssignedName> assigned_tensors() const;

 private:
  void note(std::vector<detail::NamePtr>& list, const detail::NamePtr& name);
  void assign(const std::vector<detail::NamePtr>& names, std::string_view letters,
              std::unordered_set<std::string>& taken);

  std::vector<detail::NamePtr> iterators_;  ///< without text, in order
  std::vector<detail::NamePtr> tensors_;    ///< the same
  std::unordered_set<std::string> given_;
  std::unordered_map<const detail::Name*, std::string> texts_;
};

}  // namespace tilewright::v0
