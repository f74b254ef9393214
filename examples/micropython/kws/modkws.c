// SPDX-License-Identifier: Apache-2.0
// MicroPython's module kws, around the library that `kws export cmake` writes. The build names the
// library's header and bundle: KWS_HEADER, KWS_BUNDLE.
#include <string.h>

#include "py/binary.h"
#include "py/runtime.h"

// The pass that collects MP_QSTR names gets no definitions from CMake.
#ifndef NO_QSTR
#include KWS_HEADER
#endif

typedef struct {
  mp_obj_base_t base;
  void* memory;  // start of the block: the collector does not follow pointers into the middle
  kws_spotter* spotter;
} spotter_obj_t;

static kws_spotter* spotter_of(mp_obj_t self) {
  return ((spotter_obj_t*)MP_OBJ_TO_PTR(self))->spotter;
}

static void check(int status) {
  if (status == 0) return;
  mp_raise_msg_varg(&mp_type_RuntimeError, MP_ERROR_TEXT("%s"), kws_message(status));
}

static mp_obj_t string_of(const char* text) { return mp_obj_new_str(text, strlen(text)); }

static int label_of(const kws_spotter* spotter, mp_obj_t word) {
  const char* text = mp_obj_str_get_str(word);
  for (int label = 0; label < kws_label_count(spotter); ++label) {
    if (strcmp(kws_label(spotter, label), text) == 0) return label;
  }
  mp_raise_ValueError(MP_ERROR_TEXT("the model has no such word; see labels()"));
}

static mp_obj_t spotter_make_new(const mp_obj_type_t* type, size_t count, size_t keywords,
                                 const mp_obj_t* arguments) {
  (void)arguments;
  mp_arg_check_num(count, keywords, 0, 0, false);
  const kws_bundle* bundle = KWS_BUNDLE();
  const size_t bytes = kws_bytes(bundle);
  spotter_obj_t* self = mp_obj_malloc(spotter_obj_t, type);
  self->memory = m_new(uint8_t, bytes + 15);
  // The heap's blocks may have another alignment than 16.
  void* aligned = (void*)(((uintptr_t)self->memory + 15) & ~(uintptr_t)15);
  int status;
  self->spotter = kws_create(bundle, aligned, bytes, &status);
  check(status);
  return MP_OBJ_FROM_PTR(self);
}

// Without a detection, it allocates nothing.
static mp_obj_t spotter_push(mp_obj_t self, mp_obj_t buffer) {
  mp_buffer_info_t info;
  mp_get_buffer_raise(buffer, &info, MP_BUFFER_READ);
  const bool known =
      info.typecode == 'h' || info.typecode == 'B' || info.typecode == BYTEARRAY_TYPECODE;
  if (!known || info.len % 2 != 0 || (uintptr_t)info.buf % 2 != 0) {
    mp_raise_ValueError(MP_ERROR_TEXT("give samples of 16 bits: bytes, or an array of 'h'"));
  }
  const int16_t* samples = info.buf;
  size_t count = info.len / 2;
  mp_obj_t hits = mp_const_empty_tuple;
  while (count > 0) {
    kws_detection hit;
    const size_t used = kws_push(spotter_of(self), samples, count, &hit);
    if (hit.label >= 0) {
      const mp_obj_t items[] = {string_of(hit.word), MP_OBJ_NEW_SMALL_INT(hit.score),
                                mp_obj_new_int_from_uint(hit.time_ms)};
      if (hits == mp_const_empty_tuple) hits = mp_obj_new_list(0, NULL);
      mp_obj_list_append(hits, mp_obj_new_tuple(3, items));
    }
    check(hit.status);
    samples += used;
    count -= used;
  }
  return hits;
}
static MP_DEFINE_CONST_FUN_OBJ_2(spotter_push_obj, spotter_push);

static mp_obj_t spotter_reset(mp_obj_t self) {
  check(kws_reset(spotter_of(self)));
  return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(spotter_reset_obj, spotter_reset);

static mp_obj_t spotter_labels(mp_obj_t self) {
  const kws_spotter* spotter = spotter_of(self);
  const mp_obj_t labels = mp_obj_new_list(0, NULL);
  for (int label = 0; label < kws_label_count(spotter); ++label) {
    mp_obj_list_append(labels, string_of(kws_label(spotter, label)));
  }
  return labels;
}
static MP_DEFINE_CONST_FUN_OBJ_1(spotter_labels_obj, spotter_labels);

static mp_obj_t spotter_threshold(mp_obj_t self, mp_obj_t word) {
  const kws_spotter* spotter = spotter_of(self);
  return MP_OBJ_NEW_SMALL_INT(kws_threshold(spotter, label_of(spotter, word)));
}
static MP_DEFINE_CONST_FUN_OBJ_2(spotter_threshold_obj, spotter_threshold);

static mp_obj_t spotter_set_threshold(mp_obj_t self, mp_obj_t word, mp_obj_t threshold) {
  kws_spotter* spotter = spotter_of(self);
  const int label = label_of(spotter, word);
  const mp_int_t value = mp_obj_get_int(threshold);
  if (value < 0 || value > 255) mp_raise_ValueError(MP_ERROR_TEXT("a threshold is 0 to 255"));
  kws_set_threshold(spotter, label, (int)value);
  return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_3(spotter_set_threshold_obj, spotter_set_threshold);

static mp_obj_t spotter_mean_score(mp_obj_t self, mp_obj_t word) {
  const kws_spotter* spotter = spotter_of(self);
  return MP_OBJ_NEW_SMALL_INT(kws_mean_score(spotter, label_of(spotter, word)));
}
static MP_DEFINE_CONST_FUN_OBJ_2(spotter_mean_score_obj, spotter_mean_score);

static const mp_rom_map_elem_t spotter_table[] = {
    {MP_ROM_QSTR(MP_QSTR_push), MP_ROM_PTR(&spotter_push_obj)},
    {MP_ROM_QSTR(MP_QSTR_reset), MP_ROM_PTR(&spotter_reset_obj)},
    {MP_ROM_QSTR(MP_QSTR_labels), MP_ROM_PTR(&spotter_labels_obj)},
    {MP_ROM_QSTR(MP_QSTR_threshold), MP_ROM_PTR(&spotter_threshold_obj)},
    {MP_ROM_QSTR(MP_QSTR_set_threshold), MP_ROM_PTR(&spotter_set_threshold_obj)},
    {MP_ROM_QSTR(MP_QSTR_mean_score), MP_ROM_PTR(&spotter_mean_score_obj)},
};
static MP_DEFINE_CONST_DICT(spotter_dict, spotter_table);

static MP_DEFINE_CONST_OBJ_TYPE(spotter_type, MP_QSTR_Spotter, MP_TYPE_FLAG_NONE, make_new,
                                spotter_make_new, locals_dict, &spotter_dict);

static const mp_rom_map_elem_t module_table[] = {
    {MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_kws)},
    {MP_ROM_QSTR(MP_QSTR_Spotter), MP_ROM_PTR(&spotter_type)},
};
static MP_DEFINE_CONST_DICT(module_dict, module_table);

const mp_obj_module_t kws_module = {
    .base = {&mp_type_module},
    .globals = (mp_obj_dict_t*)&module_dict,
};
MP_REGISTER_MODULE(MP_QSTR_kws, kws_module);
