"""When a question comes back. Pure: clock, offset and seed come in as arguments.

- `calendar`: the learner's day of an instant (`effective_day`), when a day begins, days between;
  `moment(now, offset, rollover_hour=) -> Moment(now, offset, day)`.
- `rating.rate(verdict, confidence, duration_ms) -> Rating`: the rule, as a table.
- `settings.Settings`: what the learner may set, with bounds; `spoken`: as a person writes it.
- `cards.review(card | None, rating, now, offset, settings=, seed=) -> Reviewed(card, due, interval)`;
  `cards.preview(...)` gives the same for all four ratings; `cards.retrievability(card, day, weights)`.
- `memory.Model`: the memory model, the figures of the `fsrs` package without its objects.
- `balance.preview(...)`: the same, where the load of the days decides within the spread.
- `variants.variant(count, seed, reps)`: which numbers a review has. `leeches`: what is forgotten again and again.
- `fit.fit(histories, weights) -> Fit`: weights fitted to one learner, judged on later reviews (extra `fit`).
- `queue.build(entries, cards, at, settings=, seed=, filters=, done=) -> items` in order.
- `overview.summary(entries, cards, recent, at, settings=, done=) -> Overview` for the home screen.
"""
