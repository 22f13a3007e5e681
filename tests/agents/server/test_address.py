from __future__ import annotations

import pytest

from debate_gym.agents.server.address import Address, redacted


@pytest.mark.parametrize(
    ("spec", "model", "url"),
    [
        ("openai:m@http://localhost:8000/v1", "m", "http://localhost:8000/v1"),
        ("openai:org/m:free@https://host/api/v1/", "org/m:free", "https://host/api/v1"),
        ("openai:@cf/org/m@https://host/v1", "@cf/org/m", "https://host/v1"),
        ("openai:m@http://[::1]:80/v1", "m", "http://[::1]:80/v1"),
    ],
)
def test_a_spec_names_a_model_and_a_url(spec: str, model: str, url: str) -> None:
    assert Address.of(spec) == Address(model, url)
    assert Address.of(spec).chat == f"{url}/chat/completions"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai:m", "expected openai:MODEL@URL"),
        ("openai:@http://host/v1", "expected openai:MODEL@URL"),
        ("openai:m@host/v1", "expected openai:MODEL@URL"),
        ("openai:m@ftp://host/v1", "expected openai:MODEL@URL"),
        ("openai:m@http:///v1", "names no host"),
        ("openai:m@https://user:secret@host/v1", "plain base URL"),
        ("openai:m@https://host/v1?key=secret", "plain base URL"),
        ("openai:m@https://host/v1#secret", "plain base URL"),
    ],
)
def test_other_forms_are_refused(spec: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as raised:
        Address.of(spec)
    assert "secret" not in str(raised.value)


def test_a_key_is_taken_out() -> None:
    assert redacted("a k b k", "k") == "a [key] b [key]"
    assert redacted("text", None) == "text"
