"""Damage to what a file holds."""

from hypothesis import strategies as st


def places(value, path=()):
    """All paths into a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def damage(data, graph, junk):
    """Put what `junk` draws into one to three places of a JSON value."""
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([p for p in places(graph) if p]))
        place = graph
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = data.draw(junk)
