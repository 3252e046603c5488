"""Small grey pictures and directions of edges, pixel by pixel."""

import math

import numpy as np
import pytest

from semirank.features import Thumbnails, thumbnails

Image = pytest.importorskip("PIL.Image")


def some_picture(height, width, seed=0):
    return np.random.default_rng(seed).integers(0, 256, size=(height, width)).astype(np.uint8)


def slope(values, at):
    """The change of values at a place: between both sides, or to the only one."""
    before, after = max(at - 1, 0), min(at + 1, len(values) - 1)
    return (values[after] - values[before]) / (after - before)


def by_pixels(picture):
    """Both halves of the features of a picture that is twice as large as the small one."""
    grey = picture / 255.0
    side = len(grey)
    small = [grey[i : i + 2, j : j + 2].mean() for i in range(0, side, 2) for j in range(0, side, 2)]
    histograms = np.zeros((4, 4, 8))
    for i in range(side):
        for j in range(side):
            down, right = slope(grey[:, j], i), slope(grey[i], j)
            turn = math.degrees(math.atan2(down, right)) % 180.0
            histograms[4 * i // side, 4 * j // side, min(int(turn / 22.5), 7)] += math.hypot(down, right)
    halves = np.array(small) - np.mean(small), histograms.ravel()
    return np.concatenate([half / np.linalg.norm(half) for half in halves])


@pytest.mark.parametrize("size", [4, 5, 8])
def test_features_are_those_of_going_over_every_pixel(size):
    pictures = [some_picture(2 * size, 2 * size, seed) for seed in range(3)]
    expected = [by_pixels(picture) for picture in pictures]
    np.testing.assert_allclose(Thumbnails(size).fit_transform(pictures), expected, atol=1e-12)


def test_a_file_of_any_size_is_the_picture_that_it_shows(tmp_path):
    small = some_picture(16, 16)
    large = np.kron(small, np.ones((3, 5), dtype=np.uint8))
    Image.fromarray(large).save(tmp_path / "large.png")
    found = Thumbnails(8).transform([tmp_path / "large.png", large])
    np.testing.assert_allclose(found, [by_pixels(small)] * 2, atol=1e-12)


@pytest.mark.parametrize("size", [4, 7, 16])
def test_pictures_of_one_colour_have_no_features(size):
    pictures = [np.full((9, 9), grey, dtype=np.uint8) for grey in range(256)]
    assert not Thumbnails(size).fit_transform(pictures).any()


def test_what_is_no_image_or_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(thumbnails, "MOST_PIXELS", 100)
    assert Thumbnails(4).transform([some_picture(20, 5)]).shape == (1, 16 + 128)
    with pytest.raises(
        ValueError, match=r"an array: cannot be read as an image \(has 7 x 15 pixels; 100 are"
    ):
        Thumbnails(4).transform([some_picture(15, 7)])
    (tmp_path / "x.png").write_bytes(b"no image")
    with pytest.raises(ValueError, match=r"x\.png: cannot be read as an image"):
        Thumbnails().transform([tmp_path / "x.png"])
    with pytest.raises(ValueError, match="size must be"):
        Thumbnails(3).fit([])
