"""Wrong answers to step 6, and what the course says to them."""

WRONG = [
    ("full = prefix if parent is None else parent.prefix + prefix", "full = prefix",
     "Net with two Layers created in its name_scope(): their prefixes is ['layer0_', 'layer1_']; expected "
     "['net0_layer0_', 'net0_layer1_']: the prefix of Net, then class and count"),
    ('name.current().get(None, hint) + "_"', "name.current().get(None, hint)",
     "_name_block(None, None, 'layer') twice, in a new NameManager: the prefixes is ['layer0', 'layer1']; expected "
     "['layer0_', 'layer1_']: name.current() counts them, and an underscore ends a prefix"),
    ("            self.register_child(value, key)", "            self._children[len(self._children)] = value",
     "Net with self.first and self.second: the names of its children is [0, 1]; expected ['first', 'second']: "
     "self.register_child(value, key)"),
    ("            value._set_owner(self)\n", "",
     "net.scale does not know its block; value._set_owner(self) sets it"),
    ("child.collect_params(select)", "child.collect_params()",
     "net.collect_params('net0_scale|net0_layer1') is ['net0_scale', 'net0_layer0_weight', 'net0_layer1_weight']; "
     "expected ['net0_scale', 'net0_layer1_weight']: select is also passed to the children"),
    ("list(self._forward_hooks.values())", "self._forward_hooks.values()",
     "a hook that detaches itself while it runs: OrderedDict mutated during iteration. Iterate over a copy of the "
     "hooks"),
]
