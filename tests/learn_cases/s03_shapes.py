"""Wrong answers to step 3, and what the course says to them."""

WRONG = [
    ("None if None in row else size_of(row)", "row[-1]",
     "FullyConnected(num_hidden=4, no_bias=False, flatten=True) on (2, 3, 5), None, None: the shapes of the inputs is "
     "[(2, 3, 5), (4, 5), (4,)]; expected [(2, 3, 5), (4, 15), (4,)]: with flatten, all dimensions of data except the "
     "first become one: 3 · 5"),
    ("            data = (*data[:-1], weight[1])", "            pass",
     "FullyConnected(num_hidden=4, no_bias=False, flatten=False) on (2, 3, None), (4, 5), None: the shapes of the "
     "inputs is [(2, 3, None), (4, 5), (4,)]; expected [(2, 3, 5), (4, 5), (4,)]: weight[1] is the last dimension of "
     "data"),
    ('self.require("weight", weight, (n, k))', "(n, k)",
     "FullyConnected(num_hidden=4, no_bias=False, flatten=False) on (2, 3, None), (4, 5), None: the shapes of the "
     "inputs is [(2, 3, None), (4, None), (4,)]; expected [(2, 3, 5), (4, 5), (4,)]: weight[1] is the last dimension "
     "of data"),
    ("        operators.reverse()\n", "",
     "a chain of 300 relus, of which only the last is known: inference did not settle after 100 rounds. Every second "
     "round must go from the last operator to the first"),
    (" and not final", "",
     "x (2,) -> five relus: the number of calls of an operator's rule is 10; expected 5: each result follows from "
     "complete inputs, so it is final: one round is enough"),
    ("value = merge(old, value) if isinstance(value, tuple) else value", "value = old or value",
     "_add of (None, 3) to (2, None): the stored value is (2, None); expected (2, 3): the two shapes are merged"),
]
