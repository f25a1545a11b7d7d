"""The style of printed sheets and of Anki's cards. No font, picture or script comes from elsewhere."""

from __future__ import annotations

from typing import Final

STYLE: Final = """\
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --soft: #666; --rule: #bbb; --tint: #f4f4f1; }
* { box-sizing: border-box; }
html { font: 11pt/1.45 Charter, "Bitstream Charter", "Sitka Text", Cambria, Georgia, serif; }
body { color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 46rem; padding: 2rem 1.25rem;
  font-variant-numeric: lining-nums; text-rendering: optimizeLegibility; }
header { border-bottom: 1.5pt solid var(--ink); margin-bottom: 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; line-height: 1.3; margin: 0 0 .5rem; break-after: avoid; }
h3 { font-size: .85rem; margin: 1rem 0 .25rem; break-after: avoid; }
header p, .exam h3, .exam h3 + ul { color: var(--soft); font-size: .8rem; }
.exam h3 + ul { padding-left: 1.1rem; line-height: 1.35; }
p, ul, ol { margin: 0 0 .6rem; orphans: 3; widows: 3; hyphens: auto; }
ol[type="A"] { list-style-type: upper-alpha; }
ol[type="A"] > li { margin-bottom: .35rem; padding-left: .3rem; }
ol[type="A"] > li::marker { font-weight: bold; }
code { font: .88em/1.3 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
section { border-top: .5pt solid var(--rule); padding-top: 1rem; margin-top: 1.25rem; }
.number { display: inline-block; min-width: 1.6rem; }
table { border-collapse: collapse; width: 100%; margin: .3rem 0 1rem; font-size: .82rem; line-height: 1.35;
  font-variant-numeric: lining-nums tabular-nums; }
th { text-align: left; border-bottom: 1pt solid var(--ink); }
th, td { padding: .25rem .6rem .25rem 0; vertical-align: top; overflow-wrap: break-word; }
td { border-bottom: .5pt solid var(--rule); }
td p { margin: 0 0 .3rem; }
.short { white-space: nowrap; }
tr { break-inside: avoid; }
.who { display: flex; gap: 1.5rem; margin-bottom: 1rem; }
.who span { flex: 1; display: flex; gap: .5rem; }
.who span:first-child { flex: 2; }
.who i { flex: 1; border-bottom: .75pt solid var(--ink); }
.blank { margin-top: 1rem; }
.room { display: inline-block; width: 14rem; height: 1.2rem; border-bottom: .75pt solid var(--ink); }
.room + .room, .room:has(+ .room) { display: block; width: 100%; height: 2rem; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e3; --paper: #16161a; --soft: #a5a5a0; --rule: #4a4a50; --tint: #222; }
}
@media print {
  @page { margin: 18mm 20mm 20mm; }
  html { font-size: 10.5pt; }
  body { max-width: none; padding: 0; }
  .question { break-inside: avoid; }
  article + article { break-before: page; }
}
"""

CARD: Final = """\
.card { font: 18px/1.45 Charter, "Bitstream Charter", Cambria, Georgia, serif; text-align: left; max-width: 46rem;
  margin: 0 auto; padding: 0 .75rem; color: #1a1a1a; background: #fff; font-variant-numeric: lining-nums; }
.card h3 { font-size: .85em; margin: 1em 0 .25em; }
.card ol[type="A"] { list-style-type: upper-alpha; }
.card ol[type="A"] > li::marker { font-weight: bold; }
.card code { font: .88em ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.card table { border-collapse: collapse; width: 100%; font-size: .8em; line-height: 1.35; }
.card th { text-align: left; border-bottom: 1px solid currentColor; }
.card th, .card td { padding: .25em .6em .25em 0; vertical-align: top; }
.card .short { white-space: nowrap; }
.card td { border-bottom: 1px solid #bbb; }
.topic { color: #666; font-size: .75em; }
.nightMode.card, .nightMode .card { color: #e6e6e3; background: #16161a; }
.nightMode td { border-bottom-color: #4a4a50; }
.nightMode .topic { color: #a5a5a0; }
"""
