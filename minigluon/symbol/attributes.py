"""The attributes of a Symbol's nodes, as strings."""

from typing import TYPE_CHECKING

from .graph import Handle
from .own_attributes import HIDDEN, with_public_names

__all__ = ["Attributes"]


class Attributes(Handle):
    """Mixin for Symbol that looks up attributes."""

    if TYPE_CHECKING:
        @property
        def name(self) -> str: ...

    def attr(self, key: str) -> str:
        """Returns the attribute `key` of the node as a string, or None. 'name' is the node's name, 'lr_mult' also finds
        `__lr_mult__`, and so on.

        >>> sym.var("x", lr_mult=0.5).attr("lr_mult"), sym.FullyConnected(sym.var("x"), num_hidden=4).attr("num_hidden")
        ('0.5', '4')
        """
        if key == "name":
            return self.name
        attrs = self.heads[0][0].attrs
        return attrs.get(key, attrs.get(f"__{key}__") if key in HIDDEN else None)      # type: ignore[return-value]

    def list_attr(self) -> dict[str, str]:
        """Returns the node's attributes as strings. Attributes such as `lr_mult` are also present as `__lr_mult__`.

        >>> sym.FullyConnected(sym.var("x"), num_hidden=4).list_attr()
        {'num_hidden': '4'}
        """
        return with_public_names(self.heads[0][0].attrs)

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Returns {node name: its attributes, as from `list_attr`} for all nodes that have any.

        >>> sym.softmax(sym.exp(sym.var("x", __mark__="a")), axis=0, name="out").attr_dict()
        {'x': {'__mark__': 'a'}, 'out': {'axis': '0'}}
        """
        return {n.name: with_public_names(n.attrs) for n in self.nodes() if n.attrs}
