// The GPU scheduler's choice for contractions by matrix units.
//
// A block has 64 rows of outputs a warpgroup and 8 to 256 columns. Its factors are staged in shared memory, 128 bytes
// of terms at a time, and the unit reads them there. Where no operand of the statement says otherwise rows are m; where
// m is short, they are n: 64 is the least number of rows, 8 that of columns.
//
// Of elements of 32 bits a warpgroup's unit reads rows of terms alone. The factor of which neighbours in memory are
// points becomes the rows then, and goes through registers: a thread loads two or four neighbours of a term, for as
// many rows of one product of 64 rows or of two.
//
// Where warps multiply by themselves a block has 16 to 256 rows, and the warps stand in a grid over its tile: each has
// as many sums as 64 × 64, at most, and as near to a square as powers of two let it, so that it loads few fragments.
//
// How the unit deals a warpgroup's tile to threads is in the PTX ISA, "Register Fragments for wgmma": of the bits of a
// row's number, the lower three are the threads' t / 4 % 8, the next is a piece of a thread's own, the others are
// warps; of a column's, the lowest is a thread's neighbours, the next two are t % 4, the others pieces. A warp's own
// tile is dealt alike, with more pieces of rows and with warps along the columns too. A simdgroup's threads are dealt
// in two levels (kernel/matrix_atoms.h): two outer bits, rows' and columns', then two of rows and one of columns. Where
// several iterators make up the rows, each takes the bits that its points fill, the inner ones first.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "nest/passes/contraction_tiles.h"
#include "nest/passes/gpu_schedule.h"
#include "nest/passes/unit_figures.h"
#include "support/matrix_unit.h"

namespace tilewright::nest::gpu_schedule {
namespace {

constexpr std::int64_t least_columns = 8;
constexpr std::int64_t most_columns = 256;

using matrix_unit::Unit, matrix_unit::warp_threads;

// Figures of one multiprocessor beside its unit's, in cycles or per cycle (unit_figures.h).
constexpr double copy_latency = 1700;  ///< of what a stage waits for
constexpr double memory_bytes = 13.5;  ///< of the device's memory
constexpr double step_cycles = 85;     ///< of a stage's waits
constexpr double start_cycles = 850;
constexpr double tile_cycles = 500;  ///< from a block's tile to the next
constexpr double stored_bytes = 29;  ///< of sums
constexpr double second_launch = 5000;
constexpr double part_bytes = 16;
constexpr std::int64_t registers = 65536;
constexpr std::int64_t fewest_other_registers = 50;    ///< of a thread, beside its sums, if need be
constexpr std::int64_t registers_of_rows = 32;         ///< of a thread, of a factor that goes through them
constexpr std::int64_t producer_registers = 128 * 40;  ///< of the warps that tell the copy engine what to copy
constexpr std::int64_t other_registers = 75;           ///< of a thread, beside its sums
constexpr std::int64_t block_bytes = 1024 + 128;       ///< of shared memory, beside stages
constexpr std::int64_t most_sums = 128;                ///< registers of a thread
constexpr std::int64_t most_sums_turning = 64;         ///< where elements of a factor pass through registers one by one
constexpr std::int64_t most_simdgroup_sums = 32;       ///< of a thread of an Apple GPU
constexpr std::int64_t most_padding = 32;              ///< bytes of a row of a factor
constexpr std::array<std::int64_t, 3> group_rows{128, 64, 256};
constexpr std::array<std::int64_t, 5> warp_rows{128, 64, 256, 32, 16};
constexpr std::array<std::int64_t, 4> warp_counts{4, 8, 2, 1};

struct Tile {
  std::int64_t rows = 0, columns = 0, parts = 1;
  std::int64_t warps_down = 1, warps_across = 1;
  std::int64_t threads() const { return warps_down * warps_across * warp_threads; }
  std::int64_t sums() const { return rows * columns / threads(); }  ///< of a thread
};

/// The element that the unit multiplies: of both factors, each one read, which is cast to the sums' type at most.
std::optional<ReadId> plain_read(const Nest& nest, ExprId side) {
  const Expr* expr = &nest.exprs[side];
  if (const auto* cast = std::get_if<CastExpr>(&expr->node)) expr = &nest.exprs[cast->operand];
  const auto* read = std::get_if<ReadValue>(&expr->node);
  return read ? std::optional(read->read) : std::nullopt;
}

class Chooser {
 public:
  Chooser(const Problem& problem, Contraction contraction) : p_(problem), c_(std::move(contraction)) {}

