"""Wrong answers to step 5, and what the course says to them."""

WRONG = [
    ("self._deferred = (init, contexts, default_init, None)", "self._deferred = (init, contexts)",
     "expected a tuple of four: (init, contexts, default_init, None)"),
    ("            self._deferred = None\n            raise ShapeError", "            raise ShapeError",
     "after that ShapeError the parameter is still deferred; self._deferred must stay None"),
    ("        self._deferred = None       # reset only now", "        pass       # reset only now",
     "after _finish_deferred_init the parameter is still deferred: set self._deferred to None"),
    ('{"__init__": init}', "{}",
     "Parameter of shape (2, 3) with init='ones': its value is ["),
    ("for ctx in contexts}", "for ctx in contexts[:1]}",
     "initialize(ctx=[cpu(0), cpu(1)]): its devices is ['cpu(0)']; expected ['cpu(0)', 'cpu(1)']: a copy on each "
     "device"),
    ("name = self._prefix + name", "pass",
     "get('weight') of the dict with prefix 'dense0_': the name is 'weight'; expected 'dense0_weight': prefix and "
     "name"),
    ("            self._params[name] = self._shared._params[name]\n            return self._params[name]",
     "            return self._shared._params[name]",
     "the names in the dict afterwards is []; expected ['first_weight']: a parameter found there is also stored here"),
]
