"""What an archive says of itself, for people and programs; called by cli/."""

from ..container import archive
from ..engine import profiles

_DIGEST_BYTES = 32


def describe(data: bytes) -> list[dict]:
    """What `nlmzip info` tells of an archive: a dictionary of JSON values for each member.

    Raises ArchiveError.
    """
    descriptions = []
    for member in archive.read(data):
        description = {
            "codec": archive.CODEC_NAMES[member.codec],
            "original_size": member.raw_length,
            "compressed_size": member.n_bytes,
            "frames": len(member.frames),
            "crc32": [f"{frame.checksum:08x}" for frame in member.frames],
        }
        settings = member.settings
        if member.codec == archive.MIX:
            description |= _mix(settings)
        elif member.codec == archive.MODEL:  # a model file ends with its own SHA-256
            digest = member.frames[-1].payload[-_DIGEST_BYTES:]
            description |= {"model_hash": digest[: archive.HASH_BYTES].hex()}
        elif member.codec == archive.WORDS:
            description |= {
                "predictor": settings.predictor,
                "dynamic": settings.dynamic,
                "spelling_cache": settings.spelling_cache,
                "text_form": settings.text_form,
                "model_hash": settings.model_hash.hex(),
                "model_name": settings.model_name or None,
            }
        descriptions.append(description)
    return descriptions


def _mix(settings: archive.MixSettings) -> dict:
    level = profiles.of_start(settings.start)
    description = {"engine_start": settings.start}
    if settings.model:  # the number is the level
        description = {
            "level": settings.start,
            "model_hash": settings.model.model_hash.hex(),
            "model_name": settings.model.model_name or None,
        }
    elif level:
        description = {"level": level.number} | description
    if settings.words:
        description |= {
            "predictor": settings.words.predictor,
            "dynamic": settings.words.dynamic,
            "words_hash": settings.words.model.model_hash.hex(),
            "words_name": settings.words.model.model_name or None,
        }
    return description