  Result<std::optional<Choice>> run(bool demanded) {
    if (!choose_unit()) {
      if (!demanded) return std::nullopt;
      const Unit asked = *matrix_unit::unit_named(p_.nest.schedule.variant);
      return fail(
          "N053",
          fmt::format("{} is not to be had of {} by matrix units: variant '{}'", p_.nest.name, p_.target.arch,
                      p_.nest.schedule.variant),
          has_unit(p_.target, asked)
              ? fmt::format("sums of products of two operands of {}, both read plainly; or leave the variant out",
                            elements_text(p_.target, asked))
              : fmt::format("{}; or leave the variant out", variants_text(p_.target)));
    }
    if (demanded) read_tiles();
    orient();
    rows_ = inner_first(c_.m, c_.lhs);
    columns_ = inner_first(c_.n, c_.rhs);
    const bool terms_fit = order_terms();
    const double cycles = terms_fit && !written(c_.batch) ? choose_tile() : std::numeric_limits<double>::infinity();
    if (std::isinf(cycles) && demanded) return fail_tile();
    if (!demanded && ((is_warp() && !has_neighbours()) || cycles >= scalar_cycles())) return std::nullopt;
    fill_in();
    return std::move(choice_);
  }

 private:
  const std::string& name(IterId iter) const { return p_.nest.iterators[iter].name; }

  /// Of the schedule's loops, an output's outermost constant step, and of a reduction's the innermost.
  void read_tiles() {
    for (const Loop& loop : p_.nest.loops) {
      if (!loop.step.is_constant() || loop.step.constant() <= 1) continue;
      if (p_.nest.iterators[loop.iter].role == IteratorRole::reduction)
        written_[loop.iter] = loop.step.constant();
      else
        written_.try_emplace(loop.iter, loop.step.constant());
    }
  }

  /// Rows are m, unless there are too few of them; or as the schedule's tiles are legal.
  void orient() {
    const auto is_legal = [&](const std::vector<IterId>& rows, const std::vector<IterId>& columns) {
      const auto of_rows = written(rows);
      const auto of_columns = written(columns);
      return (!of_rows || std::ranges::find(row_counts(), *of_rows) != row_counts().end()) &&
             (!of_columns || (*of_columns >= least_columns && *of_columns <= most_columns &&
                              std::has_single_bit(static_cast<std::uint64_t>(*of_columns))));
    };
    const bool said = written(c_.m) || written(c_.n);
    const bool few = p_.points(c_.m) < least_rows() && p_.points(c_.n) > p_.points(c_.m);
    const bool equal = goes_through_registers(c_.lhs) == goes_through_registers(c_.rhs);
    const bool wants_other = equal ? few && !said : goes_through_registers(c_.rhs);
    if (said && !is_legal(c_.n, c_.m)) return;
    if (!wants_other && !(said && !is_legal(c_.m, c_.n))) return;
    std::swap(c_.lhs, c_.rhs);
    std::swap(c_.m, c_.n);
  }

