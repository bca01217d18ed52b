"""Checkpoint files from which training resumes, and the folder that contains the latest of them.

A checkpoint is a single file, an ordinary zip archive, so it is either complete or missing. Each part has a checksum.

    parameters.params       the net's parameters, for `net.load_parameters`
    trainer.states          the optimizer, its states and its schedule, for `trainer.load_states`
    run.json                the training's state: position, random generators, metrics, handlers, amp's scale
    devices.params          the parameters on the other devices, if there are several
    gradients.params        the gradients of parameters with grad_req='add'
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

from ... import autograd
from ... import ndarray as nd
from ...base import FileFormatError, MXNetError
from ...context import cpu
from ...serialization import lossless_json
from ...serialization import params as params_file
from ...serialization.atomic_write import replacing, unreadable

if TYPE_CHECKING:
    from ...context import Context

__all__ = ["Checkpoint", "Checkpoints"]

FORMAT = "minigluon checkpoint 1"
PARAMETERS, STATES, RUN = "parameters.params", "trainer.states", "run.json"
DEVICES, GRADIENTS = "devices.params", "gradients.params"


class Checkpoint:
    """A checkpoint that has been read and verified.

    path: the path of the file. state: as passed to `write`.

    Raises FileFormatError for a damaged file or a different format, and MXNetError for an unreadable one.
    """

    def __init__(self, path: str):
        self.path: str = os.fspath(path)
        with self._opened() as archive:
            damaged = archive.testzip()
            if damaged is not None:
                raise FileFormatError(f"{self.path!r} is a damaged checkpoint: the checksum of its part {damaged!r} "
                                      "differs")
            names = set(archive.namelist())
            run = lossless_json.loads(archive.read(RUN)) if RUN in names else {}
            file_format = run.get("format") if isinstance(run, dict) else None
            if file_format != FORMAT or not {PARAMETERS, STATES} <= names:
                raise FileFormatError(f"{self.path!r} is not a checkpoint of a training: "
                                      + (f"it is a {file_format!r}, expected {FORMAT!r}" if file_format else
                                         f"it is an archive of {', '.join(sorted(names)) or 'nothing'}"))
        self.state, self.optimizer, self._loss_scaler = run["state"], run["optimizer"], run.get("loss scaler")

    @contextlib.contextmanager
    def _opened(self):
        try:
            with zipfile.ZipFile(self.path) as archive:
                yield archive
        except OSError as error:
            raise unreadable(self.path, error) from error
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, FileFormatError) as error:
            if isinstance(error, FileFormatError) and self.path in str(error):
                raise
            raise FileFormatError(
                f"{self.path!r} is not a checkpoint of a training, or it is damaged: {error}") from error

    @staticmethod
    def write(path: str, net: Any, trainer: Any, state: Any) -> None:
        """Write a checkpoint. A crash leaves an old file intact.

        net, trainer: a Block and its Trainer. state: plain values (see formats/plain.py).
        """
        params = net._collect_params_with_prefix()
        others = {f"{number}:{name}": value for name, param in params.items()
                  for number, value in enumerate(param.list_data()) if number}
        sums = {f"{number}:{name}": grad for name, param in params.items() if param.grad_req == "add"
                for number, grad in enumerate(param.list_grad())}
        run = {"format": FORMAT, "optimizer": type(trainer.optimizer).__name__, "state": state,
               "loss scaler": _loss_scaler(trainer)}
        with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
            for name, arrays in ((PARAMETERS, {name: param.list_data()[0] for name, param in params.items()}),
                                 (DEVICES, others), (GRADIENTS, sums)):
                if arrays or name == PARAMETERS:
                    with archive.open(name, "w", force_zip64=True) as part:
                        params_file.write_to(part, [x.as_in_context(cpu()) for x in arrays.values()], list(arrays))
            archive.writestr(STATES, _states(trainer))
            archive.writestr(RUN, lossless_json.dumps(run))

    def load(self, net: Any, trainer: Any, ctx: Context | None = None) -> None:
        """Restore net and trainer. ctx: the devices for uninitialized parameters.

        Raises MXNetError if they do not match the saved ones.
        """
        if type(trainer.optimizer).__name__ != self.optimizer:
            raise MXNetError(f"{self.path!r} is of a training with the optimizer {self.optimizer}, but this "
                             f"trainer has {type(trainer.optimizer).__name__}")
        if (self._loss_scaler is None) != (_loss_scaler(trainer) is None):
            raise MXNetError(f"{self.path!r} is of a training {'without' if self._loss_scaler is None else 'with'} "
                             "amp.init_trainer(trainer), unlike the one here")
        with self._opened() as archive, tempfile.TemporaryDirectory() as folder:
            try:
                archive.extractall(folder, [PARAMETERS, STATES])
                net.load_parameters(os.path.join(folder, PARAMETERS), ctx=ctx)
                trainer.load_states(os.path.join(folder, STATES))
            except MXNetError as error:
                text = str(error).replace(folder + os.sep, "")
                raise MXNetError(f"{self.path!r} is the checkpoint of another training: {text}") from error
            params = net._collect_params_with_prefix()
            for name, arrays in ((DEVICES, "list_data"), (GRADIENTS, "list_grad")):
                if name in archive.namelist():
                    self._fill(params, nd.load_frombuffer(archive.read(name)), arrays)
        if self._loss_scaler is not None:
            vars(trainer._amp_loss_scaler).update(self._loss_scaler)

    def _fill(self, params, values, arrays):
        """Copy values to the arrays that a parameter method returns. Keys are 'index of the device:name'."""
        for key, value in values.items():
            number, _, name = key.partition(":")
            places = getattr(params[name], arrays)()
            if int(number) >= len(places):
                raise MXNetError(f"{self.path!r} is of a training on {int(number) + 1} devices, but here are "
                                 f"{len(places)}")
            with autograd.pause():
                places[int(number)][:] = value.as_in_context(places[int(number)].context)


class Checkpoints:
    """The folder for a training run's checkpoints: `epoch0002-batch000017.checkpoint` was saved after 2 epochs and 17
    batches of the next epoch.

    folder: the path of the folder, which is created with the first checkpoint. keep: the number of checkpoints to keep.

    >>> from minigluon.gluon.resume import Checkpoints
    >>> net = nn.Dense(1, in_units=2)
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd")
    >>> checkpoints = Checkpoints("run", keep=2)
    >>> for epoch in range(1, 4):
    ...     path = checkpoints.save(net, trainer, epoch, 0, {"loss": 1 / epoch})
    >>> checkpoints.names()
    ['epoch0002-batch000000.checkpoint', 'epoch0003-batch000000.checkpoint']
    >>> checkpoints.newest().state["loss"]
    0.3333333333333333
    """

    folder: str
    keep: int
    path: str | None

    def __init__(self, folder: str, keep: int = 3):
        if keep < 1:
            raise MXNetError(f"Checkpoints: keep is {keep}, expected at least 1")
        self.folder, self.keep = os.fspath(folder), keep
        self.path = None                        # the last checkpoint saved or resumed from in this training run
        self._strangers = self.names()          # from earlier training runs, unless one of them is resumed

    def names(self) -> Any:
        """Return the file names, newest last."""
        try:
            file_names = os.listdir(self.folder)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(filter(_place, file_names), key=_place)

    def newest(self) -> Checkpoint | None:
        """Return the last Checkpoint, or None. If it is damaged, raises FileFormatError, which names the previous
        checkpoint. """
        names = self.names()
        if not names:
            return None
        try:
            checkpoint = Checkpoint(os.path.join(self.folder, names[-1]))
        except FileFormatError as error:
            remedy = f"to resume from {names[-2]!r}" if len(names) > 1 else "to start over"
            raise FileFormatError(f"{error}. Remove it {remedy}.") from error
        self._strangers, self.path = [], checkpoint.path
        return checkpoint

    def save(self, net: Any, trainer: Any, epoch: int, batch: int, state: Any) -> str:
        """Write a checkpoint, then remove old ones and those from a different training run. Returns its path."""
        os.makedirs(self.folder, exist_ok=True)
        name = f"epoch{epoch:04d}-batch{batch:06d}.checkpoint"
        path = os.path.join(self.folder, name)
        Checkpoint.write(path, net, trainer, state)
        self.path = path
        strangers, self._strangers = self._strangers, []
        older = [other for other in self.names() if _place(other) <= _place(name) and other not in strangers]
        for old in {*strangers, *older[:-self.keep]} - {name}:
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(self.folder, old))
        return path


def _loss_scaler(trainer):
    """Return the state of a trainer's loss scaler from `contrib.amp.init_trainer`, or None."""
    scaler = getattr(trainer, "_amp_loss_scaler", None)
    return None if scaler is None else dict(vars(scaler))


def _states(trainer):
    """Return the bytes that `trainer.save_states` writes."""
    if not trainer._on_kvstore:
        return trainer._updaters[0].get_states(dump_optimizer=True)
    with tempfile.TemporaryDirectory() as folder:       # another library's store may support only files
        trainer.save_states(os.path.join(folder, STATES))
        with open(os.path.join(folder, STATES), "rb") as file:
            return file.read()


def _place(name):
    """Return (epoch, batch) from a checkpoint's name, or None."""
    match = re.fullmatch(r"epoch(\d+)-batch(\d+)\.checkpoint", name)
    return match and (int(match[1]), int(match[2]))
