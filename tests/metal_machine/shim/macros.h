// Macros of Metal's standard library (Metal Shading Language Specification 3.1, 6.5 and 6.6, and the limits of section
// 2): a name of the source that is one of them does not compile, or is no name. Part of the shim's metal_stdlib.
#pragma once

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807L - 1L)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615uL

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define MAXFLOAT 0x1.fffffep+127f
#define HUGE_VALF __builtin_inff()
#define MAXHALF 65504.0f
#define HUGE_VALH __builtin_inff()
#define MAXBFLOAT 0x1.fep+127f
#define HUGE_VALBF __builtin_inff()
#define FP_ILOGB0 (-2147483647)
#define FP_ILOGBNAN (-2147483647 - 1)

#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP 38
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_MAX 0x1.fffffep+127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define HALF_DIG 2
#define HALF_MANT_DIG 11
#define HALF_MAX_10_EXP 4
#define HALF_MAX_EXP 16
#define HALF_MIN_10_EXP (-4)
#define HALF_MIN_EXP (-13)
#define HALF_RADIX 2
#define HALF_MAX 65504.0f
#define HALF_MIN 0x1.0p-14f
#define HALF_EPSILON 0x1.0p-10f

#define M_E_F 2.71828183f
#define M_LOG2E_F 1.44269504f
#define M_LOG10E_F 0.434294482f
#define M_LN2_F 0.693147181f
#define M_LN10_F 2.30258509f
#define M_PI_F 3.14159265f
#define M_PI_2_F 1.57079633f
#define M_PI_4_F 0.785398163f
#define M_1_PI_F 0.318309886f
#define M_2_PI_F 0.636619772f
#define M_2_SQRTPI_F 1.12837917f
#define M_SQRT2_F 1.41421356f
#define M_SQRT1_2_F 0.707106781f
#define M_E_H 2.71828183f
#define M_LOG2E_H 1.44269504f
#define M_LOG10E_H 0.434294482f
#define M_LN2_H 0.693147181f
#define M_LN10_H 2.30258509f
#define M_PI_H 3.14159265f
#define M_PI_2_H 1.57079633f
#define M_PI_4_H 0.785398163f
#define M_1_PI_H 0.318309886f
#define M_2_PI_H 0.636619772f
#define M_2_SQRTPI_H 1.12837917f
#define M_SQRT2_H 1.41421356f
#define M_SQRT1_2_H 0.707106781f
