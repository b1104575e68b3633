// Products of matrices that a warpgroup starts (wgmma). Each of its four warps does its own 16 of the 64 rows.
//
// From the start of a product until the warp's wait for its group, the factors in shared memory may not be written, and
// the accumulators have no value: each holds a pattern, a NaN, that only another product, or the wait, takes for the
// sum. A kernel that reads them too early computes with NaN. (A sum that has the bits of such a pattern while its
// product is pending is taken for one: an integer above 0x7fc00000, or a NaN with a payload.)
//
// With g = t / 4 and q = t % 4, element i of thread t is in row g + 8 (i / 2 % 2) of the warp and in column
// 8 (i / 4) + 2 q + i % 2 (PTX ISA, "Register Fragments for wgmma").
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "kernel/matrix_atoms.h"
#include "kernel/simulate/block.h"
#include "kernel/simulate/factors.h"

namespace tilewright::kernel::simulator {

namespace {

constexpr std::size_t piece_bytes = 16;
constexpr std::uint16_t of_product = Mark::async | Mark::whole_warp;
constexpr std::size_t row_bytes = 128;
constexpr std::size_t piece_rows = 8;
constexpr std::size_t warp_rows = 16;
constexpr unsigned group_warps = 4;
/// A NaN: below these bits, the product's number and which of the thread's words it is.
constexpr std::uint32_t no_value = 0x7fc00000;
constexpr unsigned word_bits = 7;
constexpr std::uint32_t most_products = (1 << 15) - 1;  ///< that a number tells apart, from 1

using Sums = std::vector<std::uint32_t>;  ///< of the warp's threads, one thread's behind the other's

/// The accumulators among the op's operands, or its results, as words.
class Accumulators {
 public:
  Accumulators(Block& block, Warp& warp, const std::vector<ValueId>& values) : warp_(warp) {
    const Program& program = block.grid().program();
    for (ValueId value : values) {
      const Type type = program.kernel->values[value].type;
      places_.push_back({program.decoded.places[value.index], static_cast<std::size_t>(type.lanes)});
      words_ += static_cast<std::size_t>(type.lanes);
    }
  }
  std::size_t words() const { return words_; }

  Sums read() const {
    Sums sums(words_ * warp_threads);
    each([&](std::byte* at, std::uint32_t* word, std::size_t bytes) { std::memcpy(word, at, bytes); }, sums);
    return sums;
  }
  void write(Sums sums) const {
    each([&](std::byte* at, std::uint32_t* word, std::size_t bytes) { std::memcpy(at, word, bytes); }, sums);
  }

 private:
  struct Place {
    std::uint32_t place;
    std::size_t lanes;
  };
  template <class Move>
  void each(Move&& move, Sums& sums) const {
    for (unsigned lane = 0; lane < warp_threads; ++lane) {
      std::uint32_t* word = sums.data() + lane * words_;
      for (const Place& place : places_) {
        const std::size_t bytes = place.lanes * sizeof(std::uint32_t);
        move(warp_.machine.at(place.place) + lane * bytes, word, bytes);
        word += place.lanes;
      }
    }
  }

  Warp& warp_;
  std::vector<Place> places_;
  std::size_t words_ = 0;
};

std::uint32_t pattern(const StartedProduct& product, std::size_t word) {
  return no_value | product.number << word_bits | static_cast<std::uint32_t>(word);
}

/// The product that a thread's word waits for; null: the word is a value.
const StartedProduct* find_started(const Warp& warp, std::uint32_t word) {
  if ((word & no_value) != no_value) return nullptr;
  const auto found = std::ranges::find(warp.products, (word & ~no_value) >> word_bits, &StartedProduct::number);
  return found == warp.products.end() ? nullptr : &*found;
}

/// What the thread's word will be; `words`: of a thread.
std::uint32_t sum_of(const StartedProduct& product, std::size_t lane, std::size_t words, std::uint32_t word) {
  return product.sums[lane * words + (word & ((1U << word_bits) - 1))];
}

/// One wgmma of one warp.
class Product {
 public:
  Product(Block& block, Warp& warp, const Step& step)
      : block_(block),
        warp_(warp),
        step_(step),
        form_(std::get<WarpgroupProduct>(step.instruction.op->attribute)),
        atom_(*find_wgmma(form_.of)),
        element_(interpreter::lane_bytes(form_.of)),
        terms_(static_cast<std::size_t>(atom_.k)),
        columns_(static_cast<std::size_t>(form_.n)),
        a_(warp_rows * terms_),
        b_(columns_ * terms_) {}

