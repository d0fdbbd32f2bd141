"""Prompts: readable files, one for each kind of leg, which a folder of your own replaces.

`system.md` begins every conversation, followed by the file of the kind of leg, such as `reach.md`. A file
`reach.examples.md` holds solved examples: its parts begin with the lines `### user` and `### assistant`, and every pair
is one shot.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from bearleft.errors import InputError, format_value
from bearleft.runtime.store import write_text

KINDS = ("reach", "point", "look", "collect", "assemble")
SYSTEM, UNREADABLE = "system.md", "unreadable.md"
NAMES = (SYSTEM, UNREADABLE, *(f"{kind}{end}" for kind in KINDS for end in (".md", ".examples.md")))
_PART = re.compile(r"^### (user|assistant)\n", re.MULTILINE)
Shot = tuple[str, str]  # an observation and its answer


def _own_text(name: str) -> str:
    return (files("bearleft.agents.llm") / "prompts" / name).read_text(encoding="utf-8")


def write_prompts(folder: str | os.PathLike[str]) -> None:
    """Write all prompt files into a folder, to be changed and used with `--prompts`."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        write_text(Path(folder) / name, _own_text(name))


@dataclass(frozen=True)
class Prompts:
    """The texts of all prompt files.

    Attributes:
        texts: The text of each file, by its name.
        own: Whether a folder replaces some of them.
    """

    texts: dict[str, str]
    own: bool = False

    @classmethod
    def read(cls, folder: str | os.PathLike[str] | None = None) -> Prompts:
        """Return the prompts of the package, and those of a folder instead where it has a file of the same name.

        Raises:
            InputError: The folder is missing, or holds a Markdown file of another name or without valid parts.
        """
        texts = {name: _own_text(name) for name in NAMES}
        if folder is not None:
            if not Path(folder).is_dir():
                raise InputError("a folder of prompts", format_value(str(folder)), "prompts")
            for path in sorted(Path(folder).glob("*.md")):
                if path.name not in texts:
                    expected = f"prompt files, named {', '.join(NAMES)}"
                    raise InputError(expected, format_value(path.name), file=str(folder))
                try:
                    texts[path.name] = path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    raise InputError("a text in UTF-8", "other bytes", file=str(path)) from None
        prompts = cls(texts, folder is not None)
        for kind in KINDS:
            prompts.shots(kind, None)
        return prompts

    @property
    def hash(self) -> str:
        """Eight digits of the hash of all texts."""
        content = "\0".join(f"{name}\0{text}" for name, text in sorted(self.texts.items()))
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    def system(self, kind: str) -> str:
        """Return the system message of a kind of leg."""
        return f"{self.texts[SYSTEM].strip()}\n\n{self.texts[f'{kind}.md'].strip()}"

    def unreadable(self, reason: str) -> str:
        """Return the message after an unreadable answer."""
        return self.texts[UNREADABLE].strip().replace("$reason", reason)

    def shots(self, kind: str, count: int | None) -> list[Shot]:
        """Return the first solved examples of a kind of leg; all of them if `count` is None.

        Raises:
            InputError: There are fewer, or the file is not a sequence of users' and assistants' parts.
        """
        name = f"{kind}.examples.md"
        parts = _PART.split(self.texts[name])[1:]
        roles, texts = parts[::2], [part.strip() for part in parts[1::2]]
        if roles != ["user", "assistant"] * (len(roles) // 2):
            raise InputError("parts ### user and ### assistant, in turn", ", ".join(roles), file=name)
        shots = list(zip(texts[::2], texts[1::2], strict=True))
        if count is not None and count > len(shots):
            raise InputError(f"at most {len(shots)} examples, which {name} has", str(count), "shots")
        return shots if count is None else shots[:count]
