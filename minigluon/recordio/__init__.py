"""`mx.recordio`: files of records, with MXNet's bytes."""

from .files import MXRecordIO
from .images import IRHeader, pack, pack_img, unpack, unpack_img
from .indexed import MissingRecordError, MXIndexedRecordIO, write_index

__all__ = ["IRHeader", "MXIndexedRecordIO", "MXRecordIO", "MissingRecordError", "pack", "pack_img", "unpack",
           "unpack_img", "write_index"]
