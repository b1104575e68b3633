// naming.h's class.
#include "api/naming.h"

#include <fmt/format.h>

namespace tilewright::v0 {

void Naming::note(std::vector<detail::NamePtr>& list, const detail::NamePtr& name) {
  if (!texts_.try_emplace(name.get(), name->text).second) return;
  if (name->text.empty())
    list.push_back(name);
  else
    given_.insert(name->text);
}

void Naming::assign() {
  std::unordered_set<std::string> taken = given_;
  assign(iterators_, "ijklmnpqrs", taken);
  assign(tensors_, "abcdefgh", taken);
}

void Naming::assign(const std::vector<detail::NamePtr>& names, std::string_view letters,
                    std::unordered_set<std::string>& taken) {
  std::size_t next = 0;
  for (const detail::NamePtr& name : names) {
    std::string text;
    do {
      const std::size_t round = next / letters.size();
      text = letters[next % letters.size()];
      if (round > 0) text += fmt::format("{}", round);
      ++next;
    } while (!taken.insert(text).second);
    texts_[name.get()] = text;
  }
}

const std::string& Naming::text(const detail::NamePtr& name) const {
  return texts_.at(name.get());
}

std::vector<AssignedName> Naming::assigned_tensors() const {
  std::vector<AssignedName> assigned;
  for (const detail::NamePtr& name : tensors_) assigned.push_back({name, text(name)});
  return assigned;
}

}  // namespace tilewright::v0
