from __future__ import annotations

import base64
import re
from collections.abc import Callable
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from debate_gym.eval.report import build
from debate_gym.eval.report.page import FOLDER

Make = Callable[..., dict[str, Any]]
HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "[a](javascript:window.hacked=1) <a href='javascript:window.hacked=1'>b</a>",
    "\u2028window.hacked = 1\u2029",
    "</title></style><!-- <svg onload=window.hacked=1>",
    '" onmouseover="window.hacked=1',
)
COLOUR = re.compile(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);")


class Tags(HTMLParser):
    """Every start tag of a page, with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture
def hostile(played: Callable[..., Any], record: Make, turn: Make, tmp_path: Path) -> Path:
    """A folder in which every text that a model or a file can set is hostile."""
    for number, text in enumerate(HOSTILE):
        one = record(
            f"{number}{text}",
            {text: [0.7, 0.4]},
            question=text,
            task=text,
            protocol=text,
            condition=text,
            seats={"debater_0": (f"{text}@", 0), text: ("m@1", 1)},
            answers=[text, f"{text}!"],
            turns=[turn("debater_0", text, thinking=text, judge_p={text: [0.5, 0.5]})],
            error=text,
            prompt_hash=text,
        )
        one["verdicts"][0]["reasoning"] = text
        (tmp_path / "transcripts").mkdir(exist_ok=True)
        played(one)
        (tmp_path / "episodes.jsonl").rename(tmp_path / "transcripts" / f"{number}.jsonl")
    (tmp_path / "config.yaml").write_text("\n".join(HOSTILE), "utf-8")
    return tmp_path


def test_no_text_of_a_run_becomes_markup(hostile: Path) -> None:
    report = build(hostile, title=HOSTILE[0])
    tags = Tags(report.html).found
    assert [attrs.get("id") for tag, attrs in tags if tag == "script"] == [
        "index",
        "episodes",
        None,
    ]
    assert not [tag for tag, _ in tags if tag in ("img", "iframe", "link", "object", "embed")]
    for tag, attrs in tags:
        assert not [name for name in attrs if name.startswith("on")], tag
        assert (attrs.get("href") or "#").startswith("#")
        assert "src" not in attrs


def test_the_page_loads_nothing(played: Callable[..., Any], record: Make, tmp_path: Path) -> None:
    played(record("a"))
    html = build(tmp_path).html
    assert not re.findall(r"https?:|url\(|@import|\bfetch\(|XMLHttpRequest|import\(", html)


def test_the_policy_lets_only_the_own_script_run(
    played: Callable[..., Any], record: Make, tmp_path: Path
) -> None:
    played(record("a"))
    html = build(tmp_path).html
    script = html.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    (policy,) = (a["content"] for t, a in Tags(html).found if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}'" in policy


def test_the_same_files_give_the_same_page(hostile: Path) -> None:
    assert build(hostile).html == build(hostile).html


def test_what_is_drawn_and_what_is_not(
    played: Callable[..., Any], record: Make, tmp_path: Path
) -> None:
    played(record("a"))
    report = build(tmp_path)
    assert report.episodes == 1
    assert [key for key, state in report.figures.items() if state == "drawn"] == [
        "accuracy",
        "protocols",
        "calibration",
        "coverage",
    ]
    for key, state in report.figures.items():
        section = report.html.partition(f'id="figure-{key}"')[2].partition("</section>")[0]
        assert ("Not drawn" in section) is (state != "drawn")


def test_figures_are_of_all_and_the_browser_of_a_part(
    played: Callable[..., Any], record: Make, tmp_path: Path
) -> None:
    played(*(record(f"{i}", question=f"{i}") for i in range(5)))
    html = build(tmp_path, transcripts=2).html
    assert "2 of the 5 episodes are here" in html
    assert "n=5" in html
    assert html.count('"key":') == 2


def test_nothing_to_report_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "episodes.jsonl").write_text("")
    with pytest.raises(ValueError, match="nothing to report"):
        build(tmp_path)
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        build(tmp_path, transcripts=-1)


def luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_can_be_told_from_what_is_behind_them(theme: int) -> None:
    """WCAG 2.1: 4.5 for text, 3 for what a chart is drawn with."""
    css = (FOLDER / "style.css").read_text("utf-8")
    colour = {name: pair[theme] for name, *pair in COLOUR.findall(css)}
    texts = [
        *((text, back) for text in ("text", "muted", "link") for back in ("page", "card")),
        *((text, "chosen") for text in ("text", "muted")),
        *((text, f"{text}-back") for text in ("good", "bad", "odd")),
        *(("text", f"{back}-back") for back in ("good", "bad")),
    ]
    for text, back in texts:
        assert contrast(colour[text], colour[back]) >= 4.5, (text, back)
    for series in range(8):
        assert contrast(colour[f"s{series}"], colour["card"]) >= 3, series
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_the_browsing_code_stays_small() -> None:
    assert len((FOLDER / "browser.js").read_text("utf-8").splitlines()) < 300
