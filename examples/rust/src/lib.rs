// SPDX-License-Identifier: Apache-2.0
//! Hears words: push samples, get detections.
//!
//! ```
//! # fn main() -> Result<(), kws::Error> {
//! let mut memory = vec![kws::Block::EMPTY; kws::blocks()];
//! let mut spotter = kws::Spotter::new(&mut memory)?;
//! let samples = [0; 16000]; // 16 kHz, mono
//! spotter.push(&samples, |hit| println!("{} {} @{} ms", hit.word, hit.score, hit.time_ms))?;
//! # Ok(())
//! # }
//! ```
//!
//! The crate holds one model, of the export in KWS_EXPORT. It needs no heap and no standard library.
//! The same samples give the same detections on every machine, however they are split.
#![no_std]
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

mod c;

use core::fmt;
use core::marker::PhantomData;
use core::mem::{size_of, size_of_val, MaybeUninit};
use core::ptr::{null, NonNull};

/// 16 bytes of a spotter's memory. The type has the alignment that the C++ core needs.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Block(MaybeUninit<[u8; 16]>);

impl Block {
    /// To make arrays of it, also static ones.
    pub const EMPTY: Block = Block(MaybeUninit::uninit());
}

/// Blocks that [`Spotter::new`] needs for this model. It never changes between runs.
pub fn blocks() -> usize {
    // SAFETY: kws_bundle returns the bundle, which is static; kws_bytes only reads it.
    let bytes = unsafe { c::kws_bytes(c::kws_bundle()) };
    (bytes + size_of::<Block>() - 1) / size_of::<Block>()
}

/// A word that was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The word, a label of the model.
    pub word: &'static str,
    /// Its mean score.
    pub score: u8,
    /// End of the samples that completed it; wraps after 49 days.
    pub time_ms: u32,
}

/// Why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// [`Spotter::new`] got fewer than [`blocks`] blocks.
    MemoryTooSmall,
    /// The model has no such label.
    NoSuchWord,
    /// The status of the core.
    Core(i32),
}

impl Error {
    /// One line: what happened; what to do.
    pub fn message(&self) -> &'static str {
        match *self {
            Error::MemoryTooSmall => "memory is too small; give kws::blocks() blocks",
            Error::NoSuchWord => "the model has no such word; see Spotter::labels",
            // SAFETY: kws_message takes any number, and returns a static string.
            Error::Core(status) => unsafe { text(c::kws_message(status)) },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

/// Hears the model's words. It stays in the thread that made it.
///
/// It borrows its memory, so nobody else touches the memory while it exists:
///
/// ```compile_fail,E0499
/// let mut memory = vec![kws::Block::EMPTY; kws::blocks()];
/// let mut first = kws::Spotter::new(&mut memory).unwrap();
/// let second = kws::Spotter::new(&mut memory).unwrap();
/// first.reset().unwrap();
/// ```
pub struct Spotter<'memory> {
    // Points into the memory. The C++ object holds addresses of its own parts, which stay valid when
    // this struct moves. It owns nothing outside of the memory, so there is no Drop.
    spotter: NonNull<c::Spotter>,
    memory: PhantomData<&'memory mut [Block]>,
}

impl<'memory> Spotter<'memory> {
    /// A spotter in `memory`, of [`blocks`] blocks or more.
    pub fn new(memory: &'memory mut [Block]) -> Result<Self, Error> {
        if memory.len() < blocks() {
            return Err(Error::MemoryTooSmall);
        }
        let mut status = 0;
        // SAFETY: the memory is aligned to 16 by its type and has the given size. It may hold any
        // bytes, as does MaybeUninit. It is borrowed as long as the spotter exists.
        let spotter = unsafe {
            c::kws_create(
                c::kws_bundle(),
                memory.as_mut_ptr().cast(),
                size_of_val(memory),
                &mut status,
            )
        };
        match NonNull::new(spotter) {
            Some(spotter) => Ok(Spotter { spotter, memory: PhantomData }),
            None => Err(Error::Core(status)),
        }
    }

