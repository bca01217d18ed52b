"""Operators that are steps of optimizers, and options for each, for tests of the GPU."""

from minigluon.ops import REGISTRY

ONE = ["sgd_update", "sgd_mom_update", "nag_mom_update", "signsgd_update", "signum_update", "adam_update",
       "rmsprop_update", "rmspropalex_update", "ftrl_update", "ftml_update", "lamb_update_phase1"]
MIXED = {"mp_sgd_update": [], "mp_sgd_mom_update": ["mom"], "mp_nag_mom_update": ["mom"],
         "mp_lamb_update_phase1": ["mean", "var"], "_mp_adamw_update": ["mean", "var"]}
STEPS = {"_sgd_steps": (2, {}), "_sgd_mom_steps": (3, {"momentum": 0.9}), "_adam_steps": (4, {"epsilon": 1e-3})}
OPTIONS = {"lr": 0.2, "wd": 0.1, "t": 3, "rescale_grad": 0.5, "clip_gradient": 0.7, "momentum": 0.9, "wd_lh": 0.05,
           "eta": 0.6}


def options(name):
    return {key: value for key, value in OPTIONS.items() if key in REGISTRY[name].fields}
