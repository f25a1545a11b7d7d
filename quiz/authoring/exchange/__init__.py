"""Questions to and from other programs.

Out: `drawn` chooses numbers and order, `page` lays a question out as blocks, and `as_markdown`, `as_html`, `as_csv`,
`as_gift`, `as_anki` write them. In: `from_gift`, `from_csv`, `from_anki` read foreign files into drafts (`draft`), and
`filing` puts these into question files that say what is missing.
"""
