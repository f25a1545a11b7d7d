"""What a history amounts to. Pure: tallies, cards and the index of the bank go in, figures come out.

- `tally.contributions(attempt, before, rating) -> {Cell: count}`: what one answer adds to the tallies.
- `standing.Standing`: what the figures need of a card.
"""
