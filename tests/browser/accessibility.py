"""What axe finds on an open page."""

from __future__ import annotations

from typing import Any

from tests.browser.page import FRONTEND

AXE = FRONTEND / "node_modules" / "axe-core" / "axe.min.js"
SEVERE = ("serious", "critical")
SCRIPT = """async ([severe, rules]) => {
  const only = rules.length ? { runOnly: { type: 'rule', values: rules } } : {};
  const result = await axe.run(document, { resultTypes: ['violations'], ...only });
  const where = (n) => `${n.target.join(' ')} (${n.failureSummary.slice(0, 300)})`;
  return result.violations.filter((v) => severe.includes(v.impact))
    .map((v) => `${v.impact} ${v.id}: ${v.nodes.slice(0, 3).map(where).join('; ')}`);
}"""


def axe_missing() -> str:
    """Return what accessibility tests lack on this machine, or ""."""
    return "" if AXE.is_file() else "needs frontend/node_modules/axe-core: make frontend"


def violations(page: Any, *rules: str) -> list[str]:
    """Return the severe violations of rules that axe finds on the current page; by default, of all its rules."""
    page.wait_for_load_state()
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8") + "\n;undefined")
    found: list[str] = page.evaluate(SCRIPT, [list(SEVERE), list(rules)])
    return found
