"""What is cut out of the engine."""

from .....ops import REGISTRY
from ...step import Hole, Part, Step

UPDATE = "minigluon.ops.optimizer.update"
SGD = "minigluon.ops.optimizer.sgd"
OPTIMIZER = "minigluon.optimizer.optimizer"
REPLICA = "minigluon.gluon.replica"
TRAINER = "minigluon.gluon.trainer"


def _into_the_table(learned):
    """The operator that steps all weights at once has its formula from a table that was made before."""
    REGISTRY["_sgd_mom_steps"].step = staticmethod(learned.sgd_momentum)


STEP = Step(
    title="The optimizer and the Trainer",
    parts=[
        Part(UPDATE, "clipped"),
        Part(SGD, "sgd", (Hole(
            "return the new weight as the formula says. g is the gradient times op.rescale_grad, with its elements "
            "brought into the bounds by `clipped`; the bound is op.clip_gradient. The inputs stay as they are.",),),
             in_lenet=False),
        Part(SGD, "sgd_momentum", (Hole(
            "return the new weight and the new momentum, as a tuple. g is the same as in sgd, the factor of the old "
            "momentum is op.momentum. The inputs stay as they are: who calls you writes the results to their "
            "places.",),)),
        Part(OPTIMIZER, "Optimizer.learning_rate"),
        Part(OPTIMIZER, "Optimizer._update_count", (Hole(
            "index is one index or a list of them. For each, count in the dict self._index_update_count how often that "
            "weight was updated, this time included; counting starts at self.begin_num_update. self.num_update is the "
            "highest count of all.",),)),
        Part(OPTIMIZER, "Optimizer._get_lrs", (Hole(
            "a list with the learning rate of each index: self.learning_rate times a factor. The factor is the lr_mult "
            "of the Parameter that self.param_dict has under the index. Where it has none, self._factor finds one in "
            "self.lr_mult. Ask for self.learning_rate once: it may be a schedule.",),)),
        Part(OPTIMIZER, "Optimizer._get_wds", (Hole(
            "the same for the decay: self.wd, and wd_mult in both places.",),)),
        Part(OPTIMIZER, "Optimizer._factor"),
        Part("minigluon.optimizer.updater", "Updater.states_of", (Hole(
            "the states of these weights, as a list. What self.states lacks under an index, "
            "self.optimizer.create_state_multi_precision(index, weight) makes, once. States that were loaded from a "
            "file may be on another device: where self.states_synced[index] is false, check_state(index, state, "
            "self.optimizer, weight) looks whether the state fits, and self.sync_state_context brings it to "
            "weight.context. Afterwards states_synced[index] is True for each.",),)),
        Part(REPLICA, "Replica.is_fresh"),
        Part(REPLICA, "Replica.update", (Hole(
            "if there are any rows, run the step that self.step(updater) gives, and mark the gradients as used "
            "up.",),)),
        Part(REPLICA, "Replica.use_up"),
        Part(REPLICA, "find_replicas", (Hole(
            "a list with a Replica(ctx, rows) for each context. A row is (index of the parameter, value, gradient); "
            "param._data is a dict from context to value, in the order of the contexts, and param._grad one from "
            "context to gradient. A parameter whose _grad is None has no gradient, and takes no part. If one has "
            "values in more places than there are contexts, raise an MXNetError.",
            "rows:", "return"),)),
        Part(TRAINER, "Trainer.rescale", (Hole(
            "the optimizer's rescale_grad is self._scale divided by batch_size. Where that cannot be divided by "
            "batch_size, since it is 0 or no number, raise an ArgumentError.",
            "try"),)),
        Part(TRAINER, "Trainer._fresh_replicas", (Hole(
            "are all replicas fresh, return them. Otherwise with ignore_stale_grad return a list of the fresh_part() "
            "of each; without it raise what _stale_error gives for a list of (param, ctx): all in self._params that "
            "have a gradient, on all devices on which value.entry.fresh is false. param._data is a dict from ctx to "
            "value.", "if all", "return"),)),
        Part(TRAINER, "Trainer.step", (Hole(
            "the parts in their order: self.rescale, self._fresh_replicas, self._sum_gradients where there is a "
            "self._kvstore, and then each replica's update with the updater of its device: self._updaters are in the "
            "same order. With self._on_kvstore the store adds and steps at once: self._step_in_store(replicas), and "
            "nothing else behind the first two parts.",),)),
    ],
    hints={
        "sgd": [
            "clipped(...) takes the product of grad and op.rescale_grad, and the bound. The rest is the line in the "
            "docstring.",
        ],
        "sgd_momentum": [
            "First the new momentum, then the weight plus that.",
            "`mom *= 0.9` would change the caller's array; `mom = mom * 0.9` makes a new one.",
        ],
        "Optimizer._update_count": [
            "dict.get(index, default) gives a count to start with.",
            "Compare each count with the highest one so far.",
        ],
        "Optimizer._get_lrs": [
            "A list comprehension with a conditional expression: self.param_dict[i].lr_mult if i is in there, else "
            "self._factor(i, self.lr_mult).",
        ],
        "Optimizer._get_wds": ["As _get_lrs, with other names."],
        "Updater.states_of": [
            "if and elif: it is not there; it is there, but not synced.",
            "Store the new state in self.states before you go on: the next call must find it.",
        ],
        "Replica.update": ["self.step(updater) prepares the step and gives an object with a method run()."],
        "find_replicas": [
            "An empty list for each context, then two loops: over enumerate(params), and in it over the lists and "
            "param._data.items() side by side.",
            "The fifth parameter has index 4, also if the ones before it take no part: enumerate first, skip then.",
            "Replica(ctx, rows) for the pairs of contexts and rows.",
        ],
        "Trainer.rescale": [
            "Division raises TypeError for what is no number, and ZeroDivisionError for 0. Catch both, and raise an "
            "ArgumentError from None.",
        ],
        "Trainer._fresh_replicas": [
            "replica.is_fresh() tells of one replica.",
            "param._grad is None for a parameter that has no gradient.",
        ],
        "Trainer.step": [
            "What the store adds up must be complete: so freshness is looked at before.",
            "zip(self._updaters, replicas) goes over the devices.",
        ],
    },
    setup=_into_the_table,
    equivalent={
        "sgd_momentum: np.multiply(weight, lr * wd, out=step)  ->  np.multiply(lr * wd, weight, out=step)":
            "a product has no order",
        "sgd_momentum: np.multiply(weight, lr * wd, out=step)  ->  np.multiply(weight, lr * wd)":
            "the same in memory of its own",
        "sgd_momentum: np.add(weight, mom, out=step)  ->  np.add(mom, weight, out=step)": "a sum has no order",
        "sgd_momentum: np.add(weight, mom, out=step)  ->  np.add(weight, mom)": "the same in memory of its own",
        "Optimizer._update_count: (list, tuple)  ->  (tuple, list)": "it is only asked what is in it",
        "Optimizer._update_count: count > newest  ->  count >= newest": "the same number",
        "Trainer.rescale: (TypeError, ZeroDivisionError)  ->  (ZeroDivisionError, TypeError)":
            "it is only asked what is in it",
    },
)
