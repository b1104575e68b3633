// Marks what libtilewright exports; everything else in the library is hidden.
#pragma once

#define TILEWRIGHT_API __attribute__((visibility("default")))
