// Which statements of a program are computed as one. See fuse_statements.h.
#include "nest/passes/fuse_statements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <expected>
#include <optional>
#include <utility>

#include "lang/schedule_lines.h"
#include "nest/access.h"
#include "nest/merge_nests.h"
#include "nest/walk.h"
#include "support/overloaded.h"
#include "support/tensor_symbol.h"

namespace tilewright::nest {
namespace {

constexpr double operations_a_byte = 4;
constexpr double operations_a_launch = 1 << 16;
/// A nest's text has its expressions as trees: of chains that use a value twice at each step they grow twofold.
constexpr std::int64_t most_nodes = 4096;
/// A GPU's kernel takes 512 words; a tensor's address, extents and strides are some of them.
constexpr std::int64_t most_words = 400;

bool has_precision(const lang::Statement& statement) {
  return statement.precision.value_or(Precision::exact) != Precision::exact;
}

/// A tensor that the schedule stages and one of the other nest's.
std::optional<std::string> staged_tensor(const lang::Statement& statement, const Nest& other) {
  if (!statement.schedule) return std::nullopt;
  for (const lang::ScheduleLine& line : *statement.schedule) {
    if (line.name.name != "cache") continue;
    for (const lang::ScheduleLine::Argument& argument : line.arguments)
      if (const auto* name = std::get_if<std::string>(&argument.value))
        if (*name == other.name || has_tensor(other, *name)) return *name;
  }
  return std::nullopt;
}

double weight(const Expr& expr) {
  return std::visit(Overloaded{[](const Constant&) { return 0.0; }, [](const ReadValue&) { return 1.0; },
                               [](const IterValue&) { return 0.0; }, [](const ExtentValue&) { return 0.0; },
                               [](const Accumulated&) { return 0.0; }, [](const CastExpr&) { return 1.0; },
                               [](const ApplyExpr& apply) {
                                 if (info(apply.op).operands == OpOperands::floating) return 16.0;
                                 return apply.op == ScalarOp::div ? 4.0 : 1.0;
                               }},
                    expr.node);
}

/// Operations of one point of a nest without a reduction, beyond the load that its reader has anyway.
double operations_of(const Nest& nest) {
  double total = -1;
  for (const ExprId root : {nest.value, nest.result})
    walk(nest.exprs, root, [&](ExprId, const Expr& expr) { total += weight(expr); });
  return std::max(total, 0.0);
}

/// One value as it lies in memory, under distinct iterators.
bool is_permuted_copy(const Nest& nest) {
  const auto* read = std::get_if<ReadValue>(&nest.exprs[nest.value].node);
  if (read == nullptr || !std::holds_alternative<Accumulated>(nest.exprs[nest.result].node)) return false;
  std::vector<IterId> seen;
  for (const Affine& slot : nest.reads[read->read].index) {
    if (slot.constant != 0 || slot.terms.size() != 1 || slot.terms[0].coefficient != 1) return false;
    if (std::ranges::find(seen, slot.terms[0].iter) != seen.end()) return false;
    seen.push_back(slot.terms[0].iter);
  }
  return !nest.reads[read->read].otherwise;
}

class Fusion {
 public:
  explicit Fusion(BoundProgram& program) : program_(program), nests_(program.nests) {}

  std::vector<std::string> run() {
    remove_unread();
    for (std::size_t consumer = 0; consumer < nests_.size(); ++consumer)
      while (absorb_one(consumer)) --consumer;
    for (const BoundNest& nest : nests_) decisions_.push_back(fmt::format("{} stays: {}", nest.nest.name, kept(nest)));
    return std::move(decisions_);
  }

 private:
  struct Joined {
    Nest nest;
    const lang::Statement* statement;
    std::string reason;
  };
  using Join = std::expected<Joined, std::string>;  ///< or why not

  bool is_result(const Nest& nest) const {
    return std::ranges::find(program_.results, nest.name) != program_.results.end();
  }

  std::vector<const BoundNest*> readers_of(const Nest& nest) const {
    std::vector<const BoundNest*> readers;
    for (const BoundNest& other : nests_)
      if (has_tensor(other.nest, nest.name)) readers.push_back(&other);
    return readers;
  }

