/* SPDX-License-Identifier: Apache-2.0 */
/* Hears words, for C and other languages: push samples, get detections. See kws/spotter.h.
 *
 *   static _Alignas(16) unsigned char memory[60000];  // kws_bytes(kws_bundle_yes_no()) or more
 *   kws_spotter* spotter = kws_create(kws_bundle_yes_no(), memory, sizeof memory, NULL);
 *   kws_detection hit;
 *   while (count > 0) {
 *     size_t used = kws_push(spotter, samples, count, &hit);
 *     if (hit.label >= 0) printf("%s %d @%u ms\n", hit.word, hit.score, hit.time_ms);
 *     samples += used;
 *     count -= used;
 *   }
 *
 * `kws export` writes the bundle and its function kws_bundle_NAME. No function allocates; nothing
 * has to be freed. A spotter belongs to one thread. */
#ifndef KWS_KWS_C_H_
#define KWS_KWS_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kws_bundle kws_bundle;
typedef struct kws_spotter kws_spotter;

typedef struct kws_detection {
  int label;        /* index of the word; -1: none */
  int score;        /* its mean score, 0 to 255 */
  uint32_t time_ms; /* end of the samples that completed it; wraps */
  const char* word; /* UTF-8, valid as long as the bundle; null if there is none */
  int status;       /* 0, or the error of this call; see kws_message */
} kws_detection;

/* Bytes that kws_create needs. */
size_t kws_bytes(const kws_bundle* bundle);

/* Makes a spotter in the caller's memory, which must outlive it and is aligned to 16. Null on an
 * error; `*status` (or null) gets its number, 0 for none. */
kws_spotter* kws_create(const kws_bundle* bundle, void* memory, size_t bytes, int* status);

/* Takes samples (16 kHz, mono) up to the first detection, and returns how many; all after an error.
 */
size_t kws_push(kws_spotter* spotter, const int16_t* samples, size_t count, kws_detection* hit);

/* Restores the start, except the thresholds: the next sample is the first. Returns a status. */
int kws_reset(kws_spotter* spotter);

/* The labels: silence, unknown, then the words. Null for an index out of range. */
int kws_label_count(const kws_spotter* spotter);
const char* kws_label(const kws_spotter* spotter, int label);

/* A label's mean score has to exceed its threshold, 0 to 255. -1: no such label. Setting returns 0,
 * or -1 for a wrong label or value. */
int kws_threshold(const kws_spotter* spotter, int label);
int kws_set_threshold(kws_spotter* spotter, int label, int threshold);

/* The mean score of a label after the last kws_push, 0 to 255; -1: no such label. */
int kws_mean_score(const kws_spotter* spotter, int label);

/* One line for a status: what happened; what to do. */
const char* kws_message(int status);

/* The library's version, such as "0.1.0". */
const char* kws_version(void);

#ifdef __cplusplus
}
#endif

#endif /* KWS_KWS_C_H_ */
