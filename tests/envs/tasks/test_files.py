from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from debate_gym.envs.tasks.files import draw, find_files, held_out, read_lines

NAMES = ("b.jsonl", "a.jsonl")


def test_files_are_found_by_name_below_the_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))
    for name in ("t/x/a.jsonl", "t/y/b.jsonl", "t/b.jsonl", "t/c.jsonl", "u/a.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [path.relative_to(tmp_path).as_posix() for path in find_files("t", NAMES, "web")]
    assert found == ["t/b.jsonl", "t/y/b.jsonl", "t/x/a.jsonl"]


def test_a_missing_file_says_where_what_and_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEBATE_GYM_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match=r"set DEBATE_GYM_DATA .* b.jsonl, a.jsonl .* web"):
        find_files("t", NAMES, "the web")
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no such folder, so none of b.jsonl, a.jsonl"):
        find_files("t", NAMES, "the web")
    (tmp_path / "t").mkdir()
    with pytest.raises(FileNotFoundError) as error:
        find_files("t", NAMES, "the web")
    for part in (str(tmp_path / "t"), "b.jsonl, a.jsonl", "the web"):
        assert part in str(error.value)


@pytest.mark.parametrize("line", [b"[1]", b"{", b'{"a": "\xff"}', b"nothing"])
def test_a_broken_line_is_named(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n' + line)
    lines = read_lines(path)
    assert next(lines) == (1, {"a": 1})
    with pytest.raises(ValueError, match=r"x\.jsonl:3: "):
        next(lines)


def test_a_quarter_is_held_out() -> None:
    assert 200 < sum(held_out(str(i)) for i in range(1000)) < 300


def test_draw() -> None:
    def drawn(n: int | None) -> list[int]:
        return draw(range(200), n, np.random.default_rng(0), "x")

    assert len(drawn(None)) == 128
    assert drawn(5) == drawn(None)[:5]
    assert sorted(drawn(999)) == list(range(200))
    assert drawn(0) == []
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        drawn(-1)
    with pytest.raises(ValueError, match="no question left in x"):
        draw([], 5, np.random.default_rng(0), "x")