  void remove_unread() {
    for (std::size_t n = nests_.size(); n-- > 0;) {
      if (is_result(nests_[n].nest) || !readers_of(nests_[n].nest).empty()) continue;
      decisions_.push_back(fmt::format("{} is left out: nothing reads it, and it is no result", nests_[n].nest.name));
      nests_.erase(nests_.begin() + static_cast<std::ptrdiff_t>(n));
    }
  }

  /// Computes one of the values that the nest reads in it. What is not reduced comes first, so that a reduction's value
  /// has fewer readers by then.
  bool absorb_one(std::size_t consumer) {
    for (const bool reduced : {false, true})
      for (std::size_t producer = 0; producer < consumer; ++producer) {
        const BoundNest& from = nests_[producer];
        if (from.nest.reduction.has_value() != reduced || !has_tensor(nests_[consumer].nest, from.nest.name)) continue;
        Join joined = join(from, nests_[consumer]);
        if (!joined) continue;
        decisions_.push_back(fmt::format("{} joins {}: {}", from.nest.name, joined->nest.name, joined->reason));
        std::vector<std::string> targets = from.targets;
        targets.insert(targets.end(), nests_[consumer].targets.begin(), nests_[consumer].targets.end());
        nests_[consumer] = {std::move(joined->nest), joined->statement, std::move(targets)};
        nests_.erase(nests_.begin() + static_cast<std::ptrdiff_t>(producer));
        return true;
      }
    return false;
  }

  Join join(const BoundNest& from, const BoundNest& to) const {
    if (is_result(from.nest)) return std::unexpected("it is a result");
    if (const auto readers = readers_of(from.nest); readers.size() > 1) {
      std::vector<std::string_view> names;
      for (const BoundNest* reader : readers) names.push_back(reader->nest.name);
      return std::unexpected(fmt::format("it has several readers ({})", fmt::join(names, ", ")));
    }
    Join joined = from.nest.reduction ? join_epilogue(from, to) : join_prologue(from, to);
    if (!joined) return joined;
    if (expression_size(joined->nest) > most_nodes)
      return std::unexpected(
          fmt::format("its expression would have more than {} nodes in {}", most_nodes, to.nest.name));
    if (words_of(joined->nest) > most_words)
      return std::unexpected(fmt::format("a kernel of {} would take more than {} words", to.nest.name, most_words));
    return joined;
  }

  Join join_epilogue(const BoundNest& from, const BoundNest& to) const {
    Merged merged = merge_epilogue(from.nest, to.nest);
    if (!merged) return std::unexpected("it " + merged.error());
    if (!lang::has_automatic_schedule(*to.statement))
      return std::unexpected(fmt::format("{} has a schedule of its own", to.nest.name));
    if (has_precision(*to.statement))
      return std::unexpected(fmt::format("{} has a precision of its own", to.nest.name));
    if (const auto staged = staged_tensor(*from.statement, to.nest))
      return std::unexpected(fmt::format("its schedule stages {}, which {} reads too", *staged, to.nest.name));
    return Joined{std::move(*merged), from.statement,
                  fmt::format("{} is what is done with each finished value; {} bytes are neither written nor read",
                              to.nest.name, bytes_of(from.nest))};
  }

  Join join_prologue(const BoundNest& from, const BoundNest& to) const {
    Merged merged = merge_prologue(from.nest, to.nest);
    if (!merged) return std::unexpected("it " + merged.error());
    if (!lang::has_automatic_schedule(*from.statement)) return std::unexpected("it has a schedule of its own");
    if (has_precision(*from.statement)) return std::unexpected("it has a precision of its own");
    if (const auto staged = staged_tensor(*to.statement, from.nest))
      return std::unexpected(fmt::format("the schedule of {} stages {}", to.nest.name, *staged));
    if (is_factor(from.nest, to.nest) && !is_permuted_copy(from.nest))
      return std::unexpected(fmt::format(
          "it is a factor of the product {}, whose matrix units and packed panels take reads", to.nest.name));
    return weigh(from, to, std::move(*merged));
  }