  void start() {
    const Op& op = *step_.instruction.op;
    const Accumulators from(block_, warp_, {op.operands.begin() + 3, op.operands.end()});
    Sums sums = from.read();
    bool fenced = true;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const StartedProduct* before = find_started(warp_, sums[i]);
      if (before != nullptr) sums[i] = sum_of(*before, i / from.words(), from.words(), sums[i]);
      fenced = fenced && (before != nullptr || warp_.is_fenced);
    }
    if (!fenced)
      block_.grid().report("K209", &step_,
                           fmt::format("warp {} of block {} adds to accumulators that no wgmma_fence has shown",
                                       warp_.index, block_.index()));
    if (warp_.machine.lanes<std::uint8_t>(step_.instruction.c)[0] == 0) std::ranges::fill(sums, 0U);
    if (!read_factors()) return;
    add_to(sums, from.words());
    warp_.last_product = warp_.last_product % most_products + 1;
    StartedProduct started{&step_, warp_.last_product, warp_.product_groups, std::move(sums), sources_};
    Sums patterns(started.sums.size());
    for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = pattern(started, i % from.words());
    Accumulators(block_, warp_, op.results).write(patterns);
    warp_.products.push_back(std::move(started));
  }

 private:
  bool read_factors() {
    const Op& op = *step_.instruction.op;
    const Type a = block_.grid().program().kernel->values[op.operands[0]].type;
    const std::size_t first = std::size_t{warp_.index % group_warps} * warp_rows;
    if (a == atom_.a)
      read_registers(a);
    else if (!read_shared(step_.instruction.a, form_.a, form_.transposed_a, first, warp_rows, a_))
      return false;
    return read_shared(step_.instruction.b, form_.b, form_.transposed_b, 0, columns_, b_);
  }

  /// As a warp's mma has its first factor.
  void read_registers(Type a) {
    const std::size_t in_word = sizeof(std::uint32_t) / element_;
    for (unsigned lane = 0; lane < warp_threads; ++lane)
      for (std::size_t e = 0; e < a.lanes; ++e) {
        const auto [row, term] = first_factor_place(lane, e, in_word);
        a_[row * terms_ + term] =
            read_factor(form_.of, warp_.machine.at(step_.instruction.a) + lane * step_.a_bytes + e * element_);
      }
  }

  /// Points `first` to `first + points` of a factor, 16 bytes at a time.
  bool read_shared(std::uint32_t place, const MatrixLayout& layout, bool transposed, std::size_t first,
                   std::size_t points, std::vector<double>& to) {
    const std::uint64_t start = warp_.words(place)[0];
    const std::size_t in_piece = piece_bytes / element_;
    const auto leading = static_cast<std::uint64_t>(layout.leading);
    const auto stride = static_cast<std::uint64_t>(layout.stride);
    const auto take = [&](std::uint64_t address, auto&& each) {
      const std::byte* piece = read_piece(swizzled_address(address));
      for (std::size_t e = 0; piece != nullptr && e < in_piece; ++e)
        each(e, read_factor(form_.of, piece + e * element_));
      return piece != nullptr;
    };
    if (!transposed) {
      for (std::size_t point = 0; point < points; ++point)
        for (std::size_t term = 0; term < terms_; term += in_piece) {
          const std::size_t row = first + point;
          const std::uint64_t address =
              start + row / piece_rows * stride + row % piece_rows * row_bytes + term * element_;
          if (!take(address, [&](std::size_t e, double value) { to[point * terms_ + term + e] = value; })) return false;
        }
      return true;
    }
    const std::size_t in_row = row_bytes / element_;
    for (std::size_t term = 0; term < terms_; ++term)
      for (std::size_t point = 0; point < points; point += in_piece) {
        const std::size_t column = first + point;
        const std::uint64_t address = start + column / in_row * leading + term / piece_rows * stride +
                                      term % piece_rows * row_bytes + column % in_row * element_;
        if (!take(address, [&](std::size_t e, double value) { to[(point + e) * terms_ + term] = value; })) return false;
      }
    return true;
  }