  std::unexpected<Diagnostics> fail_tile() const {
    const auto size = [&](const std::vector<IterId>& group) {
      const auto points = written(group);
      return points ? std::to_string(*points) : std::string("any number of");
    };
    const std::int64_t threads = p_.nest.schedule.threads;
    return fail(
        "N054",
        fmt::format("matrix units do not take {}'s tiles of {} rows, {} columns and {} terms{}{}", p_.nest.name,
                    size(rows_), size(columns_), size(terms_),
                    threads > 0 ? fmt::format(", by {} threads", threads)
                    : p_.nest.schedule.warps.empty()
                        ? std::string()
                        : fmt::format(", by {} warps", fmt::join(p_.nest.schedule.warps, " x ")),
                    written(c_.batch) ? ", with a tile of a batch" : ""),
        fmt::format("{}; 8, 16, 32, 64, 128 or 256 columns; {} terms, half as many or a quarter; no tile of an "
                    "iterator that both factors and the output have",
                    is_warp()
                        ? fmt::format("16, 32, 64, 128 or 256 rows by 1, 2, 4 or 8 warps of 32 threads, that have "
                                      "{} sums at most each",
                                      most_sums_of_thread() / words_of_sum() * warp_threads)
                    : goes_through_registers(c_.lhs)
                        ? "64, 128 or 256 rows by 128, 128 or 256 threads, that have 128 sums at most each"
                        : "64, 128 or 256 rows by twice as many threads",
                    matrix_unit::row_bytes / element_bytes()));
  }

  /// Of both factors along the terms or their points, and not along a batch: scalar products are vectors of those.
  bool has_neighbours() const {
    const auto along = [&](ExprId side, const std::vector<IterId>& iters) {
      return std::ranges::any_of(iters, [&](IterId iter) { return stride(side, iter) == StrideClass::one; });
    };
    return (along(c_.lhs, terms_) || along(c_.lhs, rows_)) && (along(c_.rhs, terms_) || along(c_.rhs, columns_));
  }

  bool is_warp() const { return product_->unit != Unit::warpgroup; }
  bool is_simdgroup() const { return product_->unit == Unit::simdgroup; }
  std::span<const std::int64_t> row_counts() const {
    return is_warp() ? std::span<const std::int64_t>(warp_rows) : std::span<const std::int64_t>(group_rows);
  }
  std::int64_t least_rows() const { return std::ranges::min(row_counts()); }

  DType element() const { return p_.nest.tensors[p_.nest.reads[*plain_read(p_.nest, c_.lhs)].tensor].dtype; }
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(element())); }
  std::int64_t points(const std::vector<IterId>& group) const {
    constexpr std::int64_t most = 1 << 16;  // no estimate is of more, whatever computes it
    return std::clamp<std::int64_t>(p_.points(group), 1, most);
  }

  StrideClass stride(ExprId side, IterId iter) const {
    return stride_along(p_.nest, p_.facts, p_.nest.reads[*plain_read(p_.nest, side)], iter);
  }

  /// The first of the table that the target has, or the schedule names, and that computes what the statement means.
  bool choose_unit() {
    const auto asked = matrix_unit::unit_named(p_.nest.schedule.variant);
    for (const matrix_unit::Product& product : matrix_unit::products) {
      figures_ = figures_of(p_.target, product.unit);
      if (figures_ == nullptr || (asked && product.unit != *asked) || !fits(product)) continue;
      product_ = &product;
      return true;
    }
    return false;
  }

  /// As rows of a warpgroup's products: of elements of 32 bits, neighbours in memory are points.
  bool goes_through_registers(ExprId side) const {
    constexpr std::int64_t bytes = 4;
    if (is_warp() || element_bytes() != bytes) return false;
    const Read& read = p_.nest.reads[*plain_read(p_.nest, side)];
    for (std::size_t slot = 0; slot < read.index.size(); ++slot) {
      const std::vector<Affine::Term>& terms = read.index[slot].terms;
      if (p_.facts.operands[read.tensor.index].strides[slot] == StrideClass::one && terms.size() == 1 &&
          terms[0].coefficient == 1)
        return p_.nest.iterators[terms[0].iter].role == IteratorRole::output;
    }
    return false;
  }

