"""The arrow of imports, the absence of cycles, and the weight of `import bearleft`."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "bearleft"
MODULES = {
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__"): path
    for path in SOURCE.rglob("*.py")
}
HEAVY = ("torch", "fastapi", "sqlalchemy", "ray", "numba", "cv2", "numpy", "gymnasium", "rich", "click")


@cache
def layers() -> list[set[str]]:
    """The arrow as ARCHITECTURE.md draws it, lowest layer first."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    found = re.search(r"<!-- arrow -->\s+(.*?)\s+<!-- /arrow -->", text, re.DOTALL)
    assert found, "ARCHITECTURE.md holds no arrow"
    return [set(re.findall(r"\w+", layer)) for layer in found[1].split("<")]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def import_statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports in a block and the blocks within it, without those under `if TYPE_CHECKING`."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node
    is_typing = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    for field in ("orelse",) if is_typing else ("body", "orelse", "finalbody", "handlers", "cases"):
        blocks = getattr(node, field, [])
        for inner in blocks if isinstance(blocks, list) else []:  # the body of a lambda is no block
            yield from import_statements(inner)


@cache
def imports(path: Path) -> set[str]:
    """The modules of ours that a file imports, wherever in it; what only type checkers see does not run."""
    found: set[str] = set()
    for node in import_statements(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            found |= {f"{module}.{a.name}" if f"{module}.{a.name}" in MODULES else module for a in node.names}
    return {name for name in found if name.partition(".")[0] == "bearleft" and name in MODULES}


def layer_of(module: str) -> int:
    name = module.split(".")[1]
    for height, names in enumerate(layers()):
        if name in names:
            return height
    raise AssertionError(f"{name} stands in no layer of ARCHITECTURE.md")


def test_every_name_in_the_import_order_exists() -> None:
    for name in set().union(*layers()):
        assert f"bearleft.{name}" in MODULES, f"ARCHITECTURE.md names {name}"


INNER = sorted(name for name in MODULES if name.count(".") and name != "bearleft.__main__")


def test_a_lower_layer_never_imports_a_higher_one() -> None:
    upward = [
        f"{module} imports {other}"
        for module in INNER
        for other in imports(MODULES[module]) - {"bearleft"}
        if layer_of(other) > layer_of(module)
    ]
    assert not upward


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a ring, or none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_there_is_no_cycle() -> None:
    assert cycle({name: imports(path) - {name} for name, path in MODULES.items() if name != "bearleft"}) == []
    assert sorted(set(cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}}))) == ["a", "b", "c"]


def test_modules_have_a_docstring_and_at_most_700_lines() -> None:
    assert not [module for module, path in MODULES.items() if len(path.read_text().splitlines()) > 700]
    assert not [module for module, path in MODULES.items() if not ast.get_docstring(parsed(path))]


def test_importing_bearleft_loads_nothing_heavy() -> None:
    code = f"import bearleft, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_work_runs_where_only_numpy_and_numba_are() -> None:
    """A GPU machine may have none of these."""
    packages = (
        "world.graphs.transitions",
        "metrics",
        "data",
        "agents.registry",
        "evaluation.evaluate",
        "evaluation.score",
        "experiments.ndtw.tables",
    )
    blocked = ("gymnasium", "click", "rich", "platformdirs")
    imported = "".join(f"import bearleft.{package}\n" for package in packages)
    code = f"import sys\nfor m in {blocked!r}: sys.modules[m] = None\n{imported}"
    subprocess.run([sys.executable, "-c", code], check=True)
