// SPDX-License-Identifier: Apache-2.0
// A recording as int16 at the core's rate, and the noise of a quiet room that `kws run` appends.
"use strict";

const LARGEST_FILE = 256 << 20; // bytes

// The samples of a mono 16-bit WAV file at `rate`, bit for bit; null for any other kind of file.
function exactSamples(buffer, rate) {
  const view = new DataView(buffer);
  const word = (at) => String.fromCharCode(...new Uint8Array(buffer, at, 4));
  if (buffer.byteLength < 12 || word(0) !== "RIFF" || word(8) !== "WAVE") return null;
  let fits = false;
  for (let at = 12; at + 8 <= buffer.byteLength;) {
    const kind = word(at), size = view.getUint32(at + 4, true), body = at + 8;
    if (kind === "fmt " && size >= 16 && body + 16 <= buffer.byteLength) {
      fits = view.getUint16(body, true) === 1 && view.getUint16(body + 2, true) === 1
        && view.getUint32(body + 4, true) === rate && view.getUint16(body + 14, true) === 16;
    }
    if (kind === "data") {
      if (!fits) return null;
      const count = Math.min(size, buffer.byteLength - body) >> 1; // a file may be cut off
      return Int16Array.from({ length: count }, (_, i) => view.getInt16(body + 2 * i, true));
    }
    at = body + size + (size & 1);
  }
  return null;
}

// Any recording that the browser can read, as {samples, exact}: resampled by the browser unless
// exact. Throws an Error with a one-line message.
async function readRecording(file, rate) {
  if (file.size > LARGEST_FILE) throw new Error(`${file.name}: larger than 256 MB; cut it, or use kws run`);
  if (!file.size) throw new Error(`${file.name}: empty file; record it again`);
  const buffer = await file.arrayBuffer();
  let samples = exactSamples(buffer, rate);
  const exact = samples !== null;
  if (!exact) samples = await decoded(file.name, buffer, rate);
  if (!samples.length) throw new Error(`${file.name}: holds no samples; record it again`);
  return { samples, exact };
}

async function decoded(name, buffer, rate) {
  let sound;
  try {
    sound = await new OfflineAudioContext(1, 1, rate).decodeAudioData(buffer);
  } catch {
    throw new Error(`${name}: this browser cannot read it; convert it to WAV`);
  }
  const channels = Array.from({ length: sound.numberOfChannels }, (_, i) => sound.getChannelData(i));
  return Int16Array.from(channels[0], (_, i) => {
    const mean = channels.reduce((sum, channel) => sum + channel[i], 0) / channels.length;
    return Math.max(-32768, Math.min(32767, Math.round(mean * 32768)));
  });
}

// `samples`, followed by the noise of a quiet room: `room.text` has one digit per sample, and the
// digit `room.zero` stands for 0.
function withRoom(samples, room) {
  const all = new Int16Array(samples.length + room.text.length);
  all.set(samples);
  all.set(Int16Array.from(room.text, (digit) => digit - room.zero), samples.length);
  return all;
}

// A WAV file of samples, for the browser to play.
function wavBlob(samples, rate) {
  const head = new DataView(new ArrayBuffer(44));
  const words = [[0, "RIFF"], [8, "WAVE"], [12, "fmt "], [36, "data"]];
  words.forEach(([at, word]) => [...word].forEach((c, i) => head.setUint8(at + i, c.charCodeAt(0))));
  const numbers = [[4, 36 + 2 * samples.length], [16, 16], [24, rate], [28, 2 * rate], [40, 2 * samples.length]];
  numbers.forEach(([at, value]) => head.setUint32(at, value, true));
  [[20, 1], [22, 1], [32, 2], [34, 16]].forEach(([at, value]) => head.setUint16(at, value, true));
  return new Blob([head, Int16Array.from(samples)], { type: "audio/wav" });
}
