"""The page in a real browser: nothing goes wrong, nothing of a speech runs, everything works."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from debate_gym.eval.report import build

Make = Callable[..., dict[str, Any]]
INSTALL = "pip install playwright && (apt-get install chromium || playwright install chromium)"
NAMES = ("chromium", "chromium-browser", "google-chrome")
WORDS = "the quick brown fox jumps over the lazy dog and runs away "
EVIL = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    "[a](javascript:window.hacked=1)\u2028window.hacked = 1 <b>bold</b>"
)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason=f"needs a browser: {INSTALL}")
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    with sync_api.sync_playwright() as playwright:
        if path is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip(f"needs a browser: {INSTALL}")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A page that fails the test when the console shows anything or a request is made."""
    opened = chromium.new_page()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("request", lambda request: said.append(request.url))
    opened.set_default_timeout(60_000)
    yield opened
    assert [line for line in said if not line.startswith("file:")] == []
    opened.close()


@pytest.fixture
def address(played: Callable[..., Any], record: Make, turn: Make, tmp_path: Path) -> str:
    marked = "Look: <v_passage>it is so</v_passage> and <u_passage>it was</u_passage>."
    played(
        record("a b&c", {"j": [0.9], "k": [0.2]}, turns=[turn("debater_0", marked)]),
        record("evil", 0.2, question="r", turns=[turn("debater_0", EVIL, thinking=EVIL)]),
        record(
            "p",
            0.5,
            question="s",
            task="mmlu",
            condition="x",
            turns=[turn("debater_1", "needle", judge_p={"j": [0.25, 0.75]})],
        ),
        record("u", None, question="t", task="mmlu", protocol="consultancy"),
    )
    path = tmp_path / "report.html"
    path.write_text(build(tmp_path).html, "utf-8")
    return path.as_uri()


def expect(found: Any) -> Any:
    from playwright.sync_api import expect as assertions

    assertions.set_options(timeout=60_000)
    return assertions(found)


def chosen(page: Any) -> Any:
    return page.locator('.item[aria-selected="true"]')


def test_no_html_of_a_speech_runs(page: Any, address: str) -> None:
    page.goto(address + "#episode=evil")
    expect(page.locator(".speech")).to_have_text(EVIL)
    page.locator(".turn summary").click()
    expect(page.locator(".private")).to_have_text(EVIL)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#episode img, #episode script, #episode b >> text=bold").count() == 0
    assert page.locator("a[href^=javascript]").count() == 0


def test_passages_and_probabilities_are_shown(page: Any, address: str) -> None:
    page.goto(address)
    expect(page.locator("mark.v")).to_have_text("it is so")
    expect(page.locator("mark.u")).to_have_text("it was")
    expect(page.locator(".speech")).to_have_text("Look: it is so and it was.")
    page.goto(address + "#episode=p")
    expect(page.locator(".turn .share")).to_contain_text("25.0 % correct")


def test_filters(page: Any, address: str) -> None:
    page.goto(address)
    count = page.locator("#count")
    expect(count).to_have_text("4 of 4 episodes")
    page.select_option("#f-task", "mmlu")
    expect(count).to_have_text("2 of 4 episodes")
    page.select_option("#f-protocol", "consultancy")
    expect(count).to_have_text("1 of 4 episodes")
    page.click("#filters button")
    expect(count).to_have_text("4 of 4 episodes")
    page.select_option("#f-condition", "(none)")
    expect(count).to_have_text("3 of 4 episodes")
    # Judge j has two incorrect verdicts or worse, k one that is incorrect.
    page.click("#filters button")
    page.select_option("#f-outcome", "incorrect")
    expect(count).to_have_text("2 of 4 episodes")
    page.select_option("#f-judge", "k")
    expect(count).to_have_text("1 of 4 episodes")
    page.click("#filters button")
    page.fill("#f-text", "NEEDLE")
    expect(count).to_have_text("1 of 4 episodes")
    expect(page.locator("#episode h3")).to_have_text("Is it s?")
    page.fill("#f-text", "nowhere")
    expect(page.locator("#episode")).to_have_text("No episode fits.")


def test_keys(page: Any, address: str) -> None:
    page.goto(address)
    for key, question in (("j", "q"), ("j", "r"), ("k", "s"), ("k", "r")):
        expect(chosen(page)).to_contain_text(f"Is it {question}?")
        page.keyboard.press(key)
    expect(chosen(page)).to_contain_text("Is it q?")
    page.keyboard.press("/")
    expect(page.locator("#f-text")).to_be_focused()
    page.keyboard.type("j")
    expect(page.locator("#f-text")).to_have_value("j")
    page.fill("#f-text", "")
    page.keyboard.press("Escape")
    expect(page.locator("#list")).to_be_focused()
    page.keyboard.press("End")
    expect(chosen(page)).to_contain_text("Is it t?")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#episode h3")).to_have_text("Is it s?")


def test_links_lead_to_one_episode_and_back(page: Any, address: str) -> None:
    page.goto(address + "#task=mmlu&episode=p")
    expect(page.locator("#episode h3")).to_have_text("Is it s?")
    expect(page.locator("#count")).to_have_text("2 of 4 episodes")
    page.keyboard.press("j")
    page.wait_for_url("**#task=mmlu&episode=u")
    page.goto(address + "#episode=gone")
    expect(page.locator("#episode")).to_have_text("There is no episode gone on this page.")
    page.goto(address)
    link = page.locator("#link").get_attribute("href")
    assert link == "#episode=a+b%26c"
    page.goto(address + link)
    expect(page.locator("#episode h3")).to_have_text("Is it q?")


def test_a_line_of_the_table_shows_its_transcripts(page: Any, address: str) -> None:
    page.goto(address)
    page.locator("table a", has_text="mmlu").last.click()
    expect(page.locator("#count")).to_have_text("1 of 4 episodes")
    expect(page.locator("#f-condition")).to_have_value("x")


def test_tables_sort(page: Any, address: str) -> None:
    page.goto(address)
    head = page.locator("th", has_text="accuracy")
    for first in ("–", "0.500"):
        head.locator("button").click()
        found = page.locator("#tables ~ .scroll").first.locator("tbody tr td:nth-child(6)")
        expect(found.first).to_have_text(first)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_has_nothing_to_scroll_sideways(page: Any, address: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 19, 25)"
    assert dark is (scheme == "dark")
    page.click("#theme")
    changed = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 19, 25)"
    assert changed is not dark


def test_five_thousand_episodes_load_in_three_seconds(
    chromium: Any, played: Callable[..., Any], record: Make, turn: Make, tmp_path: Path
) -> None:
    """Six turns of 150 words each, 30 MB in all; the best of three, as other programs run too."""
    speech = WORDS * 12 + "<v_passage>" + WORDS + "</v_passage>"
    turns = [turn(f"debater_{i % 2}", speech, i // 2) for i in range(6)]
    played(*(record(f"e{i}", 0.8, question=f"q{i // 5}", turns=turns) for i in range(5000)))
    path = tmp_path / "report.html"
    path.write_text(build(tmp_path).html, "utf-8")
    assert path.stat().st_size > 20_000_000
    seconds = []
    for _ in range(3):
        page = chromium.new_page()
        start = time.perf_counter()
        page.goto(path.as_uri())
        expect(page.locator("#count")).to_have_text("5,000 of 5,000 episodes")
        expect(page.locator(".speech").first).to_be_visible()
        seconds.append(time.perf_counter() - start)
        page.close()
    assert min(seconds) < 3, seconds
