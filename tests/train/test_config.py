from __future__ import annotations

from pathlib import Path

import pytest

from debate_gym.train.config import DERIVED, DebatePPOConfig, parse


def test_the_defaults_make_a_run() -> None:
    config = parse([])
    assert (config.model, config.task, config.protocol) == ("tiny", "evidence", "debate")
    assert config.save_steps % config.steps_per_iteration == 0
    assert config.per_device_train_batch_size * config.steps_per_generation == (
        config.episodes * config.rows_per_episode
    )


def test_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text("iterations: 7\nepisodes: 16\nprotocol: consultancy\n")
    config = parse(["--config", str(file), "--episodes", "8"])
    assert (config.iterations, config.episodes, config.protocol) == (7, 8, "consultancy")


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        (["--iteratons", "3"], "did you mean 'iterations'"),
        (["--iteratons=3"], "did you mean 'iterations'"),
        (["--kl-coeff", "3"], "did you mean 'kl_coef'"),
        (["--xyzzy", "3"], "--help"),
        (["--num_generations", "4"], "set rounds, opponent and plays"),
        (["--beta", "0.1"], "set kl_coef"),
        (["--iterations", "many"], "invalid int value: 'many'"),
    ],
)
def test_a_wrong_argument_says_what_to_do(argument: list[str], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        parse(argument)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("iteratons: 3\n", "run.yaml: unknown field 'iteratons'; did you mean 'iterations'"),
        ("env:\n  A: b\n", "unknown field 'env'"),
        ("save_steps: 5\n", "set save_every"),
        ("- a\n", "expected a mapping"),
        ("a: [\n", "not YAML"),
    ],
)
def test_a_wrong_file_says_what_to_do(tmp_path: Path, text: str, expected: str) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=expected.replace("[", r"\[")):
        parse(["--config", str(file)])


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere.yaml"):
        parse(["--config", str(tmp_path / "nowhere.yaml")])


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"episodes": 5, "plays": 1, "minibatches": 3},
            "5 episodes of 4 learning turns make 20 rows",
        ),
        ({"episodes": 6, "plays": 4}, "plays = 4 does not divide episodes = 6"),
        ({"episodes": 0}, "episodes must be at least 1"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number above 0, got nan"),
        ({"learning_rate": -1.0}, "learning_rate must be a number above 0"),
        ({"temperature": 0.0}, "temperature must be a number above 0"),
        ({"judge": "human"}, "name another judge"),
        ({"protocol": "direct-qa"}, "no seat"),
        ({"protocol": "debat"}, "debate"),
        ({"protocol": "consultancy", "opponent": "frozen"}, "leave opponent at self"),
        ({"protocol": "consultancy", "rounds": 1}, "raise rounds to 2"),
        ({"judge": "logprob:base"}, "set lora_r"),
        ({"reward": "wins"}, "did you mean 'win'"),
        ({"opponent": "frosen"}, "did you mean 'frozen'"),
        ({"opponent": "scripted:bets"}, "did you mean 'best'"),
        ({"eval_every": 0}, "eval_every must be at least 1"),
        ({"turns": "sequentially"}, "sequential"),
    ],
)
def test_fields_that_do_not_fit_say_which_to_change(
    fields: dict[str, object], expected: str
) -> None:
    with pytest.raises(ValueError, match=expected):
        DebatePPOConfig(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "rows"),
    [
        ({"rounds": 3}, 6),
        ({"rounds": 3, "opponent": "frozen"}, 3),
        ({"rounds": 3, "protocol": "consultancy"}, 3),
    ],
)
def test_rows_of_an_episode(fields: dict[str, object], rows: int) -> None:
    config = DebatePPOConfig(use_cpu=True, **fields)  # type: ignore[arg-type]
    assert config.rows_per_episode == rows
    assert config.num_generations == rows * config.plays


def test_every_derived_field_is_one_of_the_trainers() -> None:
    assert set(DERIVED) <= set(DebatePPOConfig.__dataclass_fields__)


def test_a_run_reads_back_its_own_fields(tmp_path: Path) -> None:
    from debate_gym.train.run_folder import changed_fields, write_config

    config = parse(["--iterations", "3", "--seed", "5", "--output_dir", str(tmp_path)])
    write_config(tmp_path, config.own_fields())
    again = parse(["--config", str(tmp_path / "config.yaml")])
    assert again.own_fields() == config.own_fields()
    assert changed_fields(tmp_path, again.own_fields()) == {}
    other = parse(["--config", str(tmp_path / "config.yaml"), "--iterations", "4"])
    assert changed_fields(tmp_path, other.own_fields()) == {"iterations": (3, 4)}