  const std::byte* read_piece(std::uint64_t address) {
    const unsigned thread = warp_.thread(0);
    const Block::Target target = block_.reach(step_, thread, true, address, piece_bytes, false, piece_bytes);
    if (target.data == nullptr) return nullptr;
    if (target.shadow != nullptr) {
      const Order& order = block_.order();
      const Mark mark = order.mark(thread, step_.index, of_product);
      block_.report_if(step_, thread, target, target.shadow->start_copy_from(order, target.offset, piece_bytes, mark));
      block_.report_if(step_, thread, target, target.shadow->find_unfenced(order, target.offset, piece_bytes));
      sources_.push_back(address);
    }
    return target.data;
  }

  void add_to(Sums& sums, std::size_t words) const {
    for (unsigned lane = 0; lane < warp_threads; ++lane)
      for (std::size_t i = 0; i < words; ++i) {
        const std::size_t row = lane / 4 + 8 * (i / 2 % 2);
        const std::size_t column = 8 * (i / 4) + 2 * std::size_t{lane % 4} + i % 2;
        double sum = 0;  // exact, or nearly: products of narrow elements
        for (std::size_t term = 0; term < terms_; ++term) sum += a_[row * terms_ + term] * b_[column * terms_ + term];
        std::uint32_t& word = sums[lane * words + i];
        auto* at = reinterpret_cast<std::byte*>(&word);
        if (is_int(atom_.c))
          interpreter::write_int(atom_.c, interpreter::read_int(atom_.c, at) + static_cast<std::int64_t>(sum), at);
        else
          interpreter::write_float(atom_.c, interpreter::read_float(atom_.c, at) + sum, at);
      }
  }

  Block& block_;
  Warp& warp_;
  const Step& step_;
  const WarpgroupProduct& form_;
  const WarpgroupAtom& atom_;
  std::size_t element_;
  std::size_t terms_, columns_;
  std::vector<double> a_, b_;           ///< by row, or column, and term
  std::vector<std::uint64_t> sources_;  ///< what the product reads, 16 bytes each
};

void wgmma(Block& block, Warp& warp, const Step& step, std::uint32_t) {
  Product(block, warp, step).start();
}

void keep(Block& block, Warp& warp, const Step& step) {
  const Op& op = *step.instruction.op;
  Accumulators(block, warp, op.results).write(Accumulators(block, warp, op.operands).read());
}

void wgmma_fence(Block& block, Warp& warp, const Step& step, std::uint32_t) {
  keep(block, warp, step);
  warp.is_fenced = true;
}

void wgmma_commit(Block&, Warp& warp, const Step&, std::uint32_t) {
  ++warp.product_groups;
}

void wgmma_wait(Block& block, Warp& warp, const Step& step, std::uint32_t) {
  const Op& op = *step.instruction.op;
  const auto pending = static_cast<std::uint64_t>(std::get<Count>(op.attribute).count);
  const auto is_done = [&](const StartedProduct& product) { return product.group + pending < warp.product_groups; };
  const Accumulators from(block, warp, op.operands);
  Sums sums = from.read();
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (const StartedProduct* product = find_started(warp, sums[i]); product != nullptr && is_done(*product)) {
      const std::size_t words = product->sums.size() / warp_threads;
      sums[i] = sum_of(*product, i / from.words(), words, sums[i]);
    }
  Accumulators(block, warp, op.results).write(sums);
  const unsigned thread = warp.thread(0);
  std::erase_if(warp.products, [&](const StartedProduct& product) {
    if (!is_done(product)) return false;
    const Mark mark = block.order().mark(thread, product.step->index, of_product);
    for (std::uint64_t address : product.sources) {
      const Block::Target from = block.reach(*product.step, thread, true, address, piece_bytes, false, piece_bytes);
      if (from.shadow != nullptr) from.shadow->end_copy_from(block.order(), from.offset, piece_bytes, mark);
    }
    return true;
  });
  warp.is_fenced = false;
}

}  // namespace

Behaviour warpgroup_behaviour(Opcode code) {
  switch (code) {
    case Opcode::wgmma:
      return {wgmma, StepKind::together};
    case Opcode::wgmma_fence:
      return {wgmma_fence, StepKind::together};
    case Opcode::wgmma_commit:
      return {wgmma_commit, StepKind::together};
    case Opcode::wgmma_wait:
      return {wgmma_wait, StepKind::together};
    default:
      return {};
  }
}

void Block::report_left_products() {
  for (const Warp& warp : warps_)
    for (const StartedProduct& product : warp.products)
      grid_.report("K207", product.step,
                   fmt::format("warp {} of block {} ends before its product of matrices does", warp.index, index_));
}

}  // namespace tilewright::kernel::simulator
