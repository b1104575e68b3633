// The emitter's constants, arithmetic, comparisons and conversions.
#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "codegen/llvm/emitter.h"

namespace tilewright::codegen {

using kernel::Element;
using kernel::Opcode;
using kernel::Predicate;

namespace {

DType small_float_dtype(Element element) {
  switch (element) {
    case Element::f8e4m3:
      return DType::f8e4m3;
    case Element::f8e5m2:
      return DType::f8e5m2;
    case Element::f16:
      return DType::f16;
    default:
      return DType::bf16;
  }
}

// The element's bits as an integer constant.
llvm::APInt small_float_bits(Element element, const Scalar& value) {
  std::array<std::byte, 8> bytes{};
  store_scalar(small_float_dtype(element), value, bytes.data());
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  const auto width = static_cast<unsigned>(kernel::bits(element));
  if constexpr (std::endian::native == std::endian::big) bits >>= 64 - width;
  return {width, bits};
}

llvm::CmpInst::Predicate llvm_predicate(Predicate predicate) {
  using P = llvm::CmpInst::Predicate;
  switch (predicate) {
    case Predicate::eq:
      return P::ICMP_EQ;
    case Predicate::ne:
      return P::ICMP_NE;
    case Predicate::slt:
      return P::ICMP_SLT;
    case Predicate::sle:
      return P::ICMP_SLE;
    case Predicate::sgt:
      return P::ICMP_SGT;
    case Predicate::sge:
      return P::ICMP_SGE;
    case Predicate::ult:
      return P::ICMP_ULT;
    case Predicate::ule:
      return P::ICMP_ULE;
    case Predicate::ugt:
      return P::ICMP_UGT;
    case Predicate::uge:
      return P::ICMP_UGE;
    case Predicate::oeq:
      return P::FCMP_OEQ;
    case Predicate::une:
      return P::FCMP_UNE;
    case Predicate::olt:
      return P::FCMP_OLT;
    case Predicate::ole:
      return P::FCMP_OLE;
    case Predicate::ogt:
      return P::FCMP_OGT;
    case Predicate::oge:
      return P::FCMP_OGE;
    case Predicate::uno:
      return P::FCMP_UNO;
  }
  internal_error("a predicate without an LLVM comparison");
}

bool is_fp(const llvm::Value* value) {
  return value->getType()->isFPOrFPVectorTy();
}

}  // namespace

llvm::Value* Emitter::constant(kernel::Type of, const Scalar& value) {
  llvm::Type* scalar = type(of.scalar());
  llvm::Constant* element = nullptr;
  switch (of.element) {
    case Element::f8e4m3:
    case Element::f8e5m2:
    case Element::bf16:
      element = llvm::ConstantInt::get(context_, small_float_bits(of.element, value));
      break;
    case Element::f16:
      element =
          llvm::ConstantFP::get(scalar, llvm::APFloat(llvm::APFloat::IEEEhalf(), small_float_bits(of.element, value)));
      break;
    case Element::f32:
    case Element::f64:
      element = llvm::ConstantFP::get(scalar, value.as_double());
      break;
    default:
      element = llvm::ConstantInt::getSigned(scalar, value.as_int());
      break;
  }
  if (of.lanes == 1) return element;
  return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(of.lanes), element);
}

llvm::Value* Emitter::iota(kernel::Type of) {
  std::vector<llvm::Constant*> lanes;
  for (std::int64_t i = 0; i < of.lanes; ++i) {
    const Scalar lane = kernel::is_float(of.element) ? Scalar::of(static_cast<double>(i)) : Scalar::of(i);
    lanes.push_back(llvm::cast<llvm::Constant>(constant(of.scalar(), lane)));
  }
  return of.lanes == 1 ? lanes.front() : llvm::ConstantVector::get(lanes);
}