  bool fits(const matrix_unit::Product& product) const {
    if (!matrix_unit::serves(product, p_.nest.precision)) return false;
    const auto lhs = plain_read(p_.nest, c_.lhs);
    const auto rhs = plain_read(p_.nest, c_.rhs);
    if (!lhs || !rhs || *lhs == *rhs) return false;
    const Read& a = p_.nest.reads[*lhs];
    const Read& b = p_.nest.reads[*rhs];
    const DType of = p_.nest.tensors[a.tensor].dtype;
    if (of != p_.nest.tensors[b.tensor].dtype) return false;
    if (product.element != of || product.sums != p_.nest.accumulate) return false;
    // Each term is in both factors, where what is outside of its scope is 0; rows and columns are of one each.
    const auto all = [](const std::vector<IterId>& group, auto&& holds) {
      return !group.empty() && std::ranges::all_of(group, holds);
    };
    return all(c_.k, [&](IterId iter) { return depends_on(a, iter) && depends_on(b, iter); }) &&
           all(c_.m, [&](IterId iter) { return depends_on(a, iter); }) &&
           all(c_.n, [&](IterId iter) { return depends_on(b, iter); });
  }

  std::vector<IterId> inner_first(std::vector<IterId> group, ExprId side) const {
    const auto score = [&](IterId iter) {
      if (p_.bucket(iter) <= 1) return 0;
      return (stride(side, iter) == StrideClass::one ? 4 : 0) +
             (output_stride_along(p_.nest, p_.facts, iter) == StrideClass::one ? 2 : 0) + 1;
    };
    std::ranges::sort(group, std::ranges::greater{}, [&](IterId iter) { return std::pair(score(iter), iter.index); });
    return group;
  }

  /// The one along which most factors are contiguous last. False: the schedule's tiles of them are not to be had.
  bool order_terms() {
    terms_ = c_.k;
    const auto rank = [&](IterId iter) {
      int score = p_.bucket(iter) >= least_columns ? 1 : 0;
      for (ExprId side : {c_.lhs, c_.rhs}) score += stride(side, iter) == StrideClass::one ? 2 : 0;
      return score;
    };
    std::ranges::sort(terms_, {}, [&](IterId iter) { return std::pair(rank(iter), iter.index); });
    // Staged together: a row of 128 bytes, or as many products' as there are terms.
    const std::int64_t atom = product_->terms;
    std::int64_t left = matrix_unit::row_bytes / element_bytes();
    std::int64_t all = 1;
    const auto whole = written(terms_);
    if (whole && (*whole > left || *whole < atom || left % *whole != 0)) return false;
    for (auto iter = terms_.rbegin(); iter != terms_.rend(); ++iter) {
      const auto asked = written_.find(*iter);
      depth_[*iter] = asked != written_.end() ? asked->second
                      : whole                 ? 1
                                              : std::min(std::max<std::int64_t>(p_.bucket(*iter), 1), left);
      left /= depth_.at(*iter);
      all *= depth_.at(*iter);
    }
    if (all < atom) depth_.at(terms_.back()) *= atom / all;
    for (IterId iter : terms_) {
      const std::int64_t steps = p_.bucket(iter) / depth_.at(iter);
      if (steps > most_parts_) split_ = iter, most_parts_ = steps;
    }
    return true;
  }

  std::int64_t depth() const {
    std::int64_t all = 1;
    for (const auto& [iter, size] : depth_) all *= size;
    return all;
  }

  std::int64_t stage_bytes(const Tile& tile) const {
    return (tile.rows + tile.columns) * (is_simdgroup() || (is_warp() && element_bytes() > 2)
                                             ? matrix_unit::row_bytes + most_padding
                                             : depth() * element_bytes());
  }
  /// The most that a factor of so many points takes, in rows of its terms or of its points.
  std::int64_t most_factor_bytes(std::int64_t points) const {
    const std::int64_t element = element_bytes();
    const auto rows_of = [&](std::int64_t rows, std::int64_t elements, bool turned) {
      const std::int64_t lines = (elements * element + matrix_unit::row_bytes - 1) / matrix_unit::row_bytes;
      const bool spread = !is_swizzled(product_->unit, element, turned) && !goes_through_registers(c_.lhs);
      return rows * (lines * matrix_unit::row_bytes + (spread ? most_padding : 0));
    };
    const std::int64_t straight = rows_of(points, depth(), false);
    return can_turn(product_->unit, element) ? std::max(straight, rows_of(depth(), points, true)) : straight;
  }
  /// A schedule's own tiles of so many stages are an error where they do not fit; the target then says so.
  bool fits_in_shared(const Tile& tile) const {
    const std::int64_t asked = p_.nest.schedule.automatic ? p_.asked_stages() : 1;
    const std::int64_t stages = std::max(figures_->least_stages, asked);
    return stages * (most_factor_bytes(tile.rows) + most_factor_bytes(tile.columns)) <=
           p_.target.max_block_shared_bytes;
  }
  /// Of a block, with so many for each thread beside its sums. Four warps more tell the copy engine what to copy.
  std::int64_t registers_of(const Tile& tile, std::int64_t others) const {
    return tile.threads() * (tile.sums() * words_of_sum() + others) + (is_warp() ? 0 : producer_registers);
  }
  /// Registers: of f64 two, and where a stage's sums are added to those before, as many again.
  std::int64_t words_of_sum() const {
    const std::int64_t words = std::max<std::int64_t>(static_cast<std::int64_t>(size_of(product_->sums)) / 4, 1);
    return p_.nest.precision == Precision::tf32x3 ? 2 * words : words;
  }
  std::int64_t fewest_registers() const {
    return fewest_other_registers + (goes_through_registers(c_.lhs) ? registers_of_rows : 0);
  }

