"""Count how often real texts use the names of objects.

The counts are kept in src/bearleft/language/weights/names.json, by setting: "street" from navigation and SDR texts,
"room" from Refer360 texts. Only the tune half of the real texts is used.

    python tools/count_names.py --data DIR
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import bearleft.language
from bearleft.language.lexicon.lexicon import NAMES
from bearleft.language.phrases import bare_noun, chunk

FILE = Path(bearleft.language.__file__).parent / "weights" / "names.json"
SETTINGS = {"street": ("navigation", "sdr"), "room": ("refer360",)}
# Words of directions, which name no object there, and names that are used in other senses.
OTHER_SENSES = frozenset(
    ("post", "compact", "range", "print", "rider", "drum", "model", "mat", "bin", "exit", "package", "light house")
)


def count_names(texts: Iterable[str], indoors: bool) -> dict[str, int]:
    """Return how often each name occurs in texts, in the singular or plural; the most frequent first."""
    singulars = {form: name.singular for name in NAMES for form in (name.plural, name.singular)}
    counts = Counter(
        singulars[noun]
        for text in texts
        for phrase in chunk(text, indoors=indoors)[1]
        if not phrase.pronoun and (noun := bare_noun(phrase.words)) in singulars
    )
    return {name: count for name, count in counts.most_common() if name not in OTHER_SENSES}


def main() -> None:
    """Count the names in the real texts and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder of the real data")
    arguments = parser.parse_args()
    from bearleft.data.realism import real_texts

    counts = {
        setting: count_names(
            (text for kind in kinds for text in real_texts(kind, arguments.data).tune), setting == "room"
        )
        for setting, kinds in SETTINGS.items()
    }
    FILE.write_text(json.dumps(counts, indent=1) + "\n")


if __name__ == "__main__":
    main()
