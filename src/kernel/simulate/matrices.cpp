// Matrices spread over the threads of a warp: loads, stores and products.
//
// Of an 8 × 8 matrix of 16-bit elements each thread holds two, a word. Thread t has row t / 4 and columns 2 (t % 4) and
// the next; of a transposed one that column and those rows. The rows of matrix i are at the addresses of threads 8 i to
// 8 i + 7.
//
// The factors of a product come in words as well, of e elements. With g = t / 4 and q = t % 4, word w of a has row
// g + 8 (w % 2), and from column q e + 4 e (w / 2) on its elements; word w of b has column g and rows from q e + 4 e w
// on; element i of c has row g + 8 (i / 2) and column 2 q + i % 2. (PTX ISA, "Matrix Fragments for mma".)
#include "kernel/matrix_atoms.h"

#include <array>
#include <cmath>

#include "kernel/simulate/block.h"
#include "kernel/simulate/factors.h"

namespace tilewright::kernel::simulator {

namespace {

constexpr std::size_t rows = 8;
constexpr std::size_t row_bytes = 16;
constexpr std::size_t element_bytes = 2;
constexpr std::size_t word_bytes = 4;
using Matrix = std::array<std::byte, rows * row_bytes>;

/// Where an element of a thread's word lies in the matrix.
std::size_t position(unsigned lane, std::size_t element, bool transposed) {
  const std::size_t own = lane / 4;
  const std::size_t pair = 2 * std::size_t{lane % 4} + element;
  return transposed ? pair * row_bytes + own * element_bytes : own * row_bytes + pair * element_bytes;
}

std::uint32_t address_lanes(std::size_t matrices) {
  return matrices == 4 ? ~std::uint32_t{0} : (std::uint32_t{1} << (matrices * rows)) - 1;
}

void load_matrix(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const bool transposed = std::get<MatrixOrder>(step.instruction.op->attribute).transposed;
  const std::size_t matrices = step.result_bytes / word_bytes;
  const std::uint64_t* addresses = warp.words(step.instruction.a);
  block.count(step, address_lanes(matrices), addresses, row_bytes);
  for (std::size_t i = 0; i < matrices; ++i) {
    Matrix matrix{};
    for (std::size_t row = 0; row < rows; ++row) {
      const auto lane = static_cast<unsigned>(i * rows + row);
      if (const std::byte* from = block.read(step, warp.thread(lane), addresses[lane], row_bytes))
        std::memcpy(matrix.data() + row * row_bytes, from, row_bytes);
    }
    each_lane(mask, [&](unsigned lane) {
      std::byte* word = warp.machine.at(step.instruction.result) + lane * step.result_bytes + i * word_bytes;
      for (std::size_t element = 0; element < 2; ++element)
        std::memcpy(word + element * element_bytes, matrix.data() + position(lane, element, transposed), element_bytes);
    });
  }
}

void store_matrix(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const bool transposed = std::get<MatrixOrder>(step.instruction.op->attribute).transposed;
  const std::size_t matrices = step.a_bytes / word_bytes;
  const std::uint64_t* addresses = warp.words(step.instruction.b);
  block.count(step, address_lanes(matrices), addresses, row_bytes);
  for (std::size_t i = 0; i < matrices; ++i) {
    Matrix matrix{};
    each_lane(mask, [&](unsigned lane) {
      const std::byte* word = warp.machine.at(step.instruction.a) + lane * step.a_bytes + i * word_bytes;
      for (std::size_t element = 0; element < 2; ++element)
        std::memcpy(matrix.data() + position(lane, element, transposed), word + element * element_bytes, element_bytes);
    });
    for (std::size_t row = 0; row < rows; ++row) {
      const auto lane = static_cast<unsigned>(i * rows + row);
      if (std::byte* to = block.write(step, warp.thread(lane), addresses[lane], row_bytes))
        std::memcpy(to, matrix.data() + row * row_bytes, row_bytes);
    }
  }
}

/// The largest product's factors and sums, in f64, in which products and short sums of narrower elements are exact.
struct Product {
  std::array<std::array<double, 32>, 16> a{};
  std::array<std::array<double, 8>, 32> b{};
};

/// c + Σ a b of one element: f64 by fused steps, all else rounded once.
double sum_products(const Product& product, const MmaAtom& atom, std::size_t row, std::size_t column, double c) {
  double sum = atom.c.element == Element::f64 ? c : 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(atom.k); ++k)
    sum = std::fma(product.a[row][k], product.b[k][column], sum);
  return atom.c.element == Element::f64 ? sum : sum + c;
}

/// Of a simdgroup, whose matrices are all dealt alike.
void simdgroup_product(Warp& warp, const Step& step, std::uint32_t mask, const MmaAtom& atom) {
  const Instruction& i = step.instruction;
  Product product;
  const auto element = [](std::byte* values, unsigned lane, std::size_t e) {
    return values + (std::size_t{lane} * 2 + e) * sizeof(float);
  };
  const auto each = [&](auto&& body) {
    each_lane(mask, [&](unsigned lane) {
      const auto [row, column] = simdgroup_place(lane);
      for (std::size_t e = 0; e < 2; ++e) body(lane, std::size_t{row}, column + e, e);
    });
  };
  each([&](unsigned lane, std::size_t row, std::size_t column, std::size_t e) {
    product.a[row][column] = interpreter::read_float(Element::f32, element(warp.machine.at(i.a), lane, e));
    product.b[row][column] = interpreter::read_float(Element::f32, element(warp.machine.at(i.b), lane, e));
  });
  each([&](unsigned lane, std::size_t row, std::size_t column, std::size_t e) {
    const double c = interpreter::read_float(Element::f32, element(warp.machine.at(i.c), lane, e));
    interpreter::write_float(Element::f32, sum_products(product, atom, row, column, c),
                             element(warp.machine.at(i.result), lane, e));
  });
}

void mma(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  const Kernel& kernel = *block.grid().program().kernel;
  const auto type = [&](std::size_t operand) { return kernel.values[i.op->operands[operand]].type; };
  const MmaAtom& atom = *find_mma(type(0), type(1), type(2));
  if (atom.unit == matrix_unit::Unit::simdgroup) return simdgroup_product(warp, step, mask, atom);
  const std::size_t size = interpreter::lane_bytes(atom.a.element);
  const std::size_t elements = size >= word_bytes ? 1 : word_bytes / size;  // of a word
  Product product;
  each_lane(mask, [&](unsigned lane) {
    const std::size_t group = lane / 4;
    const std::size_t quarter = lane % 4;
    for (std::size_t e = 0; e < atom.a.lanes; ++e) {
      const auto [row, term] = first_factor_place(lane, e, elements);
      product.a[row][term] = read_factor(atom.a.element, warp.machine.at(i.a) + lane * step.a_bytes + e * size);
    }
    for (std::size_t e = 0; e < atom.b.lanes; ++e)
      product.b[quarter * elements + e % elements + 4 * elements * (e / elements)][group] =
          read_factor(atom.b.element, warp.machine.at(i.b) + lane * step.b_bytes + e * size);
  });
  const std::size_t sum_size = interpreter::lane_bytes(atom.c.element);
  each_lane(mask, [&](unsigned lane) {
    for (std::size_t e = 0; e < atom.c.lanes; ++e) {
      const std::size_t row = lane / 4 + 8 * (e / 2);
      const std::size_t column = 2 * std::size_t{lane % 4} + e % 2;
      const std::byte* c = warp.machine.at(i.c) + lane * step.c_bytes + e * sum_size;
      std::byte* to = warp.machine.at(i.result) + lane * step.result_bytes + e * sum_size;
      if (is_int(atom.c.element)) {
        const auto sum = static_cast<std::int64_t>(sum_products(product, atom, row, column, 0.0));
        interpreter::write_int(atom.c.element, interpreter::read_int(atom.c.element, c) + sum, to);
      } else {
        interpreter::write_float(
            atom.c.element, sum_products(product, atom, row, column, interpreter::read_float(atom.c.element, c)), to);
      }
    }
  });
}

}  // namespace

double read_factor(Element element, const std::byte* from) {
  if (is_int(element)) return static_cast<double>(interpreter::read_int(element, from));
  if (element != Element::f32) return interpreter::read_float(element, from);
  std::uint32_t word = 0;
  std::memcpy(&word, from, sizeof word);
  word &= ~std::uint32_t{0x1fff};
  float value = 0;
  std::memcpy(&value, &word, sizeof value);
  return static_cast<double>(value);
}

FactorPlace first_factor_place(unsigned lane, std::size_t e, std::size_t in_word) {
  const std::size_t word = e / in_word;
  return {lane / 4 + 8 * (word % 2), (lane % 4) * in_word + e % in_word + 4 * in_word * (word / 2)};
}

Behaviour matrix_behaviour(Opcode code) {
  switch (code) {
    case Opcode::load_matrix:
      return {load_matrix, StepKind::together};
    case Opcode::store_matrix:
      return {store_matrix, StepKind::together};
    case Opcode::mma:
      return {mma, StepKind::together};
    default:
      return {};
  }
}

}  // namespace tilewright::kernel::simulator