  /// Blocks that share a multiprocessor, and the stages of each.
  struct Residents {
    double blocks = 1, stages = 1;
  };
  Residents residents(const Tile& tile, double blocks) const {
    const std::int64_t staged = stage_bytes(tile);
    const std::int64_t of_two = (p_.target.multiprocessor_shared_bytes / 2 - block_bytes) / staged;
    const bool shared = blocks > p_.target.multiprocessors && of_two >= figures_->least_stages &&
                        registers_of(tile, std::max(other_registers, fewest_registers())) * 2 <= registers;
    const std::int64_t stages = shared ? of_two : (p_.target.max_block_shared_bytes - block_bytes) / staged;
    return {shared ? 2.0 : 1.0, static_cast<double>(std::clamp<std::int64_t>(stages, 1, figures_->most_stages))};
  }

  double cycles_of(const Tile& tile) const {
    const auto over = [](std::int64_t a, std::int64_t b) { return static_cast<double>((a + b - 1) / b); };
    const double batches = static_cast<double>(points(c_.batch)) * static_cast<double>(tile.parts);
    const double blocks = over(points(c_.m), tile.rows) * over(points(c_.n), tile.columns) * batches;
    const double steps = std::max(std::ceil(over(p_.points(c_.k), depth()) / static_cast<double>(tile.parts)), 1.0);
    const auto outputs = static_cast<double>(tile.rows * tile.columns);
    const auto terms = static_cast<double>(depth() * element_bytes());  // of a row or column, in bytes
    const auto staged = static_cast<double>(stage_bytes(tile));
    const double fetched =
        static_cast<double>(std::min(tile.rows, points(c_.m)) + std::min(tile.columns, points(c_.n))) * terms;
    const double rate_of_products =
        element() == DType::f64 ? 8 * figures_->f64_products : 2 * figures_->products;  // a byte of terms each
    const double products =
        static_cast<double>(tile.rows * std::max(tile.columns, figures_->fewest_columns)) * terms / rate_of_products;
    // Each warpgroup, or warp, reads its rows and its columns from shared memory, into which they are copied.
    const std::int64_t readers_down = is_warp() ? tile.warps_down : tile.rows / matrix_unit::rows;
    const double read = static_cast<double>(tile.rows * tile.warps_across + tile.columns * readers_down) * terms;
    const double own = std::max(blocks / p_.target.multiprocessors, 1.0);
    const Residents resident = residents(tile, blocks);
    const double together = std::min(resident.blocks, std::ceil(own));
    const double rate =
        std::min(figures_->copied_bytes, together * std::max(resident.stages - 1, 1.0) * fetched / copy_latency);
    const double step =
        std::max({products, fetched / rate, (staged + read) / figures_->shared_bytes}) + step_cycles / together;
    const double output_bytes = tile.parts > 1 ? 4.0 : static_cast<double>(size_of(p_.nest.output));
    const double stores = outputs * output_bytes / stored_bytes;
    double cycles = std::ceil(own / together) * together * (steps * step + (stores + tile_cycles) / together);
    const double m = static_cast<double>(points(c_.m)), n = static_cast<double>(points(c_.n));
    const double k = static_cast<double>(p_.points(c_.k)) * static_cast<double>(element_bytes());
    const double all_outputs = m * n * batches * output_bytes;
    const double all = (m + n) * k * static_cast<double>(points(c_.batch)) + all_outputs;
    // Of tiles that all wait for the device's memory, the one that has most to spare.
    cycles = std::max(cycles, all / p_.target.multiprocessors / memory_bytes) + cycles / 16 + start_cycles;
    if (tile.parts > 1) cycles += second_launch + 2 * all_outputs / (part_bytes * p_.target.multiprocessors);
    return cycles;
  }

