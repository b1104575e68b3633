// Arithmetic, comparisons and functions of floats.
#include "kernel/interpret/lanes.h"
#include "kernel/interpret/machine.h"

namespace tilewright::kernel::interpreter {

namespace {

// ---- the functions, on the type that an element is computed in: f32 for f32, f64 for all others

/// A function of C's library, evaluated in f64 and rounded.
template <double (*function)(double)>
struct Library {
  template <class T>
  static T apply(T x) {
    return static_cast<T>(function(static_cast<double>(x)));
  }
};

struct Sqrt {
  template <class T>
  static T apply(T x) {
    return std::sqrt(x);
  }
};
struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct Div {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};
/// NaN if either is; −0 lies below +0.
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return std::isnan(a) || a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return std::isnan(a) || a > b || (a == b && std::signbit(b)) ? a : b;
  }
};
struct Pow {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  }
};

// ---- lane loops

template <class Lane, class Function>
void unary(Machine& m, const Instruction& i) {
  auto* result = m.lanes<typename Lane::Stored>(i.result);
  const auto* a = m.lanes<typename Lane::Stored>(i.a);
  for (int lane = 0; lane < i.lanes; ++lane) result[lane] = Lane::put(Function::apply(Lane::get(a[lane])));
}

template <class Lane, class Function>
void binary(Machine& m, const Instruction& i) {
  auto* result = m.lanes<typename Lane::Stored>(i.result);
  const auto* a = m.lanes<typename Lane::Stored>(i.a);
  const auto* b = m.lanes<typename Lane::Stored>(i.b);
  for (int lane = 0; lane < i.lanes; ++lane)
    result[lane] = Lane::put(Function::apply(Lane::get(a[lane]), Lane::get(b[lane])));
}

template <class Lane>
void fma(Machine& m, const Instruction& i) {
  auto* result = m.lanes<typename Lane::Stored>(i.result);
  const auto* a = m.lanes<typename Lane::Stored>(i.a);
  const auto* b = m.lanes<typename Lane::Stored>(i.b);
  const auto* c = m.lanes<typename Lane::Stored>(i.c);
  for (int lane = 0; lane < i.lanes; ++lane) {
    if constexpr (sizeof(typename Lane::Stored) >= 4)
      result[lane] = std::fma(a[lane], b[lane], c[lane]);
    else
      result[lane] = Lane::put(fma_to_odd(Lane::get(a[lane]), Lane::get(b[lane]), Lane::get(c[lane])));
  }
}

/// neg and abs change the sign bit alone, of NaN as well.
template <bool flip>
void change_sign(Machine& m, const Instruction& i) {
  const int sign = bits(i.element) - 1;
  const std::size_t size = lane_bytes(i.element);
  for (std::size_t lane = 0; lane < i.lanes; ++lane) {
    const auto value = static_cast<std::uint64_t>(read_int(i.element, m.at(i.a) + lane * size));
    const std::uint64_t mask = std::uint64_t{1} << sign;
    write_int(i.element, static_cast<std::int64_t>(flip ? value ^ mask : value & ~mask), m.at(i.result) + lane * size);
  }
}

template <class T>
bool compare(Predicate predicate, T a, T b) {
  switch (predicate) {
    case Predicate::oeq:
      return a == b;
    case Predicate::une:
      return a != b;
    case Predicate::olt:
      return a < b;
    case Predicate::ole:
      return a <= b;
    case Predicate::ogt:
      return a > b;
    case Predicate::oge:
      return a >= b;
    case Predicate::uno:
      return std::isnan(a) || std::isnan(b);
    default:
      internal_error("an integer predicate on floats");
  }
}

template <class Lane>
void cmp(Machine& m, const Instruction& i) {
  const Predicate predicate = std::get<Predicate>(i.op->attribute);
  auto* result = m.lanes<std::uint8_t>(i.result);
  const auto* a = m.lanes<typename Lane::Stored>(i.a);
  const auto* b = m.lanes<typename Lane::Stored>(i.b);
  for (int lane = 0; lane < i.lanes; ++lane)
    result[lane] = compare(predicate, Lane::get(a[lane]), Lane::get(b[lane])) ? 1 : 0;
}

template <class Lane>
Handler handler(Opcode code) {
  switch (code) {
    case Opcode::add:
      return binary<Lane, Add>;
    case Opcode::sub:
      return binary<Lane, Sub>;
    case Opcode::mul:
      return binary<Lane, Mul>;
    case Opcode::fdiv:
      return binary<Lane, Div>;
    case Opcode::fmin:
      return binary<Lane, Min>;
    case Opcode::fmax:
      return binary<Lane, Max>;
    case Opcode::pow:
      return binary<Lane, Pow>;
    case Opcode::fma:
      return fma<Lane>;
    case Opcode::neg:
      return change_sign<true>;
    case Opcode::abs:
      return change_sign<false>;
    case Opcode::cmp:
      return cmp<Lane>;
    case Opcode::sqrt:
      return unary<Lane, Sqrt>;
    case Opcode::exp:
      return unary<Lane, Library<std::exp>>;
    case Opcode::log:
      return unary<Lane, Library<std::log>>;
    case Opcode::tanh:
      return unary<Lane, Library<std::tanh>>;
    case Opcode::sin:
      return unary<Lane, Library<std::sin>>;
    case Opcode::cos:
      return unary<Lane, Library<std::cos>>;
    case Opcode::erf:
      return unary<Lane, Library<std::erf>>;
    case Opcode::erfc:
      return unary<Lane, Library<std::erfc>>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler float_handler(Opcode code, Element element) {
  switch (element) {
    case Element::f32:
      return handler<F32Lane>(code);
    case Element::f64:
      return handler<F64Lane>(code);
    case Element::f16:
      return handler<F16Lane>(code);
    case Element::bf16:
      return handler<Bf16Lane>(code);
    case Element::f8e4m3:
      return handler<F8e4m3Lane>(code);
    case Element::f8e5m2:
      return handler<F8e5m2Lane>(code);
    default:
      return nullptr;
  }
}

}  // namespace tilewright::kernel::interpreter
