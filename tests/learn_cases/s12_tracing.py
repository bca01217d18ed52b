"""Wrong answers to step 12, and what the course says to them."""

WRONG = [
    ('f"data{next(numbers)}" for is_array in flags]', 'f"data{n}" for n, is_array in enumerate(flags)]',
     "only arrays are numbered"),
    ("        with self.name_scope():\n", "        if True:\n",
     "inside name_scope() names get the prefix"),
    ("names = [name for name in dict.fromkeys(graph.list_inputs())", "names = [name for name in graph.list_inputs()",
     "a graph with two variables of one name is ['layer_weight', 'layer_weight']; expected ['layer_weight']"),
    ("            state.mode_queried = queried or state.mode_queried\n", "            state.mode_queried = queried\n",
     "Asks, with state.mode_queried False before: state.mode_queried afterwards is False; expected True"),
    ("key = _state.training, structure, constants", "key = _state.training, structure",
     "arguments (a, 1): traced is False; expected True"),
    ("data, key = (x,), _state.training", "data, key = (x,), (_state.training, x.shape)",
     "_state.training; a graph is valid for all shapes"),
    ("        for mode in graph.modes:\n", "        for mode in graph.modes[:1]:\n",
     "Plain, key False: the keys in the cache is [False]; expected [False, True]: one for each mode in graph.modes"),
]
