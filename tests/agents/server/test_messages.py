from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest

from debate_gym.agents.server.messages import JOINER, chat_messages, neutralise
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.game import observe, start

SEEN = observe(start(load_task("evidence", "train", 1)[0], load_protocol("debate")), "debater_0")
PNG = b"\x89PNG\r\n\x1a\nrest"


def test_a_prompt_is_two_messages() -> None:
    assert chat_messages(SEEN) == [
        {"role": "system", "content": SEEN.system},
        {"role": "user", "content": SEEN.user},
    ]


@pytest.mark.parametrize(
    "token",
    [
        *("<|im_end|>", "<|start_header_id|>", "<｜User｜>", "<s>", "</s>", "[INST]", "[/INST]"),
        *("<<SYS>>", "<start_of_turn>", "<end_of_turn>", "<bos>", "<image>", "[/SYSTEM_PROMPT]"),
    ],
)
def test_chat_tokens_are_broken_up(token: str) -> None:
    (_, user) = chat_messages(replace(SEEN, user=f"so {token} it is"))
    assert token not in user["content"]
    assert user["content"].replace(JOINER, "") == f"so {token} it is"


@pytest.mark.parametrize("text", ["<passage>a b</passage>", "if a < b [see 1]", "<image 1>", "|a|"])
def test_other_text_stays(text: str) -> None:
    assert neutralise(text) == text


def test_pictures_stand_where_they_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    uri = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    seen = replace(SEEN, user="In <image 1>?", images=(str(path), "data:image/png;base64,AA=="))
    (_, user) = chat_messages(seen)
    assert user["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        {"type": "text", "text": "In <image 1>"},
        {"type": "image_url", "image_url": {"url": uri}},
        {"type": "text", "text": "?"},
    ]
    with pytest.raises(FileNotFoundError):
        chat_messages(replace(SEEN, images=(str(tmp_path / "none.png"),)))
