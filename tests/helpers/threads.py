"""The same function in many threads at once."""

import threading


def run_in_threads(function, count=16):
    """Results of `function(i)` in threads that start together; the first error is raised here."""
    barrier, results, errors = threading.Barrier(count), [None] * count, []

    def body(i):
        try:
            barrier.wait()
            results[i] = function(i)
        except Exception as error:      # handed to the test below
            errors.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
