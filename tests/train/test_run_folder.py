from __future__ import annotations

from pathlib import Path

import pytest

from debate_gym.train.run_folder import choose_folder, find_checkpoint


def test_a_new_run_gets_the_next_number(tmp_path: Path) -> None:
    assert choose_folder(None, None, tmp_path, "ppo").name == "ppo-1"
    (tmp_path / "ppo-1").mkdir()
    (tmp_path / "ppo-9").mkdir()
    (tmp_path / "ppo-final").mkdir()
    assert choose_folder(None, None, tmp_path, "ppo").name == "ppo-10"
    assert choose_folder(None, "last", tmp_path, "ppo").name == "ppo-9"


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--output_dir"):
        choose_folder(None, "last", tmp_path, "ppo")


def test_a_run_is_not_written_over(tmp_path: Path) -> None:
    assert choose_folder(str(tmp_path), None, tmp_path, "ppo") == tmp_path
    (tmp_path / "metrics.jsonl").touch()
    with pytest.raises(ValueError, match="--resume_from_checkpoint last"):
        choose_folder(str(tmp_path), None, tmp_path, "ppo")
    assert choose_folder(str(tmp_path), "last", tmp_path, "ppo") == tmp_path


def test_the_last_whole_checkpoint_is_taken(tmp_path: Path) -> None:
    assert find_checkpoint(tmp_path, None) is None
    assert find_checkpoint(tmp_path, "last") is None
    for step, state in ((8, "{}"), (16, "{}"), (24, '{"torn')):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(state)
    assert find_checkpoint(tmp_path, "last") == str(tmp_path / "checkpoint-16")
    named = str(tmp_path / "checkpoint-8")
    assert find_checkpoint(tmp_path, named) == named
    with pytest.raises(ValueError, match="no complete checkpoint"):
        find_checkpoint(tmp_path, str(tmp_path / "checkpoint-24"))
