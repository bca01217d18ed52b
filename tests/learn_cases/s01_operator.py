"""Wrong answers to step 1, and what the course says to them."""

WRONG = [
    ("cls.name = name or cls.__name__", "cls.name = cls.__name__",
     "register('data', name='shift'): cls.name is 'operator1'; expected 'shift': name= takes precedence over the name "
     "of the class"),
    ('tuple(a.lstrip("*") for a in arguments)', "tuple(arguments)",
     "register('*data'): cls.arguments is ('*data',); expected ('data',): the name of the input has no '*'"),
    ("        return cls\n    return enter", "        return None\n    return enter",
     "@register returns None instead of the class; a decorator returns what the class's name will refer to, so `enter` "
     "ends with `return cls`"),
    ("if name not in attributes else field.parse(value, cls.name)", "",
     "complete({'factor': '2', 'offset': '3'}) is {'factor': '2', 'offset': '3'}; expected {'factor': 2.0, 'offset': "
     "3}: files store attributes as texts; field.parse converts them to numbers"),
    ("if value is MISSING:", "if value is None:",
     "complete({'offset': 1}) returns {'factor': <dataclasses._MISSING_TYPE object at"),
    ("distinct(value) for value", "value for value",
     "factor=0.0 and factor=-0.0 return the same operator, but x / 0.0 is not x / -0.0: make the key of "
     "distinct(value)"),
    ("self = _interned.setdefault(key, self)", "pass",
     "interned(factor=2) and interned(factor='2', offset=0) are two objects; expected one: both have the values "
     "factor=2.0, offset=0, so the second is found in _interned"),
]
