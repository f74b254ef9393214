// SPDX-License-Identifier: Apache-2.0
//! The C interface: the declarations of kws/kws_c.h.
//!
//! C's int is i32 on all targets with 32 or 64 bits, and the core runs on no others.

use core::ffi::c_void;

#[repr(C)]
pub struct Bundle {
    _private: [u8; 0],
}

#[repr(C)]
pub struct Spotter {
    _private: [u8; 0],
}

#[repr(C)]
pub struct Detection {
    pub label: i32,
    pub score: i32,
    pub time_ms: u32,
    pub word: *const u8,
    pub status: i32,
}

extern "C" {
    pub fn kws_bytes(bundle: *const Bundle) -> usize;
    pub fn kws_create(
        bundle: *const Bundle,
        memory: *mut c_void,
        bytes: usize,
        status: *mut i32,
    ) -> *mut Spotter;
    pub fn kws_push(
        spotter: *mut Spotter,
        samples: *const i16,
        count: usize,
        hit: *mut Detection,
    ) -> usize;
    pub fn kws_reset(spotter: *mut Spotter) -> i32;
    pub fn kws_label_count(spotter: *const Spotter) -> i32;
    pub fn kws_label(spotter: *const Spotter, label: i32) -> *const u8;
    pub fn kws_threshold(spotter: *const Spotter, label: i32) -> i32;
    pub fn kws_set_threshold(spotter: *mut Spotter, label: i32, threshold: i32) -> i32;
    pub fn kws_mean_score(spotter: *const Spotter, label: i32) -> i32;
    pub fn kws_message(status: i32) -> *const u8;
}

// kws_bundle(): the model of the export.
include!(concat!(env!("OUT_DIR"), "/bundle.rs"));