    /// Takes samples (16 kHz, mono), any number, and calls `heard` for each word.
    ///
    /// An inference takes milliseconds, so do not call it in an interrupt. After an error, it
    /// returns the same error until [`reset`](Self::reset).
    pub fn push(&mut self, samples: &[i16], mut heard: impl FnMut(Detection)) -> Result<(), Error> {
        let mut rest = samples;
        while !rest.is_empty() {
            let mut hit = c::Detection { label: -1, score: 0, time_ms: 0, word: null(), status: 0 };
            // SAFETY: the spotter is alive, and &mut self keeps out other calls. The pointer and
            // the count are those of a slice. kws_push keeps neither it nor `hit`.
            let used =
                unsafe { c::kws_push(self.spotter.as_ptr(), rest.as_ptr(), rest.len(), &mut hit) };
            if hit.label >= 0 {
                // SAFETY: with a label, `word` is one of the model's static strings.
                let word = unsafe { text(hit.word) };
                heard(Detection { word, score: hit.score as u8, time_ms: hit.time_ms });
            }
            check(hit.status)?;
            rest = &rest[used..];
        }
        Ok(())
    }

    /// Restores the start, except the thresholds: the next sample is the first.
    pub fn reset(&mut self) -> Result<(), Error> {
        // SAFETY: the spotter is alive, and &mut self keeps out other calls.
        check(unsafe { c::kws_reset(self.spotter.as_ptr()) })
    }

    /// The labels: silence, unknown, then the words.
    pub fn labels(&self) -> impl Iterator<Item = &'static str> + '_ {
        let spotter = self.spotter.as_ptr();
        // SAFETY: the iterator borrows self, so the spotter is alive. kws_label returns static
        // strings for the labels below kws_label_count, and both functions only read.
        let count = unsafe { c::kws_label_count(spotter) };
        (0..count).map(move |label| unsafe { text(c::kws_label(spotter, label)) })
    }

    /// The score, 0 to 255, that a word's mean score has to exceed.
    pub fn threshold(&self, word: &str) -> Result<u8, Error> {
        let label = self.label(word)?;
        // SAFETY: the spotter is alive, and the function only reads.
        Ok(unsafe { c::kws_threshold(self.spotter.as_ptr(), label) } as u8)
    }

    /// Sets a word's threshold. With 255, the word is never reported.
    pub fn set_threshold(&mut self, word: &str, threshold: u8) -> Result<(), Error> {
        let label = self.label(word)?;
        // SAFETY: the spotter is alive, and &mut self keeps out other calls.
        let status =
            unsafe { c::kws_set_threshold(self.spotter.as_ptr(), label, threshold.into()) };
        debug_assert_eq!(status, 0, "label and value are in range");
        Ok(())
    }

    /// The mean score of a label after the last push.
    pub fn mean_score(&self, word: &str) -> Result<u8, Error> {
        let label = self.label(word)?;
        // SAFETY: the spotter is alive, and the function only reads.
        Ok(unsafe { c::kws_mean_score(self.spotter.as_ptr(), label) } as u8)
    }

    fn label(&self, word: &str) -> Result<i32, Error> {
        let label = self.labels().position(|label| label == word);
        label.map(|label| label as i32).ok_or(Error::NoSuchWord)
    }
}

fn check(status: i32) -> Result<(), Error> {
    match status {
        0 => Ok(()),
        _ => Err(Error::Core(status)),
    }
}

/// A string of C.
///
/// # Safety
///
/// `start` points to a string that ends with a zero byte and is never freed or changed.
unsafe fn text(start: *const u8) -> &'static str {
    let mut length = 0;
    // SAFETY: all bytes up to the zero byte belong to the string.
    let bytes = unsafe {
        while *start.add(length) != 0 {
            length += 1;
        }
        core::slice::from_raw_parts(start, length)
    };
    core::str::from_utf8(bytes).expect("the core's strings are UTF-8")
}
