// What every public header starts from: the mark of exported names, and the namespace that they live in.
#pragma once

/// Marks what libtilewright exports; everything else in the library is hidden.
#define TILEWRIGHT_API __attribute__((visibility("default")))
/// Marks what stays inside although it belongs to an exported class.
#define TILEWRIGHT_INNER __attribute__((visibility("hidden")))

/// Public types stand in an inline namespace, so that `tilewright::Tensor` in a program and the library's inner type of
/// the same name are distinct symbols, and so that a later interface may live beside this one. The library itself,
/// which sees both, spells the namespace out (docs/adr/0005).
#ifndef TILEWRIGHT_ABI
#define TILEWRIGHT_ABI inline v0
#endif
