// Finding and removing what protects a kernel. See mutations.h.
#include "mutations.h"

#include <functional>
#include <map>
#include <optional>

#include "kernel/print.h"
#include "kernel/walk.h"

namespace tilewright::differential {
namespace {

using kernel::Element;
using kernel::Kernel;
using kernel::Op;
using kernel::Opcode;
using kernel::Region;

bool is_masked(const Kernel& kernel, const Op& op) {
  return std::holds_alternative<kernel::Access>(op.attribute) && !op.operands.empty() &&
         kernel.values[op.operands.back()].type.element == Element::i1;
}

/// A region that does nothing yields, and that is all.
bool is_empty(const Region& region) {
  return region.ops.size() == 1 && region.ops.back().operands.empty();
}

std::optional<Protection> protection_of(const Kernel& kernel, const Op& op) {
  switch (op.code) {
    case Opcode::barrier:
      return Protection::barrier;
    case Opcode::wait_copies:
    case Opcode::mbarrier_wait:
    case Opcode::wait_bulk:
    case Opcode::wait_bulk_reads:
      return Protection::wait;
    case Opcode::commit_copies:
    case Opcode::commit_bulk:
      return Protection::commit;
    case Opcode::fence:
    case Opcode::fence_async:
      return Protection::fence;
    case Opcode::if_then:
      if (is_empty(op.regions[1])) return Protection::guard;
      return std::nullopt;
    default:
      if (is_masked(kernel, op)) return Protection::mask;
      return std::nullopt;
  }
}

/// Calls `visit(ops, index, protection)` for each op that protects, until it gives true.
using Visit = std::function<bool(std::vector<Op>&, std::size_t, Protection)>;
bool each_site(const Kernel& kernel, Region& region, const Visit& visit) {
  for (std::size_t i = 0; i < region.ops.size(); ++i) {
    if (const auto protection = protection_of(kernel, region.ops[i]))
      if (visit(region.ops, i, *protection)) return true;
    for (Region& inner : region.ops[i].regions)
      if (each_site(kernel, inner, visit)) return true;
  }
  return false;
}

}  // namespace

std::string_view name(Protection protection) {
  switch (protection) {
    case Protection::barrier:
      return "barrier";
    case Protection::wait:
      return "wait";
    case Protection::commit:
      return "commit";
    case Protection::fence:
      return "fence";
    case Protection::mask:
      return "mask";
    case Protection::guard:
      return "guard";
  }
  internal_error("no protection");
}

std::vector<Site> find_sites(const Kernel& kernel) {
  std::vector<Site> sites;
  std::map<Protection, std::size_t> counts;
  Kernel copy = kernel;
  each_site(kernel, copy.body, [&](std::vector<Op>& ops, std::size_t i, Protection protection) {
    sites.push_back({protection, counts[protection]++, op_text(kernel, ops[i])});
    return false;
  });
  return sites;
}

Kernel without(Kernel kernel, const Site& site) {
  std::size_t count = 0;
  const Kernel whole = kernel;
  each_site(whole, kernel.body, [&](std::vector<Op>& ops, std::size_t i, Protection protection) {
    if (protection != site.protection || count++ != site.number) return false;
    if (protection == Protection::mask) {
      ops[i].operands.pop_back();
    } else if (protection == Protection::guard) {
      const kernel::ValueId always = kernel.values.add({{Element::i1, 1}, ""});
      ops[i].operands[0] = always;
      ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(i),
                 Op{Opcode::constant, {}, {always}, Scalar::of(std::int64_t{1}), {}});
    } else {
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return true;
  });
  return kernel;
}

}  // namespace tilewright::differential
