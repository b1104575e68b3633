// The whole C++ interface.
#pragma once

#include "tilewright/engine.h"
#include "tilewright/error.h"
#include "tilewright/expression.h"
#include "tilewright/kernel.h"
#include "tilewright/statement.h"
#include "tilewright/tensor.h"
#include "tilewright/types.h"
#include "tilewright/version.h"
