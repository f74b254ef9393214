// SPDX-License-Identifier: Apache-2.0
//! Prints the words in a WAV file: `hear FILE.wav [WORD=THRESHOLD]...`

use std::process::exit;
use std::{env, fs};

fn main() {
    if let Err(reason) = run() {
        eprintln!("{reason}");
        exit(1);
    }
}

fn run() -> Result<(), String> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("usage: hear FILE.wav [WORD=THRESHOLD]...")?;
    let file = fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
    let sound =
        samples(&file).ok_or_else(|| format!("{path}: give a WAV file: 16 kHz, mono, 16 bits"))?;

    let mut memory = vec![kws::Block::EMPTY; kws::blocks()];
    let mut spotter = kws::Spotter::new(&mut memory).map_err(|error| error.to_string())?;
    for setting in arguments {
        let (word, value) = setting.split_once('=').ok_or("a threshold is WORD=THRESHOLD")?;
        let value = value.parse().map_err(|_| format!("{setting}: a threshold is 0 to 255"))?;
        spotter.set_threshold(word, value).map_err(|error| format!("{setting}: {error}"))?;
    }
    // In pieces, as from a microphone.
    for piece in sound.chunks(320) {
        let heard = |hit: kws::Detection| println!("{} {} @{}", hit.word, hit.score, hit.time_ms);
        spotter.push(piece, heard).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The samples of a WAV file, if it has the right format.
fn samples(file: &[u8]) -> Option<Vec<i16>> {
    if file.get(..4)? != b"RIFF" || file.get(8..12)? != b"WAVE" {
        return None;
    }
    let mut rest = &file[12..];
    let mut is_right = false;
    loop {
        let size = u32::from_le_bytes(rest.get(4..8)?.try_into().ok()?) as usize;
        let content = &rest[8..];
        match &rest[..4] {
            // Kind, channels, rate, bytes per second, bytes per sample of all channels, bits.
            b"fmt " => {
                let rate = u32::from_le_bytes(content.get(4..8)?.try_into().ok()?);
                is_right = content.get(2..4)? == [1, 0] && rate == 16000;
                is_right &= content.get(14..16)? == [16, 0];
            }
            b"data" if is_right => {
                let data = &content[..size.min(content.len())];
                let sample = |pair: &[u8]| i16::from_le_bytes([pair[0], pair[1]]);
                return Some(data.chunks_exact(2).map(sample).collect());
            }
            _ => {}
        }
        rest = content.get(size + size % 2..)?;
    }
}
