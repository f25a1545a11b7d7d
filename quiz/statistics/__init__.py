"""What a history amounts to. Pure: tallies, cards and the index of the bank go in, figures come out.

- `tally.contributions(attempt, before, rating) -> {Cell: count}`: what one answer adds to the tallies.
- `given.Given`: what a report is made from; `standing.Standing`: what the figures need of a card.
- `report.report(given) -> Report`: every figure, as one value; `report.document(report)`: its JSON.
- `memory`, `topics`, `calibration`, `practice`, `ahead`, `mistakes`: the parts of it, each with its least counts.
- `estimate`: a share with its interval, or with none where there is not enough data.
"""