  /// The least estimate; infinite where there is no tile of the rank.
  double choose_tile() {
    const double outputs = static_cast<double>(points(c_.m)) * static_cast<double>(points(c_.n) * points(c_.batch));
    const std::int64_t split = p_.nest.schedule.split_iter.valid() ? 1 : most_parts_;
    for (const std::int64_t rows : row_counts())
      for (std::int64_t columns = most_columns; columns >= least_columns; columns /= 2) {
        if (written(rows_) ? rows != *written(rows_) : rows >= 2 * std::max(points(c_.m), least_rows())) continue;
        if (written(columns_) ? columns != *written(columns_) : columns >= 2 * std::max(points(c_.n), least_columns))
          continue;
        for (Tile tile : arrangements(rows, columns))
          for (std::int64_t parts = 1; parts <= split; parts *= 2) {
            tile.parts = parts;
            if (!is_legal(tile)) continue;
            if (parts > 1 && outputs * static_cast<double>(parts) / static_cast<double>(rows * columns) >
                                 4.0 * p_.target.multiprocessors)
              continue;
            const double cycles = cycles_of(tile);
            candidates_.insert(std::ranges::upper_bound(candidates_, cycles, {}, &Candidate::cycles), {tile, cycles});
          }
      }
    if (candidates_.size() <= p_.rank) return std::numeric_limits<double>::infinity();
    tile_ = candidates_[p_.rank].tile;
    return candidates_.front().cycles;
  }

  /// How warps may stand over a block's tile: a warpgroup's as its unit says; others, of each number of them, so that
  /// they load the fewest fragments, or as the schedule's `warps` says.
  std::vector<Tile> arrangements(std::int64_t rows, std::int64_t columns) const {
    std::vector<Tile> tiles;
    const std::vector<std::int64_t>& said = p_.nest.schedule.warps;
    if (!is_warp()) {
      const std::int64_t products = goes_through_registers(c_.lhs) && rows > matrix_unit::rows ? 2 : 1;
      const Tile tile{rows, columns, 1, rows / products / 16, 1};
      if (said.empty() || (said[0] == tile.warps_down && said[1] == 1)) tiles.push_back(tile);
      return tiles;
    }
    for (const std::int64_t warps : warp_counts) {
      std::optional<Tile> best;
      for (std::int64_t across = 1; across <= warps; across *= 2) {
        const Tile tile{rows, columns, 1, warps / across, across};
        if (rows / tile.warps_down < product_->rows || columns / across < product_->columns) continue;
        if (!said.empty() && (said[0] != tile.warps_down || said[1] != across)) continue;
        const auto fragments = [&](const Tile& each) { return rows * each.warps_across + columns * each.warps_down; };
        if (!best || fragments(tile) < fragments(*best)) best = tile;
      }
      if (best) tiles.push_back(*best);
    }
    return tiles;
  }

  /// What was estimated of the tile, and of those that come next.
  std::string estimates() const {
    const double least = candidates_.front().cycles;
    std::string text = fmt::format("estimate: {:.0f} cycles", least);
    for (std::size_t i = 1; i < std::min<std::size_t>(candidates_.size(), 4); ++i) {
      const auto& [tile, cycles] = candidates_[i];
      text += fmt::format("{} {} x {}", i == 1 ? "; by tiles of" : ",", tile.rows, tile.columns);
      if (is_warp()) text += fmt::format(" by {} x {} warps", tile.warps_down, tile.warps_across);
      if (tile.parts > 1) text += fmt::format(" in {} parts", tile.parts);
      text += fmt::format(" {:.2f} times that", cycles / least);
    }
    return text;
  }

