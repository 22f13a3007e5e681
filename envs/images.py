"""Pictures of questions: what a model is shown of them, and where in its prompt.

A question holds pictures as paths or data URIs and names them in its texts: `<image 2>` is the
second one. Pillow opens them; it is imported when the first picture is.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from PIL.Image import Image

PLACEHOLDER = re.compile(r"<image (\d+)>")
QUOTED = "> "  # what `render` puts before every line of a speech
KINDS = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpeg",
    b"GIF8": "gif",
    b"BM": "bmp",
    b"RIFF": "webp",
}


class HasImages(Protocol):
    """A `Question` or an `Observation`."""

    @property
    def images(self) -> tuple[str, ...]: ...


def data_uri(data: bytes) -> str:
    """The data URI of a picture file's bytes.

    Raises:
        ValueError: if they do not begin as one of `KINDS` does.
    """
    kind = next((kind for head, kind in KINDS.items() if data.startswith(head)), None)
    if kind is None:
        raise ValueError(f"expected a picture ({', '.join(KINDS.values())}), got {data[:16]!r}")
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def open_images(question: HasImages) -> list[Image]:
    """The pictures of a question, in its order, as RGB; what is transparent becomes white.

    Raises:
        ModuleNotFoundError: without Pillow.
        ValueError: on a picture that cannot be read; names it.
    """
    return [_open(image) for image in question.images]


def content_parts(text: str, images: Sequence[Any]) -> list[dict[str, Any]]:
    """The parts of a chat message: `{"type": "text", "text": ...}` and `{"type": "image", "image":
    ...}`.

    A picture follows the first `<image k>` that names it; the name stays in the text, so that
    later words can refer to it, and the texts put together are the whole text. Pictures that are
    never named go first. Each picture is shown once.

    Speeches (lines that begin with `> `, see `debate_gym.envs.render`) name pictures but place
    none, so no speaker can move, repeat or ask for one.

    Raises:
        ValueError: on a placeholder outside speeches without its picture.
    """
    ends = _ends(text, len(images))
    unnamed = [image for number, image in enumerate(images, 1) if number not in ends]
    parts = [{"type": "image", "image": image} for image in unnamed]
    begin = 0
    for number, end in ends.items():
        parts += [_text(text[begin:end]), {"type": "image", "image": images[number - 1]}]
        begin = end
    return parts + ([_text(text[begin:])] if text[begin:] or not parts else [])


def _ends(text: str, number: int) -> dict[int, int]:
    """Where the first placeholder of each picture ends, in the order of the text."""
    ends: dict[int, int] = {}
    begin = 0
    for line in text.splitlines(keepends=True):
        for match in () if line.startswith(QUOTED) else PLACEHOLDER.finditer(line):
            ends.setdefault(int(match[1]), begin + match.end())
        begin += len(line)
    for named in ends:
        if not 1 <= named <= number:
            raise ValueError(
                f"the text names <image {named}>, but there are {number} pictures: give the "
                "question all pictures that it names"
            )
    return ends


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _open(image: str) -> Image:
    try:
        from PIL import Image as pillow
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "opening a question's pictures needs Pillow: pip install pillow"
        ) from error
    try:
        with pillow.open(BytesIO(_bytes(image))) as opened:
            return _on_white(opened)
    except (OSError, ValueError, pillow.DecompressionBombError) as error:
        raise ValueError(f"picture {image[:80]!r} cannot be read: {error}") from error


def _on_white(image: Image) -> Image:
    if not image.has_transparency_data:
        return image.convert("RGB")
    from PIL import Image as pillow

    layer = image.convert("RGBA")
    return pillow.alpha_composite(pillow.new("RGBA", layer.size, "white"), layer).convert("RGB")


def _bytes(image: str) -> bytes:
    if not image.startswith("data:"):
        return Path(image).read_bytes()
    head, comma, body = image.partition(",")
    if not comma or not head.endswith(";base64"):
        raise ValueError("expected data:image/KIND;base64,DATA")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise ValueError(f"expected base64: {error}") from error
