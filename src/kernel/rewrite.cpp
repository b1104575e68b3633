// Rebuilding a kernel through the builder. See walk.h.
#include <algorithm>

#include "kernel/walk.h"

namespace tilewright::kernel {

namespace {

class Rewriter {
 public:
  Rewriter(const Kernel& kernel, const Replace& replace)
      : kernel_(kernel), replace_(replace), builder_(kernel.name, kernel.block), mapped_(kernel.values.size()) {}

  Kernel run() {
    for (const Parameter& parameter : kernel_.parameters) {
      const Value& value = kernel_.values[parameter.value];
      mapped_[parameter.value.index] = builder_.parameter(value.name, value.type, parameter);
    }
    region(kernel_.body);
    return builder_.finish();
  }

 private:
  std::vector<ValueId> map(const std::vector<ValueId>& values) const {
    std::vector<ValueId> result;
    for (ValueId value : values) result.push_back(mapped_[value.index]);
    return result;
  }

  void bind(const std::vector<ValueId>& from, const std::vector<ValueId>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      mapped_[from[i].index] = to[i];
      const std::string& name = kernel_.values[from[i]].name;
      if (!name.empty()) builder_.name(to[i], name);
    }
  }

  /// Builds the region's ops; gives what it yields.
  std::vector<ValueId> region(const Region& region) {
    for (const Op& op : region.ops) {
      if (op.code == Opcode::yield) return map(op.operands);
      if (op.code == Opcode::for_loop)
        for_loop(op);
      else if (op.code == Opcode::if_then)
        if_then(op);
      else
        plain(op);
    }
    internal_error("rewrite of a region without a yield");
  }

  void for_loop(const Op& op) {
    const std::vector<ValueId> operands = map(op.operands);
    bind(op.results, builder_.for_loop(operands[0], operands[1], operands[2], {operands.begin() + 3, operands.end()},
                                       [&](ValueId i, std::vector<ValueId> carried) {
                                         carried.insert(carried.begin(), i);
                                         bind(op.regions[0].arguments, carried);
                                         return region(op.regions[0]);
                                       }));
  }

  void if_then(const Op& op) {
    bind(op.results, builder_.if_then(
                         mapped_[op.operands[0].index], [&] { return region(op.regions[0]); },
                         [&] { return region(op.regions[1]); }));
  }

  void plain(const Op& op) {
    const Op mapped{op.code, map(op.operands), {}, op.attribute, {}};
    const Type result = op.results.empty() ? Type{} : kernel_.values[op.results[0]].type;
    const Replacement replacement = replace_(builder_, mapped, result);
    bind(op.results, replacement ? *replacement : builder_.build(mapped, result));
  }

  const Kernel& kernel_;
  const Replace& replace_;
  Builder builder_;
  std::vector<ValueId> mapped_;  ///< by value of the old kernel
};

}  // namespace

Kernel rewrite(const Kernel& kernel, const Replace& replace) {
  return Rewriter(kernel, replace).run();
}

}  // namespace tilewright::kernel
