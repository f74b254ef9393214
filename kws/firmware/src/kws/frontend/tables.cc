// SPDX-License-Identifier: Apache-2.0
#include "kws/frontend/tables.h"

namespace kws {
namespace frontend {

#include "kws/frontend/table_values.inc"

}  // namespace frontend
}  // namespace kws