llvm::Value* Emitter::pure(const kernel::Op& op) {
  const kernel::Type result = kernel_.values[op.results.front()].type;
  switch (op.code) {
    case Opcode::constant:
      return constant(result, std::get<Scalar>(op.attribute));
    case Opcode::iota:
      return iota(result);
    case Opcode::splat:
      return result.lanes == 1 ? operand(op, 0) : build_.CreateVectorSplat(result.lanes, operand(op, 0));
    case Opcode::extract: {
      const auto lane = static_cast<std::uint64_t>(std::get<kernel::Lane>(op.attribute).lane);
      return operand_type(op, 0).lanes == 1 ? operand(op, 0) : build_.CreateExtractElement(operand(op, 0), lane);
    }
    case Opcode::insert: {
      const auto lane = static_cast<std::uint64_t>(std::get<kernel::Lane>(op.attribute).lane);
      return result.lanes == 1 ? operand(op, 1) : build_.CreateInsertElement(operand(op, 0), operand(op, 1), lane);
    }
    case Opcode::shuffle: {
      const std::vector<std::int32_t>& lanes = std::get<kernel::Lanes>(op.attribute).lanes;
      std::array<llvm::Value*, 2> from{operand(op, 0), operand(op, 1)};
      if (operand_type(op, 0).lanes == 1)  // LLVM shuffles vectors only
        for (llvm::Value*& each : from) each = build_.CreateVectorSplat(1, each);
      llvm::Value* shuffled = build_.CreateShuffleVector(from[0], from[1], llvm::ArrayRef<int>(lanes));
      return result.lanes == 1 ? build_.CreateExtractElement(shuffled, std::uint64_t{0}) : shuffled;
    }
    case Opcode::cmp:
      return build_.CreateCmp(llvm_predicate(std::get<Predicate>(op.attribute)), operand(op, 0), operand(op, 1));
    case Opcode::select:
      return build_.CreateSelect(operand(op, 0), operand(op, 1), operand(op, 2));
    case Opcode::trunc:
    case Opcode::sext:
    case Opcode::zext:
    case Opcode::fconvert:
    case Opcode::sitofp:
    case Opcode::uitofp:
    case Opcode::fptosi:
    case Opcode::fptoui:
    case Opcode::bitcast:
      return convert(op);
    case Opcode::exp:
    case Opcode::log:
    case Opcode::tanh:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::erf:
    case Opcode::erfc:
    case Opcode::pow:
      return function(op);
    case Opcode::offset:
      return build_.CreateGEP(build_.getInt8Ty(), operand(op, 0), operand(op, 1));
    default:
      return arithmetic(op);
  }
}

llvm::Value* Emitter::arithmetic(const kernel::Op& op) {
  llvm::Value* a = operand(op, 0);
  llvm::Value* b = op.operands.size() > 1 ? operand(op, 1) : nullptr;
  switch (op.code) {
    case Opcode::add:
      return is_fp(a) ? build_.CreateFAdd(a, b) : build_.CreateAdd(a, b);
    case Opcode::sub:
      return is_fp(a) ? build_.CreateFSub(a, b) : build_.CreateSub(a, b);
    case Opcode::mul:
      return is_fp(a) ? build_.CreateFMul(a, b) : build_.CreateMul(a, b);
    case Opcode::neg:
      return is_fp(a) ? build_.CreateFNeg(a) : build_.CreateNeg(a);
    case Opcode::abs:
      return is_fp(a) ? build_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a)
                      : build_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, build_.getFalse());
    case Opcode::fdiv:
      return build_.CreateFDiv(a, b);
    case Opcode::fma:
      return fused_multiply_add(a, b, operand(op, 2));
    case Opcode::sdiv:
    case Opcode::udiv:
    case Opcode::srem:
    case Opcode::urem:
      return divide(op);
    case Opcode::smin:
      return build_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
    case Opcode::smax:
      return build_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
    case Opcode::umin:
      return build_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
    case Opcode::umax:
      return build_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b);
    case Opcode::fmin:
      return min_max(false, a, b);
    case Opcode::fmax:
      return min_max(true, a, b);
    case Opcode::bit_and:
      return build_.CreateAnd(a, b);
    case Opcode::bit_or:
      return build_.CreateOr(a, b);
    case Opcode::bit_xor:
      return build_.CreateXor(a, b);
    case Opcode::shl:
      return build_.CreateShl(a, b);
    case Opcode::lshr:
      return build_.CreateLShr(a, b);
    case Opcode::ashr:
      return build_.CreateAShr(a, b);
    case Opcode::sqrt:
      return build_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    default:
      internal_error("an op without an instruction");
  }
}

