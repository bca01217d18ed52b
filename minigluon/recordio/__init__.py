"""`mx.recordio`: record files in MXNet's format."""

from .files import MXRecordIO
from .images import IRHeader, pack, pack_img, unpack, unpack_img
from .indexed import MissingRecordError, MXIndexedRecordIO, write_index

__all__ = ["IRHeader", "MXIndexedRecordIO", "MXRecordIO", "MissingRecordError", "pack", "pack_img", "unpack",
           "unpack_img", "write_index"]
