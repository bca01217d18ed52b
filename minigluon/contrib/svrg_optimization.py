"""`from mxnet.contrib.svrg_optimization...` ends here, with a word on what to do instead."""

from ..absent import refuse_import

refuse_import("svrg_optimization", "mxnet.contrib")
