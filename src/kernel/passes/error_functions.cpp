// Near 0 a polynomial of x²; elsewhere erfc x = e^(−x²) · g(t) / (x + c) with a polynomial g of t = (x − c) / (x + c),
// which takes all of x's range to an interval that suits polynomials.
#include "kernel/passes/error_functions.h"

#include <array>

#include "kernel/passes/exponential_functions.h"

namespace tilewright::kernel {

namespace {

using Coefficients = std::span<const double>;

// erf(x) / x − 1 of x², |x| ≤ 0.85, interpolated at Chebyshev nodes; relative errors 2^-26.8 and 2^-56.3.
constexpr std::array erf_f32 = {8.8499648e-05, -0.000824728457, 0.00520954421, -0.0268625747,
                                0.112837486,   -0.376126379,    0.128379166};
constexpr std::array erf_f64 = {-8.837207342835496e-10,  1.4189584294135369e-08,  -1.6300495998065118e-07,
                                1.6457676496214065e-06,  -1.4925450090912942e-05, 0.00012055326932054655,
                                -0.00085483269028864713, 0.0052239776239167892,   -0.02686617064501726,
                                0.11283791670954685,     -0.37612638903183748,    0.12837916709551259};

// e^(x²) erfc(x) (x + c): c = 3, x from 0.47 to 10.2; c = 2, x from 0.47 to 27.5. Relative errors 2^-26.8 and 2^-55.3.
constexpr std::array erfcx_f32 = {-0.000316632155, -0.00048183059, 0.00307131419, -0.00122696382, -0.0268367026,
                                  0.119529016,     -0.310466409,   0.590228319,   -0.88339448,    1.07400692};
constexpr std::array erfcx_f64 = {
    5.4682406558339009e-09,  -5.0433631830869459e-08, 3.08627882877676e-08,    1.8944908444559275e-07,
    -6.7744722043665756e-09, -3.9462588402643582e-07, -5.4765903753268856e-07, 3.735794647216438e-08,
    1.9830058213453956e-06,  3.632873740973639e-06,   -1.1176454904188044e-06, -1.611877860860608e-05,
    -2.1698219486434129e-05, 3.4148629685907236e-05,  0.00014447106059489883,  3.4371457199832199e-05,
    -0.00066307353459235966, -0.00083729606349776961, 0.0030906120607253019,   0.0064791850677657949,
    -0.02151066188952501,    -0.036442231506879294,   0.2794720925560551,      -0.68716068441381062,
    1.021582705242023};

/// Of |x| ≤ 0.85.
Formula erf_near(Formula x) {
  const Formula z = x * x;
  return fma(x, polynomial(z, by_format(x, Coefficients(erf_f32), Coefficients(erf_f64))), x);
}

/// Of x ≥ 0.47. x² is a pair, since its last bits are first ones of the power.
Formula erfc_far(Formula x) {
  const Formula bounded = x.binary(Opcode::fmin, x.number(by_format(x, 10.2, 27.5)));  // where erfc is 0
  const double c = by_format(x, 3.0, 2.0);
  // Both quotients by one division, each corrected by what it leaves.
  const Formula divisor = bounded + c;
  const Formula inverse = 1.0 / divisor;
  const auto divide = [&](Formula dividend) {
    const Formula quotient = dividend * inverse;
    return fma(fma(-quotient, divisor, dividend), inverse, quotient);
  };
  const Formula t = divide(bounded - c);
  const Formula g = polynomial(t, by_format(x, Coefficients(erfcx_f32), Coefficients(erfcx_f64)));
  const Formula square = bounded * bounded;
  const Formula low = fma(bounded, bounded, -square);
  return exp_of_sum(-square, -low) * divide(g);
}

}  // namespace

Formula expand_erf(Formula x) {
  const Formula a = abs(x);
  return with_sign_of(x, select(less(a, 0.85), erf_near(a), 1.0 - erfc_far(a)));
}

Formula expand_erfc(Formula x) {
  const Formula a = abs(x);
  const Formula far = erfc_far(a);
  const Formula outer = select(less(x, 0.0), 2.0 - far, far);
  return select(less(a, 0.65), 1.0 - erf_near(x), outer);
}

}  // namespace tilewright::kernel
