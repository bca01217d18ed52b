"""Files that the program itself has open while it saves to them by name."""

import os
import tempfile

import pytest

import minigluon as mx
from minigluon import MXNetError, gluon, nd
from minigluon.serialization.atomic_write import replacing
from minigluon.serialization.open_files import is_open_for_writing

pytestmark = [pytest.mark.once, pytest.mark.skipif(os.name == "nt", reason="Windows does not write to open files")]


def net_and_trainer():
    net = gluon.nn.Dense(1, in_units=1)
    net.initialize()
    return net, gluon.Trainer(net.collect_params(), "adam")


SAVERS = {
    "nd.save": lambda name: nd.save(name, {"x": nd.ones((2,))}),
    "save_parameters": lambda name: net_and_trainer()[0].save_parameters(name),
    "Symbol.save": lambda name: mx.sym.var("x").save(name),
    "save_states": lambda name: net_and_trainer()[1].save_states(name),
    "ParameterDict.save": lambda name: net_and_trainer()[0].collect_params().save(name),
}


@pytest.mark.parametrize("saver", SAVERS.values(), ids=SAVERS)
def test_a_temporary_file_that_the_program_saves_to_and_reads_on(saver, tmp_path):
    saver(str(tmp_path / "closed"))
    with tempfile.NamedTemporaryFile(dir=tmp_path) as file:
        file.write(b"longer than what is saved " * 100)
        file.flush()
        file.seek(0)
        saver(file.name)
        read = file.read()
        assert read
        assert len(read) == (tmp_path / "closed").stat().st_size
        assert sorted(os.listdir(tmp_path)) == sorted(["closed", os.path.basename(file.name)])


def test_a_file_that_is_only_read_keeps_its_old_bytes(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with open(path, "rb") as file:
        assert not is_open_for_writing(str(path))
        with replacing(path) as new:
            new.write(b"new")
        assert file.read() == b"old"
    assert path.read_bytes() == b"new"


def test_an_error_while_saving_leaves_the_open_file_unchanged(tmp_path):
    path = tmp_path / "x"
    with open(path, "wb+") as file:
        file.write(b"old")
        file.flush()
        assert is_open_for_writing(str(path))
        with pytest.raises(TypeError), replacing(path) as new:
            new.write(b"half" + None)
        assert path.read_bytes() == b"old"
        os.chmod(path, 0o400)
        if os.geteuid() != 0:           # root writes to every file
            with pytest.raises(MXNetError, match="cannot write"), replacing(path) as new:
                new.write(b"new")
    assert os.listdir(tmp_path) == ["x"]
