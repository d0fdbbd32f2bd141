"""Where networks compute."""

from __future__ import annotations

import torch

from bearleft.errors import InputError, shown


def usable(device: str | torch.device) -> torch.device:
    """A device that torch can use here: cpu, cuda, or one of several GPUs as in cuda:1."""
    try:
        found = torch.device(device)
    except RuntimeError as error:
        raise InputError("cpu or cuda", shown(str(device)), "device") from error
    if found.type == "cuda":
        many = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if (found.index or 0) >= many:
            got = f"none for {shown(str(device))}" if not many else f"{shown(str(device))}, while there are {many}"
            hint = "Type: --device cpu. `bearleft doctor` says what torch sees."
            raise InputError("a CUDA GPU that torch can use", got, "device", hint=hint)
    elif found.type not in ("cpu", "mps"):
        raise InputError("cpu or cuda", shown(str(device)), "device")
    return found
