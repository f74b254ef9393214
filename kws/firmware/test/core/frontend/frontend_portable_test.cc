// SPDX-License-Identifier: Apache-2.0
// Runs the frontend's tests on the portable version, which is the definition. The sources are
// compiled into this file and replace those of the library.
#define KWS_FRONTEND_PORTABLE

#include "core/frontend/frontend_test.cc"  // NOLINT(bugprone-suspicious-include)
#include "kws/frontend/channels.cc"        // NOLINT(bugprone-suspicious-include)
#include "kws/frontend/fft/spectrum.cc"    // NOLINT(bugprone-suspicious-include)

namespace kws::frontend {
namespace {

TEST(FrontendPortable, IsCompiledInThisFile) { EXPECT_EQ(kLanes, 1); }

}  // namespace
}  // namespace kws::frontend
