// SPDX-License-Identifier: Apache-2.0
// Scores to detections: Recognizer, RecognizerSettings.
#ifndef KWS_RECOGNIZER_H_
#define KWS_RECOGNIZER_H_

#include "kws/pipeline/recognizer.h"

#endif  // KWS_RECOGNIZER_H_
