// affine_index.h's functions.
#include "lang/affine_index.h"

#include <algorithm>

namespace tilewright::lang {

bool accumulate(AffineIndex& a, const AffineIndex& b, std::int64_t sign) {
  std::int64_t product = 0;
  const auto add_to = [&](std::int64_t& sum, std::int64_t value) {
    return !__builtin_mul_overflow(value, sign, &product) && !__builtin_add_overflow(sum, product, &sum);
  };
  for (const AffineIndex::Term& term : b.terms) {
    auto found = std::ranges::find(a.terms, term.iterator, &AffineIndex::Term::iterator);
    if (found == a.terms.end()) found = a.terms.insert(a.terms.end(), {term.iterator, 0});
    if (!add_to(found->coefficient, term.coefficient)) return false;
  }
  return add_to(a.constant, b.constant);
}

bool scale(AffineIndex& index, std::int64_t factor) {
  for (AffineIndex::Term& term : index.terms)
    if (__builtin_mul_overflow(term.coefficient, factor, &term.coefficient)) return false;
  return !__builtin_mul_overflow(index.constant, factor, &index.constant);
}

bool is_constant(const AffineIndex& index) {
  return std::ranges::all_of(index.terms, [](const AffineIndex::Term& term) { return term.coefficient == 0; });
}

void simplify(AffineIndex& index) {
  std::erase_if(index.terms, [](const AffineIndex::Term& term) { return term.coefficient == 0; });
}

}  // namespace tilewright::lang
