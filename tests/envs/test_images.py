"""Pictures of questions: how they are opened and where they stand in a prompt."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs import load_protocol
from debate_gym.envs.game import advance, observe, start
from debate_gym.envs.images import content_parts, data_uri, open_images
from debate_gym.envs.nouns import JUDGE_0, Question, Utterance


def asked(*images: str) -> Question:
    return Question("q", "mmmu", "What is <image 1>?", ("a", "b"), 0, images=images)


def encoded(kind: str, image: Any, **options: Any) -> bytes:
    buffer = BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.fixture
def pillow() -> Any:
    return pytest.importorskip("PIL.Image")


def shown(text: str, images: str) -> list[str]:
    """Parts in short: texts as they are, pictures in brackets."""
    parts = content_parts(text, list(images))
    return [p["text"] if p["type"] == "text" else f"[{p['image']}]" for p in parts]


@pytest.mark.parametrize(
    ("text", "images", "expected"),
    [
        ("no picture", "", ["no picture"]),
        ("", "", [""]),
        ("", "a", ["[a]"]),
        ("see <image 1> here", "a", ["see <image 1>", "[a]", " here"]),
        ("<image 2><image 1>", "ab", ["<image 2>", "[b]", "<image 1>", "[a]"]),
        ("see <image 2>", "abc", ["[a]", "[c]", "see <image 2>", "[b]"]),
        ("<image 1> and <image 1> again", "a", ["<image 1>", "[a]", " and <image 1> again"]),
        ("> <image 1>\nthe <image 1>", "a", ["> <image 1>\nthe <image 1>", "[a]"]),
        ("> <image 1> and <image 9>", "a", ["[a]", "> <image 1> and <image 9>"]),
        ("<image x> <image1> <Image 1>", "a", ["[a]", "<image x> <image1> <Image 1>"]),
    ],
)
def test_a_picture_follows_its_name(text: str, images: str, expected: list[str]) -> None:
    assert shown(text, images) == expected


@pytest.mark.parametrize("name", ["<image 0>", "<image 2>"])
def test_a_name_without_its_picture_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"names {name}, but there are 1 pictures"):
        content_parts(f"> a speech\n{name}", ["a"])


@given(
    st.lists(st.sampled_from(["<image 1>", "<image 2>", "<image 3>", "> ", "\n", "\u2028", "x"])),
    st.just("abc"),
)
def test_no_text_and_no_picture_is_lost(pieces: list[str], images: str) -> None:
    text = "".join(pieces)
    parts = content_parts(text, list(images))
    assert "".join(part["text"] for part in parts if part["type"] == "text") == text
    assert sorted(part["image"] for part in parts if part["type"] == "image") == list(images)


@pytest.mark.parametrize(("kind", "name"), [("PNG", "png"), ("JPEG", "jpeg"), ("WEBP", "webp")])
def test_a_picture_is_opened_from_its_uri_and_its_file(
    pillow: Any, tmp_path: Path, kind: str, name: str
) -> None:
    data = encoded(kind, pillow.new("RGB", (5, 4), (255, 0, 0)))
    (tmp_path / "p").write_bytes(data)
    uri = data_uri(data)
    assert uri.startswith(f"data:image/{name};base64,")
    first, second = open_images(asked(uri, str(tmp_path / "p")))
    assert first.size == second.size == (5, 4)
    assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize(
    ("mode", "colour", "expected"),
    [
        ("RGB", (1, 2, 3), (1, 2, 3)),
        ("L", 7, (7, 7, 7)),
        ("1", 1, (255, 255, 255)),
        ("P", 0, (0, 0, 0)),
        # Half of black over white: 255 * (1 - 128 / 255) = 127.
        ("RGBA", (0, 0, 0, 128), (127, 127, 127)),
        ("RGBA", (0, 0, 0, 0), (255, 255, 255)),
        ("LA", (0, 0), (255, 255, 255)),
    ],
)
def test_a_picture_of_any_mode_is_made_rgb_on_white(
    pillow: Any, mode: str, colour: Any, expected: tuple[int, ...]
) -> None:
    (image,) = open_images(asked(data_uri(encoded("PNG", pillow.new(mode, (2, 2), colour)))))
    assert image.mode == "RGB"
    assert image.getpixel((0, 0)) == expected


def test_a_palette_with_a_transparent_colour_is_laid_on_white(pillow: Any) -> None:
    data = encoded("PNG", pillow.new("P", (2, 2), 0), transparency=0)
    assert open_images(asked(data_uri(data)))[0].getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("image", "said"),
    [
        ("/nowhere/x.png", "No such file"),
        ("https://example.org/x.png", "No such file"),
        ("data:image/png,abc", "expected data:image/KIND;base64,DATA"),
        ("data:image/png;base64,%%%", "expected base64"),
        ("data:image/png;base64,aGVsbG8=", "cannot identify image"),
    ],
)
def test_a_picture_that_cannot_be_read_is_named(pillow: Any, image: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^picture '{image[:20]}.* cannot be read: .*{said}"):
        open_images(asked(image))


def test_a_cut_off_picture_is_named(pillow: Any) -> None:
    data = encoded("PNG", pillow.effect_noise((64, 64), 50))
    with pytest.raises(ValueError, match="cannot be read"):
        open_images(asked(data_uri(data[: len(data) // 2])))


def test_without_pillow_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ModuleNotFoundError, match="pip install pillow"):
        open_images(asked("x.png"))
    assert open_images(asked()) == []


def test_bytes_of_another_kind_are_no_picture() -> None:
    with pytest.raises(ValueError, match="expected a picture .png, jpeg"):
        data_uri(b"%PDF-1.7")


def test_every_seat_sees_the_pictures_and_no_prompt_changes() -> None:
    plain, pictured = asked(), asked("a.png", "b.png")
    for protocol in map(load_protocol, ("debate", "consultancy")):
        states = [start(question, protocol) for question in (plain, pictured)]
        for seat in (*protocol.seats, JUDGE_0):
            without, seen = (observe(state, seat) for state in states)
            assert (without.images, seen.images) == ((), ("a.png", "b.png"))
            assert (seen.system, seen.user) == (without.system, without.user)


def test_a_speech_places_no_picture() -> None:
    protocol = load_protocol("debate")
    question = Question("q", "mmmu", "Which?", ("<image 1>", "<image 2>"), 0, images=("a", "b"))
    state = start(question, protocol)
    speech = Utterance("<image 2> is right\u2028<image 1> is not, <image 7> neither")
    state = advance(state, dict.fromkeys(protocol.seats, speech))
    user = observe(state, JUDGE_0, (0, 1)).user
    parts = content_parts(user, ["a", "b"])
    assert [part["image"] for part in parts if part["type"] == "image"] == ["a", "b"]
    assert parts[0]["text"].endswith("1: <image 1>")
    assert parts[2]["text"].endswith("2: <image 2>")


def test_nothing_heavy_is_imported_with_the_tasks() -> None:
    code = (
        "import sys; import debate_gym.envs, debate_gym.envs.images, debate_gym.envs.tasks.mmmu; "
        "print({'PIL', 'torch', 'transformers', 'pyarrow'} & set(sys.modules))"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert output.stdout.strip() == "set()"
