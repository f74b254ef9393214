// SPDX-License-Identifier: Apache-2.0
// Sound to features: Frontend.
#ifndef KWS_FRONTEND_H_
#define KWS_FRONTEND_H_

#include "kws/frontend/frontend.h"

#endif  // KWS_FRONTEND_H_
