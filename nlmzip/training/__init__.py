"""Training: texts to a model file. Only this floor uses BLAS; nothing of it takes part in coding."""

__all__ = ["TrainingOptions", "train_model"]


def __getattr__(name):
    # Loaded when asked for, so that `nlmzip train --help` needs neither numpy nor numba.
    if name == "TrainingOptions":
        from .options import TrainingOptions

        return TrainingOptions
    if name == "train_model":
        from .pipeline import train_model

        return train_model
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