  bool is_legal(const Tile& tile) const {
    const std::int64_t asked = p_.nest.schedule.threads == 0 ? tile.threads() : p_.nest.schedule.threads;
    return tile.threads() == asked && registers_of(tile, fewest_registers()) <= registers && fits_in_shared(tile) &&
           tile.sums() * words_of_sum() <= most_sums_of_thread();
  }

  std::int64_t most_sums_of_thread() const {
    if (is_simdgroup()) return most_simdgroup_sums;
    return is_warp() && turns_elements() ? most_sums_turning : most_sums;
  }

  /// Some factor's rows are points in memory, and the unit takes only rows of terms.
  bool turns_elements() const {
    return !matrix_unit::can_turn(product_->unit, element_bytes()) &&
           std::ranges::any_of(std::array{c_.lhs, c_.rhs}, [&](ExprId side) {
             return std::ranges::none_of(terms_, [&](IterId iter) { return stride(side, iter) == StrideClass::one; });
           });
  }

  /// Points of a group that the schedule's tiles give a block; nullopt: it says nothing.
  std::optional<std::int64_t> written(const std::vector<IterId>& group) const {
    std::optional<std::int64_t> all;
    for (IterId iter : group)
      if (const auto tile = written_.find(iter); tile != written_.end()) {
        std::int64_t product = 0;
        if (__builtin_mul_overflow(all.value_or(1), tile->second, &product)) product = INT64_MAX;
        all = product;
      }
    return all;
  }

  /// Of the same contraction without a matrix unit.
  double scalar_cycles() const {
    ContractionSizes sizes;
    sizes.rows = points(c_.m);
    sizes.columns = points(c_.n);
    sizes.batch = points(c_.batch);
    sizes.terms = std::max<std::int64_t>(p_.points(c_.k), 1);
    sizes.element_bytes = element_bytes();
    sizes.accumulator_bytes = static_cast<std::int64_t>(size_of(p_.nest.accumulate));
    sizes.shared_bytes = std::min(most_shared_bytes, p_.staging_bytes());
    sizes.multiprocessors = p_.target.multiprocessors;
    sizes.most_parts = most_parts_;
    return estimate_cycles(sizes, choose_tiles(sizes));
  }