// Division never traps: a divisor that would (0, or −1 under the least value) is replaced by 1, which gives a/b and a%b
// their wrapped values for the latter; a constant divisor needs no test.
llvm::Value* Emitter::divide(const kernel::Op& op) {
  llvm::Value* a = operand(op, 0);
  llvm::Value* b = operand(op, 1);
  llvm::Type* type = a->getType();
  const bool is_signed = op.code == Opcode::sdiv || op.code == Opcode::srem;
  const auto* known = llvm::dyn_cast<llvm::Constant>(b);
  const bool splat_safe = known && known->getUniqueInteger().getBoolValue() && !known->getUniqueInteger().isAllOnes();
  if (!splat_safe) {
    llvm::Value* traps = build_.CreateICmpEQ(b, llvm::ConstantInt::get(type, 0));
    if (is_signed) {
      llvm::Value* least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
      llvm::Value* overflows = build_.CreateAnd(build_.CreateICmpEQ(a, least),
                                                build_.CreateICmpEQ(b, llvm::ConstantInt::getAllOnesValue(type)));
      traps = build_.CreateOr(traps, overflows);
    }
    b = build_.CreateSelect(traps, llvm::ConstantInt::get(type, 1), b);
  }
  switch (op.code) {
    case Opcode::sdiv:
      return build_.CreateSDiv(a, b);
    case Opcode::udiv:
      return build_.CreateUDiv(a, b);
    case Opcode::srem:
      return build_.CreateSRem(a, b);
    default:
      return build_.CreateURem(a, b);
  }
}

namespace {

/// A number other than the zero that loses a tie: −0 for a maximum, +0 for a minimum.
bool wins_ties(const llvm::Value* value, bool is_max) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant && constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return number && !number->getValueAPF().isNaN() &&
         !(number->getValueAPF().isZero() && number->getValueAPF().isNegative() == is_max);
}

}  // namespace

// Without hardware that keeps NaN and orders zeros: x86's min and max are `a < b ? a : b`, which gives b where either
// is NaN or both are zeros. In both orders they differ for those operands alone, so that
//   min  is both results or-ed: the sign of either zero, and a NaN or-ed with anything is one (three instructions);
//   max  is both and-ed, for the zeros, and all ones, a NaN, where either operand is one (five).
// With a constant that may be given at a tie, a NaN in the other operand is all that is left to select (three).
llvm::Value* Emitter::min_max(bool is_max, llvm::Value* a, llvm::Value* b) {
  if (rules_.has_nan_min_max)
    return build_.CreateBinaryIntrinsic(is_max ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, a, b);
  const auto hardware = [&](llvm::Value* x, llvm::Value* y) {
    return build_.CreateSelect(is_max ? build_.CreateFCmpOGT(x, y) : build_.CreateFCmpOLT(x, y), x, y);
  };
  if (wins_ties(a, is_max)) std::swap(a, b);
  if (wins_ties(b, is_max)) return build_.CreateSelect(build_.CreateFCmpUNO(a, a), a, hardware(a, b));
  llvm::Type* type = a->getType();
  llvm::Type* words = build_.getIntNTy(type->getScalarSizeInBits());
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    words = llvm::FixedVectorType::get(words, vector->getNumElements());
  llvm::Value* one = build_.CreateBitCast(hardware(a, b), words);
  llvm::Value* other = build_.CreateBitCast(hardware(b, a), words);
  if (!is_max) return build_.CreateBitCast(build_.CreateOr(one, other), type);
  llvm::Value* nan = build_.CreateSExt(build_.CreateFCmpUNO(a, b), words);
  return build_.CreateBitCast(build_.CreateOr(build_.CreateAnd(one, other), nan), type);
}

