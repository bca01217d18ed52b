"""Wrong answers to step 16, and what the course says to them."""

WRONG = [
    ("targets = step.outputs + step.scratch", "targets = step.outputs",
     "a step with output 4 and scratch 5 and 6: targets(values) is ('slot 4',); expected ('slot 4', 'slot 5', "
     "'slot 6')"),
    ("line = allocating(step), getter(step.inputs), _all_values", "line = allocating(step), getter(step.inputs), "
     "getter(targets)", "a step that allocates: targets(values) is ('slot 7', 'slot 8'); expected the whole list"),
    ("result if own else result.copy()", "result",
     "a kernel returns its input: slot 1 has the same object; expected a copy"),
    ("        for slot in self._outside:\n            values[slot] = None\n", "",
     "values after give_back is [None, None, 'planned', 'result', 'planned', 'own']; expected [None, None, 'planned', "
     "None, 'planned', None]"),
    ("self.steps[len(self.lines) - length_hint(lines) - 1]", "self.steps[0]",
     "line 1 of three raises ValueError: the message is"),
    ("        if keep:\n            values = self._layout.copy_values(values, self._backend)\n", "",
     "keep=True: the head gradient was put into the given values"),
    ("values[slot] = array if its_shape is shape else array.reshape(its_shape)", "values[slot] = array",
     "a result in slot 2 of shape (2, 3), and in slot 4 as (6,): slot 4 has shape (2, 3); expected (6,)"),
]