  /// Deals the bits of a group's points: `fields` from the lowest, each so many points of one kind; the last takes all
  /// that is left. The outermost iterator takes what the group's points do not fill.
  struct Field {
    std::int64_t Dealt::* kind;
    std::int64_t points;
  };
  void deal(const std::vector<IterId>& group, std::int64_t points, std::vector<Field> fields) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      const bool last = i + 1 == group.size();
      const auto asked = written_.find(group[i]);
      std::int64_t size = asked != written_.end() ? asked->second
                          : last                  ? points
                          : written(group)        ? 1
                                                  : std::min(points, std::max<std::int64_t>(p_.bucket(group[i]), 1));
      points /= size;
      if (size == 1) continue;
      Dealt dealt;
      for (Field& field : fields) {
        const std::int64_t taken = std::min(field.points, size);
        dealt.*field.kind *= taken;
        field.points /= taken;
        size /= taken;
      }
      choice_.dealt[group[i]] = dealt;
      choice_.thread_order.insert(choice_.thread_order.begin(), group[i]);
    }
  }

  void fill_in() {
    choice_.variant = matrix_unit::name(product_->unit);
    const std::int64_t halves = is_simdgroup() ? 2 : 1;
    deal(columns_, tile_.columns,
         {{&Dealt::chunk, 2},
          {&Dealt::threads, 4 / halves},
          {&Dealt::outer, halves},
          {&Dealt::pieces, tile_.columns / tile_.warps_across / 8},
          {&Dealt::groups, tile_.warps_across}});
    const std::int64_t own = tile_.rows / tile_.warps_down / 8;  // rows of a thread
    deal(rows_, tile_.rows,
         goes_through_registers(c_.lhs)
             ? std::vector<Field>{{&Dealt::chunk, own}, {&Dealt::threads, 8}, {&Dealt::groups, tile_.warps_down}}
             : std::vector<Field>{{&Dealt::threads, 8 / halves},
                                  {&Dealt::outer, halves},
                                  {&Dealt::pieces, own},
                                  {&Dealt::groups, tile_.warps_down}});
    for (IterId iter : terms_) {
      if (depth_.at(iter) <= 1) continue;
      choice_.dealt[iter].chunk = depth_.at(iter);
      choice_.thread_order.push_back(iter);
    }
    // Neighbours of a thread that are stored together: columns, or rows in registers.
    for (const std::vector<IterId>* group : {&columns_, &rows_})
      for (IterId iter : *group)
        if (const auto dealt = choice_.dealt.find(iter); dealt != choice_.dealt.end() && dealt->second.chunk > 1)
          if (!choice_.lanes.valid() || output_stride_along(p_.nest, p_.facts, iter) == StrideClass::one)
            choice_.lanes = iter;
    if (p_.nest.schedule.split > 1) choice_.split = p_.nest.schedule.split_iter;
    if (tile_.parts > 1) {
      choice_.split = split_;
      choice_.part = std::max(p_.bucket(split_) / tile_.parts, depth_.at(split_));
      choice_.levels.push_back({choice_.split, choice_.part, true});
      choice_.reasons.push_back("split over " + name(choice_.split) + " in parts of " + std::to_string(choice_.part) +
                                ": few blocks");
    }
    std::vector<IterId> outer = c_.batch;
    for (const std::vector<IterId>* group : {&rows_, &columns_})
      outer.insert(outer.end(), group->rbegin(), group->rend());
    add_grid(p_, choice_, outer);
    for (IterId iter : terms_) choice_.levels.push_back({iter, depth_.at(iter)});
    add_caches();
    choice_.reasons.push_back(fmt::format(
        "form: contraction by matrix units{}; {} rows by {} columns a block of {} threads, {} terms of {} a stage",
        is_warp() ? fmt::format(" of {} by {} warps", tile_.warps_down, tile_.warps_across) : std::string(), tile_.rows,
        tile_.columns, tile_.threads(), depth(), tilewright::name(element())));
    choice_.reasons.push_back(estimates());
  }

  void add_caches() {
    for (const auto& [side, group] : {std::pair(c_.lhs, &rows_), std::pair(c_.rhs, &columns_)}) {
      CachedRead staged{*plain_read(p_.nest, side), {}};
      for (IterId iter : c_.batch)
        if (depends_on(p_.nest.reads[staged.read], iter)) staged.tile.emplace_back(iter, 1);
      for (IterId iter : terms_) staged.tile.emplace_back(iter, depth_.at(iter));
      for (auto iter = group->rbegin(); iter != group->rend(); ++iter)
        staged.tile.emplace_back(*iter, choice_.points(*iter));
      choice_.caches.push_back(std::move(staged));
    }
  }

  const Problem& p_;
  Contraction c_;
  const matrix_unit::Product* product_ = nullptr;
  const UnitFigures* figures_ = nullptr;
  Choice choice_;
  std::vector<IterId> rows_, columns_;      ///< inner ones first
  std::vector<IterId> terms_;               ///< of the reduction, inner ones last
  std::map<IterId, std::int64_t> depth_;    ///< points of each that are staged together
  std::map<IterId, std::int64_t> written_;  ///< the schedule's tiles
  struct Candidate {
    Tile tile;
    double cycles = 0;
  };
  std::vector<Candidate> candidates_;  ///< the best first
  Tile tile_;
  IterId split_;
  std::int64_t most_parts_ = 1;
};

}  // namespace

Result<std::optional<Choice>> choose_matrix_product(const Problem& problem, const Contraction& contraction,
                                                    bool demanded) {
  return Chooser(problem, contraction).run(demanded);
}

}  // namespace tilewright::nest::gpu_schedule