llvm::Value* Emitter::fused_multiply_add(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  if (!rules_.has_fma) return build_.CreateFAdd(build_.CreateFMul(a, b), c);
  return build_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

llvm::Value* Emitter::convert(const kernel::Op& op) {
  llvm::Value* a = operand(op, 0);
  llvm::Type* to = result_type(op);
  switch (op.code) {
    case Opcode::trunc:
      return build_.CreateTrunc(a, to);
    case Opcode::sext:
      return build_.CreateSExt(a, to);
    case Opcode::zext:
      return build_.CreateZExt(a, to);
    case Opcode::fconvert:
      if (operand_type(op, 0).element == Element::bf16) return from_bfloat(a, to);
      if (kernel_.values[op.results.front()].type.element == Element::bf16) return gpu_->to_bfloat(build_, a);
      return build_.CreateFPCast(a, to);
    case Opcode::sitofp:
      return build_.CreateSIToFP(a, to);
    case Opcode::uitofp:
      return build_.CreateUIToFP(a, to);
    case Opcode::fptosi:
      return float_to_int(a, to, true);
    case Opcode::fptoui:
      return float_to_int(a, to, false);
    default:
      return bitcast(a, kernel_.values[op.results.front()].type);
  }
}

// The upper half of f32.
llvm::Value* Emitter::from_bfloat(llvm::Value* bits, llvm::Type* to) {
  llvm::Type* words = bits->getType()->getWithNewBitWidth(32);
  return build_.CreateBitCast(build_.CreateShl(build_.CreateZExt(bits, words), 16), to);
}

// LLVM takes vectors of llvm.fptosi.sat apart lane by lane on x86. Convert, then select over what is out of range: an
// unselected undefined lane is harmless, and all of it stays in vector registers.
llvm::Value* Emitter::float_to_int(llvm::Value* value, llvm::Type* to, bool is_signed) {
  if (rules_.has_saturating_convert || !to->isVectorTy())
    return build_.CreateIntrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                                  {to, value->getType()}, {value});
  const auto width = to->getScalarSizeInBits();
  const auto digits = static_cast<int>(width) - (is_signed ? 1 : 0);
  llvm::Type* from = value->getType();
  llvm::Value* above = llvm::ConstantFP::get(from, std::ldexp(1.0, digits));
  llvm::Value* least = llvm::ConstantFP::get(from, is_signed ? -std::ldexp(1.0, digits) : 0.0);
  const llvm::APInt top = is_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  const llvm::APInt bottom = is_signed ? llvm::APInt::getSignedMinValue(width) : llvm::APInt::getZero(width);

  llvm::Value* result = is_signed ? build_.CreateFPToSI(value, to) : build_.CreateFPToUI(value, to);
  result = build_.CreateSelect(build_.CreateFCmpOGE(value, above), llvm::ConstantInt::get(to, top), result);
  result = build_.CreateSelect(build_.CreateFCmpOLT(value, least), llvm::ConstantInt::get(to, bottom), result);
  return build_.CreateSelect(build_.CreateFCmpUNO(value, value), llvm::Constant::getNullValue(to), result);
}

llvm::Value* Emitter::bitcast(llvm::Value* value, kernel::Type to) {
  llvm::Type* target = type(to);
  if (value->getType() == target) return value;
  if (to.element == Element::ptr) return build_.CreateIntToPtr(value, target);
  if (value->getType()->isPtrOrPtrVectorTy()) return build_.CreatePtrToInt(value, target);
  return build_.CreateBitCast(value, target);
}

llvm::Value* Emitter::function(const kernel::Op& op) {
  std::vector<llvm::Value*> operands;
  for (std::size_t i = 0; i < op.operands.size(); ++i) operands.push_back(operand(op, i));
  return rules_.call_function(build_, op.code, operands);
}

}  // namespace tilewright::codegen
