"""What changed between two versions of a bank: keys, figures, options, for each variant.

`snapshot` computes what one version says, `compare` tells two apart, `revisions` gets a version out of git, and `told`
writes the changes as Markdown.
"""
