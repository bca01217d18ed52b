"""Files like those of torch.save, with any content, written without PyTorch."""

import io
import pickle
import zipfile

__all__ = ["FLOATS", "Call", "Name", "archive", "many", "pickled", "tensor"]


class Name:
    """A class of another library, for a pickle."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self):
        """Return nothing; the pickler requires a callable."""


class Call:
    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


class Reference:
    def __init__(self, key):
        self.key = key


class Pickler(pickle._Pickler):
    """Writes names without importing them."""

    dispatch = dict(pickle._Pickler.dispatch)

    def persistent_id(self, value):
        return value.key if isinstance(value, Reference) else None

    def save_name(self, name):
        self.write(f"c{name.module}\n{name.name}\n".encode())

    dispatch[Name] = save_name


def pickled(value):
    file = io.BytesIO()
    Pickler(file, protocol=2).dump(value)
    return file.getvalue()


FLOATS = Name("torch", "FloatStorage")


def tensor(key=("storage", FLOATS, "0", "cpu", 6), offset=0, shape=(2, 3), strides=(3, 1)):
    return Call(Name("torch._utils", "_rebuild_tensor_v2"), Reference(key), offset, shape, strides, False, {})


def archive(content, storages):
    """The bytes of a zip file with this pickle and these storages, {key: bytes}."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as target:
        target.writestr("net/data.pkl", content)
        for key, data in storages.items():
            target.writestr(f"net/data/{key}", data)
    return file.getvalue()


def many(count):
    """A file with as many tensors."""
    return archive(pickled({f"x{i}": tensor(key=("storage", FLOATS, str(i), "cpu", 6)) for i in range(count)}),
                   {str(i): bytes(24) for i in range(count)})
