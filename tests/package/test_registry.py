"""mx.registry: registries that programs keep of classes of their own."""

import pytest

import minigluon as mx

pytestmark = pytest.mark.once


def registry_of_layers():
    class Layer:
        def __init__(self, units=1):
            self.units = units
    functions = [get(Layer, "layer") for get in (mx.registry.get_register_func, mx.registry.get_alias_func,
                                                 mx.registry.get_create_func)]
    return Layer, *functions


def test_a_class_is_made_by_its_name():
    Layer, register, alias, create = registry_of_layers()

    @register
    @alias("broad", "Fat")
    class Wide(Layer):
        pass

    assert sorted(mx.registry.get_registry(Layer)) == ["broad", "fat", "wide"]
    assert type(create("WIDE")) is Wide
    for made in (create("fat", 3), create("fat", units=3), create(layer="fat", units=3),
                 create('["wide", {"units": 3}]'), create('{"layer": "wide", "units": 3}'),
                 create({"layer": "broad", "units": 3})):
        assert type(made) is Wide
        assert made.units == 3
    assert create(made) is made


def test_the_registry_is_a_copy():
    Layer, register, _, create = registry_of_layers()
    mx.registry.get_registry(Layer)["none"] = Layer
    assert mx.registry.get_registry(Layer) == {}
    register(Layer, "base")
    assert mx.registry.get_registry(Layer) == {"base": Layer}


def test_the_packages_own_classes_are_registered():
    assert mx.registry.get_registry(mx.init.Initializer)["xavier"] is mx.init.Xavier
    assert mx.registry.get_registry(mx.optimizer.Optimizer)["adam"] is mx.optimizer.Adam
    assert mx.registry.get_registry(mx.metric.EvalMetric)["accuracy"] is mx.metric.Accuracy


@pytest.mark.parametrize(("call", "message"), [
    (lambda register, create: register(int), "a layer must be a subclass of Layer, found <class 'int'>"),
    (lambda register, create: register("wide"), "a layer must be a subclass of Layer, found 'wide'"),
    (lambda register, create: create(), "create needs the name of a layer"),
    (lambda register, create: create(3), "layer is 3, expected a name or a Layer"),
    (lambda register, create: create("wide"), "no layer is called 'wide'. Registered: ."),
])
def test_errors(call, message):
    _, register, _, create = registry_of_layers()
    with pytest.raises(mx.base.ArgumentError) as error:
        call(register, create)
    assert str(error.value) == message
