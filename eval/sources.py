"""Where the upstream files of each data set are published, at pinned revisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GITHUB = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class Url:
    """One file to download.

    Attributes:
        url: holds a commit wherever its host knows commits.
        path: where it goes, below the data set's folder.
        sha256: of the whole file; None where no published sum is known.
        members: of a zip file, the names at whose end a member is unpacked beside `path`, which
            is then not kept; empty to keep the file as it is.
    """

    url: str
    path: str
    sha256: str | None = None
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hub:
    """A data set of the hub, read by `datasets` and written in the upstream layout.

    Attributes:
        layout: the writer, see `hub_layouts`.
        terms: what a user has to accept there first; None if nothing.
    """

    repository: str
    revision: str
    layout: Literal["mmlu", "mmmu"]
    configs: tuple[str, ...]
    splits: tuple[str, ...]
    terms: str | None = None


QUALITY = f"{GITHUB}/nyu-mll/quality/f84977c40dbfef70c9cab48037b7becfc8e45f73/data/v1.0.1"
GSM8K = f"{GITHUB}/openai/grade-school-math/3101c7d5072418e28b9008a6636bde82a006892c"
TORA = f"{GITHUB}/microsoft/ToRA/213c1c995038c73fab10343814df7a42f990f026/src/outputs/llm-agents"
POT = f"{GITHUB}/wenhuchen/Program-of-Thoughts/850399c3eff8c37458a9d642c4a98df287f50f3a/outputs"
PRONTOQA = f"{GITHUB}/asaparov/prontoqa/0a6412b6fddf46324a1cb96e066dd7b3d89b87d6"
REASONERS = f"{GITHUB}/Ber666/llm-reasoners/a466024430a204bd34861dc86bb2768b274feb9f"
LOGIC = f"{GITHUB}/teacherpeterpan/Logic-LLM/d29f1e5e7203e8826cb9c41ba3003e43dc0b9d34"
TRUTHFULQA = f"{GITHUB}/sylinrl/TruthfulQA/f6be04e52bbcb41d4d20daee6358231d4a5015d2"
GPQA = f"{GITHUB}/idavidrein/gpqa/d46dc8d5e01b40bcde0bed6bee68a5de953a58f8"
TORA_RUN = "test_tora_-1_seed0_t0.0_s0_e1319.jsonl"
# fmt: off
SUBJECTS = (
    "Accounting", "Agriculture", "Architecture_and_Engineering", "Art", "Art_Theory",
    "Basic_Medical_Science", "Biology", "Chemistry", "Clinical_Medicine", "Computer_Science",
    "Design", "Diagnostics_and_Laboratory_Medicine", "Economics", "Electronics",
    "Energy_and_Power", "Finance", "Geography", "History", "Literature", "Manage", "Marketing",
    "Materials", "Math", "Mechanical_Engineering", "Music", "Pharmacy", "Physics", "Psychology",
    "Public_Health", "Sociology",
)
# fmt: on

SOURCES: dict[str, tuple[Url | Hub, ...]] = {
    "quality": (
        Url(f"{QUALITY}/QuALITY.v1.0.1.zip", "QuALITY.v1.0.1.zip", members=(".train", ".dev")),
    ),
    "boolq": (
        Url("https://storage.googleapis.com/boolq/train.jsonl", "train.jsonl"),
        Url(
            "https://storage.googleapis.com/boolq/dev.jsonl",
            "dev.jsonl",
            "ebc29ea3808c5c611672384b3de56e83349fe38fc1fe876fd29b674d81d0a80a",
        ),
    ),
    "gpqa": (
        Url(
            f"{GPQA}/dataset.zip",
            "dataset.zip",
            "461ae7329f15a3e35f8184d2dac24b990f34fdf12f366ca4062d8e6638cd08dc",
        ),
    ),
    "mmlu": (
        Hub(
            "cais/mmlu",
            "c30699e8356da336a370243923dbaf21066bb9fe",
            "mmlu",
            configs=("all",),
            splits=("dev", "validation", "test"),
        ),
    ),
    "gsm8k": (
        *(
            Url(f"{GSM8K}/grade_school_math/data/{name}.jsonl", f"{name}.jsonl")
            for name in ("train", "test")
        ),
        *(
            Url(f"{TORA}/{model}/gsm8k/{TORA_RUN}", f"python_solutions/{model}_{TORA_RUN}")
            for model in ("tora-70b-v1.0", "tora-code-34b-v1.0")
        ),
        *(
            Url(f"{POT}/{name}.jsonl", f"python_solutions/pot_{name}.jsonl")
            for name in ("gsm8K_s0_e-1_11_17_10_20", "gsm8K_zs_s0_e-1_11_19_09_55")
        ),
    ),
    "prontoqa": (
        Url(
            f"{PRONTOQA}/generated_ood_data.zip",
            "generated_ood_data/generated_ood_data.zip",
            members=("hop_ProofsOnly_random_noadj.json",),
        ),
        Url(
            f"{REASONERS}/examples/CoT/prontoqa/data/345hop_random_true.json",
            "345hop_random_true.json",
        ),
        Url(f"{LOGIC}/data/ProntoQA/dev.json", "logic_llm_dev.json"),
    ),
    "truthfulqa": (
        Url(f"{TRUTHFULQA}/TruthfulQA.csv", "TruthfulQA.csv"),
        Url(f"{TRUTHFULQA}/data/mc_task.json", "data/mc_task.json"),
        Url(f"{TRUTHFULQA}/data/v1/TruthfulQA.csv", "data/v1/TruthfulQA.csv"),
    ),
    "mmmu": (
        Hub(
            "MMMU/MMMU",
            "98e6ac0cb9b7b2cd2c991b85a50762edc4aedc68",
            "mmmu",
            configs=SUBJECTS,
            splits=("dev", "validation"),
        ),
    ),
}
