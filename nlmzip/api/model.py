"""Models for a program: found, trained, kept, as one class."""

import os
from collections.abc import Iterable

from ..execute.threads import n_threads
from ..models import model_file
from ..platform.files import Target


class Model(model_file.Model):
    """A trained model, to be given to nlmzip.compress and decompress as `model`.

    card: what it says of itself; arrays: numpy arrays by name; sha256: its identity.
    """

    @classmethod
    def load(cls, name_or_path: "str | os.PathLike") -> "Model":
        """A shipped model, one of the user's folder, or a file. Raises ModelNotFoundError, ModelError, OSError.

            >>> Model.load("finance").name
            'finance'
        """
        from ..models import catalogue

        return cls._of(catalogue.load(os.fspath(name_or_path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Model":
        """The model of a model file's bytes. Raises ModelError."""
        return cls._of(model_file.read(data))

    @classmethod
    def train(
        cls, texts: Iterable[bytes], *, name: str = "model", codec: str = "mix", dev: bytes | None = None,
        progress=None, threads: int = 1, **options,
    ) -> "Model":  # fmt: skip
        """A model trained on texts, as `nlmzip train` does: of bytes, or with codec "words" of words.

        options: of training.counts.CountsOptions, or of training.options.TrainingOptions; the
        same as those of the command line. progress: see training.pipeline.train_model. threads: how
        much is done at once, 0 for as much as there are processors; a model of bytes is the same for
        any number.
        Raises OptionError.
        """
        from ..errors import OptionError

        texts = [memoryview(text).tobytes() for text in texts]
        if codec == "mix":
            from ..training.counts.train import CountsOptions, train_counts

            made = train_counts(texts, dev, CountsOptions(name, **options), progress, n_threads(threads))
            return cls.from_bytes(made)
        if codec != "words":
            raise OptionError(f"no codec {codec}; there are mix and words")
        from ..training import TrainingOptions, train_model

        return cls.from_bytes(train_model(texts, dev, TrainingOptions(name=name, **options), progress))

    def to_bytes(self) -> bytes:
        """The bytes of its model file."""
        return self.file

    def save(self, path: "str | os.PathLike") -> None:
        """Write its model file, whole or not at all, over what is there. Raises FileError."""
        Target(os.fspath(path), force=True).write(self.file)

    @classmethod
    def _of(cls, model: model_file.Model) -> "Model":
        return cls(model.card, model.arrays, model.sha256, model.file)
