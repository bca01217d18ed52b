"""The parts of the engine that the learner writes, with tasks and hints."""

from .....ops import REGISTRY
from ...step import Hole, Part, Step

UPDATE = "minigluon.ops.optimizer.update"
SGD = "minigluon.ops.optimizer.sgd"
OPTIMIZER = "minigluon.optimizer.optimizer"
TRAINER = "minigluon.gluon.trainer"


def _into_the_table(learned):
    """Replace the formula in the operator that updates all weights at once, which was created earlier."""
    REGISTRY["_sgd_mom_steps"].step = staticmethod(learned.sgd_momentum)


STEP = Step(
    title="The optimizer and the Trainer",
    parts=[
        Part(UPDATE, "clipped"),
        Part(SGD, "sgd", (Hole(
            "return the new weight according to the formula. g is the gradient times op.rescale_grad, clipped by "
            "`clipped` with the bound op.clip_gradient. Do not change the inputs.",),),
             in_lenet=False),
        Part(SGD, "sgd_momentum", (Hole(
            "return the new weight and the new momentum, as a tuple. g is the same as in sgd; the factor of the old "
            "momentum is op.momentum. Do not change the inputs: the caller stores the results.",),)),
        Part(OPTIMIZER, "Optimizer.learning_rate"),
        Part(OPTIMIZER, "Optimizer._update_count", (Hole(
            "index is one index or a list of them. For each, count in the dict self._index_update_count how often that "
            "weight was updated, including this time; counting starts at self.begin_num_update. self.num_update is the "
            "highest of all counts.",),)),
        Part(OPTIMIZER, "Optimizer._get_lrs", (Hole(
            "return a list with the learning rate of each index: self.learning_rate times a factor. The factor is the "
            "lr_mult of the Parameter that self.param_dict has under the index. If it has none, self._factor finds one "
            "in self.lr_mult. Read self.learning_rate only once: it may be a schedule.",),)),
        Part(OPTIMIZER, "Optimizer._get_wds", (Hole(
            "the same for the weight decay: self.wd, and wd_mult in both places.",),)),
        Part(OPTIMIZER, "Optimizer._factor"),
        Part("minigluon.optimizer.updater", "Updater.states_of", (Hole(
            "return the states of these weights, as a list. If self.states has none under an index, "
            "self.optimizer.create_state_multi_precision(index, weight) creates it, once. States loaded from a file "
            "may be on another device: if self.states_synced[index] is false, check_state(index, state, "
            "self.optimizer, weight) checks whether the state matches, and self.sync_state_context moves it to "
            "weight.context. Afterwards states_synced[index] is True for each.",),)),
        Part(TRAINER, "Replica.is_fresh"),
        Part(TRAINER, "Replica.update", (Hole(
            "if there are any rows, run the step that self.step(updater) returns, and mark the gradients as used.",),)),
        Part(TRAINER, "Replica.mark_stale"),
        Part(TRAINER, "find_replicas", (Hole(
            "return a list with a Replica(ctx, rows) for each context. A row is (index of the parameter, value, "
            "gradient); param._data is a dict from context to value, in the order of the contexts, and param._grad one "
            "from context to gradient. Skip a parameter whose _grad is None: it has no gradient. If a parameter has "
            "values on more devices than there are contexts, raise an MXNetError.",
            "rows:", "return"),)),
        Part(TRAINER, "Trainer.rescale", (Hole(
            "set the optimizer's rescale_grad to self._scale divided by batch_size. If the division fails, because "
            "batch_size is 0 or not a number, raise an ArgumentError.",
            "try"),)),
        Part(TRAINER, "Trainer._fresh_replicas", (Hole(
            "if all replicas are fresh, return them. Otherwise, with ignore_stale_grad, return a list of the "
            "fresh_part() of each; without it, raise the result of _stale_error for a list of (param, ctx): all in "
            "self._params that have a gradient, on all devices on which value.entry.fresh is false. param._data is a "
            "dict from ctx to value.", "if all", "return"),)),
        Part(TRAINER, "Trainer.step", (Hole(
            "call the parts in order: self.rescale, self._fresh_replicas, self._sum_gradients if there is a "
            "self._kvstore, and then each replica's update with the updater of its device; self._updaters are in the "
            "same order. With self._on_kvstore, the store adds and updates at once: after the first two parts, call "
            "only self._step_in_store(replicas).",),)),
    ],
    hints={
        "sgd": [
            "clipped(...) takes the product of grad and op.rescale_grad, and the bound. The rest is the line in the "
            "docstring.",
        ],
        "sgd_momentum": [
            "First compute the new momentum, then add it to the weight.",
            "`mom *= 0.9` would change the caller's array; `mom = mom * 0.9` creates a new one.",
        ],
        "Optimizer._update_count": [
            "dict.get(index, default) returns the count to start with.",
            "Compare each count with the highest one so far.",
        ],
        "Optimizer._get_lrs": [
            "A list comprehension with a conditional expression: self.param_dict[i].lr_mult if i is in there, else "
            "self._factor(i, self.lr_mult).",
        ],
        "Optimizer._get_wds": ["As _get_lrs, with other names."],
        "Updater.states_of": [
            "if and elif: the state is missing; it exists, but is not synced.",
            "Store the new state in self.states: the next call must find it.",
        ],
        "Replica.update": ["self.step(updater) prepares the step and returns an object with a method run()."],
        "find_replicas": [
            "Start with an empty list for each context, then use two loops: over enumerate(params), and inside it over "
            "the lists and param._data.items() in parallel.",
            "The fifth parameter has index 4, even if the ones before it are skipped: enumerate first, then skip.",
            "Replica(ctx, rows) for the pairs of contexts and rows.",
        ],
        "Trainer.rescale": [
            "Division raises TypeError if it is not a number, and ZeroDivisionError for 0. Catch both, and raise an "
            "ArgumentError from None.",
        ],
        "Trainer._fresh_replicas": [
            "replica.is_fresh() checks one replica.",
            "param._grad is None for a parameter that has no gradient.",
        ],
        "Trainer.step": [
            "The gradients that the store adds must be complete, so check for freshness first.",
            "zip(self._updaters, replicas) iterates over the devices.",
        ],
    },
    setup=_into_the_table,
    equivalent={
        "sgd_momentum: np.multiply(weight, lr * wd, out=step)  ->  np.multiply(lr * wd, weight, out=step)":
            "the order of a product does not matter",
        "sgd_momentum: np.multiply(weight, lr * wd, out=step)  ->  np.multiply(weight, lr * wd)":
            "the same result in its own memory",
        "sgd_momentum: np.add(weight, mom, out=step)  ->  np.add(mom, weight, out=step)": "the order of a sum does not "
                                                                                          "matter",
        "sgd_momentum: np.add(weight, mom, out=step)  ->  np.add(weight, mom)": "the same result in its own memory",
        "Optimizer._update_count: (list, tuple)  ->  (tuple, list)": "it is only tested for membership",
        "Optimizer._update_count: count > newest  ->  count >= newest": "the same number",
        "Trainer.rescale: (TypeError, ZeroDivisionError)  ->  (ZeroDivisionError, TypeError)":
            "it is only tested for membership",
    },
)
