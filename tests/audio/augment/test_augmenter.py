# SPDX-License-Identifier: Apache-2.0
"""Augmentation of training clips: each effect by itself, and all together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from kws.audio.augment.augmentation import NONE, Augmentation
from kws.audio.augment.augmenter import Augmenter
from kws.audio.augment.joining import join
from kws.audio.augment.level import speech_levels
from kws.audio.augment.noise import cut_backgrounds
from kws.audio.augment.room import Rooms, make_response, recorded_response
from kws.audio.augment.shift import shift
from kws.audio.augment.silence import silence
from kws.audio.augment.speed import resample, stretch
from kws.audio.pcm import Pcm
from kws.errors import DataError, KwsError


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def change(clips: Pcm, backgrounds: list[Pcm] | None = None, **what: float) -> Pcm:
    settings = replace(NONE, **what)  # type: ignore[arg-type]
    return Augmenter(settings, backgrounds or [], clips.shape[1], 0).change(clips, [1])


def tones(count: int, hertz: float = 400, level: float = 3000) -> Pcm:
    """Clips with a half-second tone in the middle."""
    wave = level * np.sin(2 * np.pi * hertz * np.arange(16000) / 16000)
    wave[:4000] = wave[12000:] = 0
    return np.tile(wave.astype(np.int16), (count, 1))


def frequency(clip: npt.NDArray[np.generic]) -> float:
    spectrum = np.abs(np.fft.rfft(clip.astype(np.float64), 160_000))
    return float(np.argmax(spectrum)) / 10


def duration(clip: npt.NDArray[np.generic]) -> float:
    loud = np.flatnonzero(np.abs(clip.astype(np.float64)) > 0.2 * np.abs(clip).max())
    return float(loud[-1] - loud[0]) / 16000


def decibels(ratio: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    return 20 * np.log10(np.asarray(ratio, np.float64))


def test_shift_fills_with_zeros() -> None:
    batch = np.arange(1, 7, dtype=np.float32).reshape(1, 6).repeat(4, 0)
    moved = shift(batch, np.array([0, 2, -2, 5]))
    assert moved.tolist() == [
        [1, 2, 3, 4, 5, 6],
        [0, 0, 1, 2, 3, 4],
        [3, 4, 5, 6, 0, 0],
        [0, 0, 0, 0, 0, 1],
    ]


def test_shifts_cover_the_range_in_both_directions() -> None:
    batch = np.zeros((2000, 16000), np.int16)
    batch[:, 8000] = 1
    places = np.argmax(change(batch, shift_ms=100), axis=1) - 8000
    assert -1600 <= places.min() < -1500
    assert 1500 < places.max() < 1600
    assert abs(places.mean()) < 100


def test_energy_that_remains_after_a_shift_is_reported() -> None:
    clips = np.concatenate([tones(500), np.zeros((3, 16000), np.int16)])
    remaining = np.empty(len(clips), np.float32)
    augmenter = Augmenter(replace(NONE, shift_ms=500), [], 16000, 0)
    out = augmenter.change(clips, [1], remaining=remaining)
    energy = (out.astype(np.float64) ** 2).sum(axis=1) / (clips[0].astype(np.float64) ** 2).sum()
    np.testing.assert_allclose(remaining[:500], energy[:500], atol=1e-3)
    assert remaining.min() < 0.55  # a shift of 500 ms cuts off half of the tone
    assert remaining[:500].max() > 0.999


@pytest.mark.long
def test_lead_has_the_noise_of_the_clip_and_sound_shifted_into_it() -> None:
    noise = [rng(2).normal(0, 500, 80_000).astype(np.int16)]
    settings = replace(NONE, lead_ms=500, background=0.5, snr_db=0)
    out = Augmenter(settings, noise, 16000, 0).change(tones(1000), [1])
    assert out.shape == (1000, 24000)
    lead, clip = out[:, :8000].astype(np.float64), out[:, 8000:].astype(np.float64)
    noisy = lead.any(axis=1)
    assert 0.33 < noisy.mean() < 0.42  # half of them have noise, 3/4 of those in the lead
    begins = clip[:, :3500].any(axis=1) & ~noisy
    assert 0.09 < begins.mean() < 0.16
    np.testing.assert_array_equal(clip[~noisy & ~begins] - tones(1), 0)
    same = lead[noisy].std(axis=1) / clip[noisy, :3500].std(axis=1)
    np.testing.assert_allclose(np.quantile(same, [0.05, 0.5, 0.95]), 1, atol=0.2)
    # The noise level follows the speech level, as it does without a lead.
    ratio = decibels(tones(1)[:, 4000:12000].std() / lead[noisy].std(axis=1))
    assert -2 < np.quantile(ratio, 0.02) < 3
    assert 27 < np.quantile(ratio, 0.98) < 32

    moved = change(tones(300), lead_ms=500, shift_ms=500)
    in_lead = np.abs(moved[:, :8000]).max(axis=1) > 0
    assert 0.2 < in_lead.mean() < 0.35  # those shifted by more than 250 ms
    whole = (moved.astype(np.float64) ** 2).sum(axis=1)
    assert whole[in_lead].min() > 0.99 * whole.max()


def test_silence_has_a_lead_of_the_same_noise() -> None:
    noise = [rng(2).normal(0, 3000, 80_000).astype(np.int16)]
    settings = replace(Augmentation(), lead_ms=500)
    clips = Augmenter(settings, noise, 16000, 0).silence(200, 16000, [0]).astype(np.float64)
    assert clips.shape == (200, 24000)
    before, after = (np.abs(part).max(axis=1) > 0 for part in np.split(clips, [8000], axis=1))
    assert not before[~after].any()
    assert 0.65 < before[after].mean() < 0.85


def test_resampling_moves_the_pitch_with_the_speed() -> None:
    clips = tones(3).astype(np.float32)
    out = resample(clips, np.array([0.8, 1.0, 1.25]))
    assert [round(frequency(clip)) for clip in out] == [320, 400, 500]
    np.testing.assert_allclose([duration(c) for c in out], [0.625, 0.5, 0.4], atol=0.01)
    # The middle stays in place.
    middles = [np.mean(np.flatnonzero(np.abs(clip) > 600)) for clip in out]
    np.testing.assert_allclose(middles, 8000, atol=40)


@pytest.mark.parametrize("hertz", [110, 240, 1000])
def test_stretching_keeps_the_pitch(hertz: float) -> None:
    clips = tones(4, hertz).astype(np.float32)
    factors = np.array([0.8, 0.9, 1.1, 1.25])
    out = stretch(clips, factors)
    np.testing.assert_allclose([frequency(clip) for clip in out], hertz, rtol=0.02)
    np.testing.assert_allclose([duration(c) for c in out], 0.5 / factors, atol=0.03)
    # A tone stays a tone: misaligned segments would cancel out and buzz.
    level = out[:, 7000:9000].std(axis=1) / clips[0, 7000:9000].std()
    np.testing.assert_allclose(level, 1, atol=0.1)


@pytest.mark.parametrize("snr", [0.0, 20.0])
def test_noise_has_the_requested_ratio(snr: float) -> None:
    noise = [rng(2).normal(0, 500, 40_000).astype(np.int16)]
    clips = tones(400)
    added = change(clips, noise, background=1, snr_db=snr).astype(np.float64) - clips
    ratios = decibels(3000 / 2**0.5 / added.std(axis=1))
    assert snr - 0.5 < ratios.min() < snr + 2
    assert snr + 28 < ratios.max() < snr + 30.6
    assert abs(ratios.mean() - snr - 15) < 2


def test_noise_has_the_requested_share() -> None:
    noise = [rng(2).normal(0, 500, 40_000).astype(np.int16)]
    clips = tones(1000)
    out = change(clips, noise, background=0.3)
    assert abs((out != clips).any(axis=1).mean() - 0.3) < 0.05


def test_babble_is_made_of_the_talkers() -> None:
    clips, talkers = tones(200), tones(8, hertz=1000)
    out = Augmenter(replace(NONE, background=1, babble=1), [], 16000, 0).change(clips, [1], talkers)
    added = out.astype(np.float64) - clips
    spectra = np.abs(np.fft.rfft(added))
    share = spectra[:, 950:1050].sum(axis=1) / spectra[:, 100:].sum(axis=1)
    assert np.median(share) > 0.5


def test_levels_cover_the_range() -> None:
    out = change(tones(500, level=1000), gain_db=30)
    gains = decibels(out.std(axis=1) / tones(1, level=1000).std())
    assert -20.1 < gains.min() < -19
    assert 9 < gains.max() < 10.1


def test_nothing_becomes_too_loud_and_silence_stays() -> None:
    loud = change(tones(200, level=30000), gain_db=30)
    assert speech_levels(loud.astype(np.float32)).max() < 32768 * 10 ** (-6 / 20) * 1.01
    assert not change(np.zeros((70, 16000), np.int16), gain_db=30, background=1).any()


def test_rooms_echo_and_die_away() -> None:
    for seed in range(20):
        response = make_response(8000, rng(seed)).astype(np.float64)
        assert np.sum(response**2) == pytest.approx(1, rel=1e-4)
        assert response[0] > 0.02  # the direct sound comes first
        energy = np.cumsum(response[::-1] ** 2)[::-1]
        assert energy[4800] < 0.2  # most of the energy arrives within 0.3 s
        assert energy[80] > 0.003  # but not all at once
    clips = tones(64)
    out = change(clips, room=1)
    assert (np.abs(out[:, 12100:12300]).max(axis=1) > 30).mean() > 0.9  # with reverberation
    assert not out[:, :3000].any()  # but not before it


def test_microphone_loses_bass_and_treble() -> None:
    white = rng().normal(0, 3000, (100, 16000)).astype(np.int16)
    out = change(white, microphone=1)
    spectrum = (np.abs(np.fft.rfft(out.astype(np.float64))) ** 2).mean(axis=0)
    bands = [spectrum[low:high].mean() for low, high in ((20, 60), (900, 1500), (7500, 8000))]
    assert bands[0] < 0.3 * bands[1]
    assert bands[2] < 0.3 * bands[1]


def test_clipping_cuts_peaks() -> None:
    out = change(tones(200), clipping=1)
    peaks = np.abs(out.astype(np.int32)).max(axis=1)
    assert 2900 * 10 ** (-15 / 20) < peaks.min() < peaks.max() <= 3000 * 10 ** (-3 / 20)
    at_peak = (np.abs(out.astype(np.int32)) == peaks[:, None]).mean(axis=1)
    assert at_peak.min() > 0.1


def test_joined_word_begins_as_one_and_ends_as_another() -> None:
    first, second = tones(5, 400), tones(5, 1500)
    out = join(first, second)
    np.testing.assert_array_equal(out[:, :7800], first[:, :7800])
    np.testing.assert_array_equal(out[:, 8100:], second[:, 8100:])
    moved = shift(second.astype(np.float32), np.full(5, 2000)).astype(np.int16)
    out = join(first, moved)  # cut at the middle of the moved word
    np.testing.assert_allclose([duration(clip) for clip in out], 0.5, atol=0.01)


def test_silence_clips_stay_silent_clips_when_joined() -> None:
    nothing = np.zeros((3, 16000), np.int16)
    assert not join(nothing, nothing).any()


def test_settings_without_changes_keep_the_clips() -> None:
    clips = rng().integers(-9000, 9000, (70, 16000)).astype(np.int16)
    out = change(clips)
    np.testing.assert_array_equal(out, clips)
    assert out is not clips


def test_result_depends_on_the_seed_but_not_on_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    clips = np.concatenate([tones(100), tones(100, 700)])
    before = clips.copy()
    noise = [rng(2).normal(0, 500, 40_000).astype(np.int16)]
    augmenter = Augmenter(Augmentation(), noise, 16000, 0)
    one, other = augmenter.change(clips, [5, 1]), augmenter.change(clips, [6, 1])
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    np.testing.assert_array_equal(augmenter.change(clips, [5, 1]), one)
    np.testing.assert_array_equal(clips, before)
    assert (one != other).any(axis=1).mean() > 0.95
    assert one.dtype == np.int16


@pytest.mark.long
def test_training_silence_has_zero_faint_and_loud_clips() -> None:
    noise = [rng(2).normal(0, 3000, 40_000).astype(np.int16)]
    clips = Augmenter(Augmentation(), noise, 16000, 0).silence(2000, 16000, [0])
    levels = clips.astype(np.float64).std(axis=1)
    assert 0.03 < (levels == 0).mean() < 0.08
    assert 0.02 < ((levels > 0) & (levels < 9)).mean() < 0.2
    assert (levels > 1000).mean() > 0.3
    assert levels.max() < 6000


def test_evaluation_silence_is_background_at_any_volume() -> None:
    full = [np.full(20000, 10000, np.int16)]
    levels = silence(3000, 16000, full, rng())[:, 0] / 10000
    assert abs(levels.mean() - 0.5) < 0.02
    assert levels.max() > 0.99
    assert levels.min() < 0.01


def test_silence_without_backgrounds_is_zero() -> None:
    assert not silence(3, 16000, [], rng()).any()


def test_cuts_come_from_all_backgrounds_and_places() -> None:
    ramp = np.arange(30000, dtype=np.int16)
    cuts = cut_backgrounds([ramp, -ramp], 4000, 16000, rng())
    starts = cuts[:, 0].astype(np.int32)
    assert starts.max() > 13900
    assert starts.min() < -13900
    assert starts.max() <= 14000
    assert abs(np.mean(cuts[:, 1] > 0) - 0.5) < 0.05


def test_too_short_a_background_is_named() -> None:
    with pytest.raises(DataError, match=r"lasts 1\.00 s; each must be longer"):
        Augmenter(Augmentation(), [np.zeros(16000, np.int16)], 16000, 0)


@pytest.mark.parametrize(
    "values",
    [
        {"shift_ms": 1000},
        {"lead_ms": -1},
        {"speed": 0.6},
        {"room": 1.1},
        {"snr_db": -30},
        {"gain_db": 100},
    ],
)
def test_settings_out_of_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(KwsError, match=next(iter(values))):
        Augmentation(**values)  # type: ignore[arg-type]


def test_narrow_bands_lose_high_frequencies() -> None:
    for hertz, most in ((3000, 1.01), (7400, 0.05)):
        clips = tones(50, hertz=hertz)
        out = change(clips, narrow=1).astype(float)
        ratio = np.sqrt((out**2).mean(axis=1) / (clips.astype(float) ** 2).mean(axis=1))
        assert ratio.max() < most
        assert hertz > 7000 or ratio.min() > 0.99


def test_talk_is_used_as_noise() -> None:
    talk = np.full(40000, 1000, np.int16)  # the rest of the noise is not constant
    noise = (2000 * rng().standard_normal(40000)).astype(np.int16)
    for share, low, high in ((0.0, 0, 0), (0.4, 0.3, 0.5), (1.0, 1, 1)):
        settings = replace(NONE, background=1, snr_db=0, snr_range_db=0, babble=0, talk=share)
        augmenter = Augmenter(settings, [noise], 16000, 0, talk=[talk])
        out = augmenter.change(tones(300), [1])
        constant = out[:, :4000].std(axis=1) < 1
        assert low <= constant.mean() <= high


def test_windows_of_talk_keep_their_leads_and_pauses_stay_quieter() -> None:
    settings = replace(NONE, lead_ms=500, gain_db=60)
    augmenter = Augmenter(settings, [], 16000, 0)
    speech = (3000 * rng().standard_normal((200, 24000))).astype(np.int16)
    pause = speech // 100
    loud, quiet = (
        augmenter.change_talk(clips, [1]).astype(np.float32) for clips in (speech, pause)
    )
    assert loud.shape == (200, 24000)
    levels = decibels(speech_levels(loud, 16000) / 32768)
    assert levels.min() < -50
    assert -8 < levels.max() < -5
    # A pause is 40 dB below speech; it is raised to at most 20 dB below it.
    assert decibels(speech_levels(quiet, 16000) / 32768).max() < -24


def test_recorded_rooms_replace_half_of_the_simulated_ones() -> None:
    response = np.zeros(4000, np.int16)
    response[40], response[1640] = 20000, 10000
    out = recorded_response(response, 8000, rng())
    assert np.sum(out**2) == pytest.approx(1, rel=1e-5)
    assert np.flatnonzero(out).tolist() == [0, 1600]
    assert 0.5 * 10 ** (-12 / 20) - 1e-6 <= out[1600] / out[0] <= 0.5 + 1e-6
    click = np.zeros((400, 16000), np.float32)
    click[:, 0] = 1
    heard = Rooms(0, [response]).apply(click, rng())
    sparse = (np.abs(heard) > 1e-6).sum(axis=1) <= 2
    assert 0.4 < sparse.mean() < 0.6
