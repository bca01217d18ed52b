"""The tape."""

from .table import mistake

mistake(
    "backward outside record",
    wrong="""
        x = nd.ones((2,))
        x.attach_grad()
        y = x * 2
        y.backward()
        """,
    error="NotRecordedError",
    says="cannot differentiate an array of shape (2,): it is not part of a recorded graph. Compute it inside `with "
         "autograd.record():` from arrays that have attach_grad() called, without going through asnumpy().",
    cause="it is not part of a recorded graph",
    place="an array of shape (2,)",
    remedy="Compute it inside `with autograd.record():`",
    right="""
        with autograd.record():
            y = x * 2
        y.backward()
        """)

mistake(
    "An array without attach_grad",
    wrong="""
        w = nd.ones((3,))
        with autograd.record():
            y = (w * w).sum()
        y.backward()
        """,
    error="NotRecordedError",
    says="cannot differentiate an array of shape (1,): it is not part of a recorded graph. Compute it inside `with "
         "autograd.record():` from arrays that have attach_grad() called, without going through asnumpy().",
    cause="it is not part of a recorded graph",
    place="an array of shape (1,)",
    remedy="from arrays that have attach_grad() called",
    right="""
        w.attach_grad()
        with autograd.record():
            y = (w * w).sum()
        y.backward()
        """)

mistake(
    "backward twice",
    wrong="""
        x = nd.ones((2,))
        x.attach_grad()
        with autograd.record():
            y = (x * x).sum()
        y.backward()
        y.backward()
        """,
    error="GraphFreedError",
    says="the graph behind this array was freed by an earlier backward (at operator sum). To differentiate it "
         "twice, pass retain_graph=True to the first backward.",
    cause="was freed by an earlier backward",
    place="at operator sum",
    remedy="pass retain_graph=True to the first backward",
    right="""
        with autograd.record():
            y = (x * x).sum()
        y.backward(retain_graph=True)
        y.backward()
        """)

mistake(
    "An in-place update while recording",
    wrong="""
        w = nd.ones((2,))
        w.attach_grad()
        with autograd.record():
            y = (w * w).sum()
            w -= 0.1
        """,
    error="MXNetError",
    says="writing in place (+=, x[:]=, out=) to an array that is part of the recorded graph is not supported "
         "inside autograd.record(). Write x = x + y instead of x += y.",
    cause="is not supported inside autograd.record()",
    place="an array that is part of the recorded graph",
    remedy="Write x = x + y instead of x += y",
    right="""
        with autograd.record():
            y = (w * w).sum()
        y.backward()
        w -= 0.1 * w.grad
        """)

mistake(
    "A value overwritten before backward",
    wrong="""
        x = nd.ones((2,))
        x.attach_grad()
        with autograd.record():
            y = x * x
        x[:] = 5
        y.backward()
        """,
    error="WrittenInPlaceError",
    says="an array of shape (2,) was written in place after operator broadcast_mul had recorded it, and its "
         "gradient needs the old value. Write to a copy instead, or call backward first.",
    cause="was written in place after operator broadcast_mul had recorded it",
    place="an array of shape (2,)",
    remedy="Write to a copy instead, or call backward first",
    right="""
        with autograd.record():
            y = x * x
        y.backward()
        x[:] = 5
        """)
