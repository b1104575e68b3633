// The overload set that std::visit takes: `std::visit(Overloaded{[](A) {…}, [](B) {…}}, v)`. Without a generic lambda
// in it, a forgotten alternative does not compile.
#pragma once

namespace tilewright {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace tilewright
