// SPDX-License-Identifier: Apache-2.0
// KWS_INLINE: for functions of a few instructions that are called up to 10,000 times per frame.
#ifndef KWS_FRONTEND_ALWAYS_INLINE_H_
#define KWS_FRONTEND_ALWAYS_INLINE_H_

#define KWS_INLINE inline __attribute__((always_inline))

#endif  // KWS_FRONTEND_ALWAYS_INLINE_H_