  /// Repeated operations against saved bytes and a launch.
  Join weigh(const BoundNest& from, const BoundNest& to, Nest merged) const {
    const double points = points_of(from.nest, {from.nest.output_index});
    const double times = evaluations(from.nest.name, to.nest) / std::max(points, 1.0);
    const double operations = operations_of(from.nest);
    const double repeated = std::max(times - 1, 0.0) * points * operations;
    const double saved = operations_a_byte * 2 * static_cast<double>(bytes_of(from.nest)) + operations_a_launch;
    const std::string computed =
        times > 1 && operations > 0 ? fmt::format("; computed {:.4g} x", times) : std::string();
    if (repeated > saved)
      return std::unexpected(
          fmt::format("{} would compute it {:.4g} x: {:.4g} operations more, where storing it costs as much as {:.4g}",
                      to.nest.name, times, repeated, saved));
    return Joined{std::move(merged), to.statement,
                  fmt::format("computed where it is read; {} bytes are neither written nor read{}", bytes_of(from.nest),
                              computed)};
  }

  /// Read below a sum of products with several rows and columns.
  bool is_factor(const Nest& from, const Nest& to) const {
    const auto contraction = as_contraction(to);
    if (!contraction || points_of(to, contraction->m) <= 1 || points_of(to, contraction->n) <= 1) return false;
    return std::ranges::any_of(reads_below(to, to.value),
                               [&](ReadId read) { return to.tensors[to.reads[read].tensor].name == from.name; });
  }

  /// How often the nest reads the tensor, for all its points.
  double evaluations(const std::string& tensor, const Nest& nest) const {
    std::vector<IterId> all;
    for (std::uint32_t i = 0; i < nest.iterators.size(); ++i) all.push_back(IterId{i});
    double total = 0;
    const auto add = [&](ExprId root, const std::vector<IterId>& iters) {
      for (const ReadId read : reads_below(nest, root))
        if (nest.tensors[nest.reads[read].tensor].name == tensor) total += points_of(nest, iters);
    };
    add(nest.value, all);
    add(nest.result, nest.output_index);
    return total;
  }

  double points_of(const Nest& nest, const std::vector<IterId>& iters) const {
    const SymbolValues extents = [&](std::string_view name) -> std::optional<std::int64_t> {
      const auto symbol = parse_tensor_symbol(name);
      const lang::OperandType* type = symbol ? program_.tensor(symbol->tensor) : nullptr;
      if (type == nullptr || symbol->stride || symbol->axis >= type->shape.size()) return std::nullopt;
      return type->shape[symbol->axis];
    };
    double points = 1;
    for (const IterId iter : iters)
      points *= static_cast<double>(evaluate(nest.iterators[iter].extent, extents).value_or(0));
    return points;
  }

  std::int64_t bytes_of(const Nest& nest) const {
    return static_cast<std::int64_t>(points_of(nest, nest.output_index)) *
           static_cast<std::int64_t>(size_of(nest.output));
  }

  static std::int64_t words_of(const Nest& nest) {
    std::int64_t words = 1 + 2 * static_cast<std::int64_t>(nest.output_index.size());
    for (const Tensor& tensor : nest.tensors) words += 1 + 2 * tensor.rank;
    return words;
  }

  /// Why a nest that is left is one of its own.
  std::string kept(const BoundNest& nest) const {
    if (is_result(nest.nest)) return "it is a result";
    for (const BoundNest& reader : nests_)
      if (has_tensor(reader.nest, nest.nest.name))
        if (const Join joined = join(nest, reader); !joined) return joined.error();
    internal_error("fuse_statements: no reason keeps " + nest.nest.name);
  }

  BoundProgram& program_;
  std::vector<BoundNest>& nests_;
  std::vector<std::string> decisions_;
};

}  // namespace

std::vector<std::string> fuse_statements(BoundProgram& program) {
  std::vector<std::string> decisions = Fusion(program).run();
  for (const BoundNest& nest : program.nests)
    if (const Result<void> sound = verify(nest.nest); !sound)
      internal_error("fuse_statements: " + render(sound.error()) + "\n" + to_text(nest.nest));
  return decisions;
}

}  // namespace tilewright::nest
