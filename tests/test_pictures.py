"""Pictures of the documents: small, in the colours that the pages have."""

import numpy as np
from PIL import Image

from tests.measure.screenshots import in_few_colours


def test_a_background_keeps_its_colour_whatever_else_is_in_the_picture() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (200, 300, 3), np.uint8)
    noise[:120] = (244, 245, 249)  # a pale box
    noise[:40] = 255
    small = in_few_colours(Image.fromarray(noise))
    assert len(small.getcolors() or []) in range(1, 129)
    shown = small.convert("RGB")
    assert shown.getpixel((5, 100)) == (244, 245, 249)
    assert shown.getpixel((5, 5)) == (255, 255, 255)
