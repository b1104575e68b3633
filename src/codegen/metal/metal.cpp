// The limits of the target, and the parts of the source in order. See metal.h.
#include "codegen/metal/metal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "codegen/metal/names.h"
#include "codegen/metal/prelude.h"
#include "codegen/metal/printer.h"
#include "kernel/matrix_atoms.h"
#include "kernel/passes/expand_functions.h"
#include "kernel/shared_memory.h"
#include "kernel/walk.h"

namespace tilewright::codegen {
namespace {

using kernel::Element;
using kernel::Opcode;

Result<void> check_metal_limits(const kernel::Kernel& kernel, const GpuTarget& target) {
  const MetalArguments arguments = metal_arguments(kernel);
  struct Limit {
    std::string_view what;
    std::int64_t asked;
    std::int64_t most;
    std::string_view remedy;
  };
  const std::array limits = {
      Limit{"bytes of threadgroup memory", kernel::shared_layout(kernel).bytes, target.max_block_shared_bytes,
            "a schedule with smaller tiles"},
      Limit{"threads in a threadgroup", kernel.block->threads, target.max_block_threads,
            "a schedule with fewer threads"},
      Limit{"buffers", static_cast<std::int64_t>(arguments.buffers.size() + (arguments.sizes.empty() ? 0 : 1)),
            target.max_buffers, "a statement of fewer tensors"},
      Limit{"threadgroups that share memory", kernel.block->cluster, target.max_cluster_blocks,
            "a schedule without clusters"},
  };
  for (const Limit& limit : limits)
    if (limit.asked > limit.most)
      return fail("G007",
                  fmt::format("kernel {} asks for {} {}, and {} has {}", kernel.name, limit.asked, limit.what,
                              target.arch, limit.most),
                  std::string(limit.remedy));
  return {};
}

/// What Metal lacks of an op; empty: nothing.
std::string lacking(const kernel::Kernel& kernel, const kernel::Op& op) {
  for (const std::vector<kernel::ValueId>* values : {&op.operands, &op.results})
    for (const kernel::ValueId value : *values)
      if (kernel.values[value].type.element == Element::f64) return "f64";
  const kernel::OpInfo& info = kernel::info(op.code);
  switch (op.code) {
    case Opcode::special:
    case Opcode::shared:
    case Opcode::warp_shuffle:
    case Opcode::warp_vote:
      return "";
    case Opcode::barrier:
      return std::get<kernel::NamedBarrier>(op.attribute).threads == 0 ? "" : "barriers of a part of a block";
    case Opcode::mma: {
      const auto type = [&](std::size_t i) { return kernel.values[op.operands[i]].type; };
      const bool has = kernel::find_mma(type(0), type(1), type(2))->unit == matrix_unit::Unit::simdgroup;
      return has ? "" : "that product of matrices";
    }
    case Opcode::atomic: {
      const auto how = std::get<kernel::Atomic>(op.attribute);
      const Element element = kernel.values[op.results[0]].type.element;
      if (kernel::bits(element) != 32) return "atomics of 64 bits";
      if (how.op == kernel::AtomicOp::cas) return "atomics that compare without failing at random";
      if (how.order != kernel::MemoryOrder::relaxed) return "atomics in an order other than relaxed";
      return "";
    }
    default:
      if (kernel::is_expanded(op.code)) return fmt::format("{} within its bound", info.name);  // the pass leaves none
      return info.rule == kernel::OpRule::gpu ? std::string(info.name) : "";
  }
}

Result<void> check_kernel(const kernel::Kernel& kernel, const GpuTarget& target) {
  if (auto sound = kernel::verify(kernel); !sound) return sound;
  if (!kernel.block) return fail("G008", fmt::format("kernel {} is a host's", kernel.name), "a kernel of a GPU");
  if (auto within = check_metal_limits(kernel, target); !within) return within;
  std::string lacks;
  kernel::walk(kernel.body, [&](const kernel::Op& op) {
    if (lacks.empty()) lacks = lacking(kernel, op);
  });
  if (lacks.empty() && metal::AddressClasses(kernel).any_mixed()) lacks = "pointers to memory of two kinds";
  if (lacks.empty()) return {};
  return fail("G008", fmt::format("kernel {} uses {}, which {} lacks", kernel.name, lacks, target.arch),
              "a schedule without it, or another target");
}

}  // namespace

MetalArguments metal_arguments(const kernel::Kernel& kernel) {
  MetalArguments arguments;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
    (kernel::is_pointer(kernel.values[kernel.parameters[i].value].type.element) ? arguments.buffers : arguments.sizes)
        .push_back(i);
  return arguments;
}

std::vector<std::string> metal_buffer_types(const kernel::Kernel& kernel) {
  const metal::AddressClasses classes(kernel);
  std::vector<std::string> types;
  for (const std::size_t i : metal_arguments(kernel).buffers)
    types.emplace_back(metal::scalar_type(classes.of(kernel.parameters[i].value).element));
  return types;
}

std::string metal_name(std::string_view name) {
  return metal::legal_name(name);
}

std::vector<MetalFunction> metal_functions(const std::vector<kernel::LoweredKernel>& kernels) {
  std::vector<MetalFunction> functions;
  std::set<std::string> taken;
  const auto unique = [&](std::string name, std::string_view further) {
    while (taken.contains(name)) name = metal_name(fmt::format("{}{}", name, further));
    return *taken.insert(std::move(name)).first;
  };
  for (const kernel::LoweredKernel& lowered : kernels)
    functions.push_back({&lowered, unique(metal_name(lowered.kernel.name), "_part"), ""});
  for (const kernel::LoweredKernel& lowered : kernels)
    for (const std::size_t i : metal_arguments(lowered.kernel).buffers)
      taken.insert(metal_name(lowered.kernel.values[lowered.kernel.parameters[i].value].name));
  for (MetalFunction& function : functions)
    function.structure = unique(metal_name(function.name + "_sizes"), "_of_launch");
  return functions;
}

std::vector<MetalField> metal_fields(const MetalFunction& function) {
  metal::Prelude prelude;
  metal::Printer printer(function, prelude);
  printer.run();
  return printer.fields();
}

Result<std::string> emit_metal(const std::vector<MetalFunction>& functions, const GpuTarget& target,
                               std::string_view comment) {
  metal::Prelude prelude;
  std::string text;
  for (const MetalFunction& function : functions) {
    if (auto sound = check_kernel(function.lowered->kernel, target); !sound)
      return std::unexpected(std::move(sound.error()));
    text += "\n" + metal::Printer(function, prelude).run();
  }
  std::string head;
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    const std::string_view row = comment.substr(at, end - at);
    head += row.empty() ? "//\n" : fmt::format("// {}\n", row);
    at = end + 1;
  }
  const std::string helpers = prelude.text().empty() ? "" : "\n" + prelude.text().substr(0, prelude.text().size() - 1);
  return head + "#include <metal_stdlib>\n\nusing namespace metal;\n\n#pragma METAL fp contract(off)\n" + helpers +
         text;
}

}  // namespace tilewright::codegen
