// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_VERSION_H_
#define KWS_VERSION_H_

namespace kws {

// The library's version: semantic versioning of the headers in kws/; headers in its subfolders are
// internal.
constexpr int kVersionMajor = 0;
constexpr int kVersionMinor = 1;
constexpr int kVersionPatch = 0;

}  // namespace kws

#endif  // KWS_VERSION_H_
