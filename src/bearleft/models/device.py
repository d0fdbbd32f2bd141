"""Checks of torch devices."""

from __future__ import annotations

import torch

from bearleft.errors import InputError, format_value


def check_torch_device(device: str | torch.device) -> torch.device:
    """Return a device that torch can use here: cpu, cuda, or one of several GPUs as in cuda:1.

    Raises:
        InputError: The name is unknown, or there is no such GPU.
    """
    try:
        checked = torch.device(device)
    except RuntimeError as error:
        raise InputError("cpu or cuda", format_value(str(device)), "device") from error
    if checked.type == "cuda":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if (checked.index or 0) >= count:
            got = (
                f"none for {format_value(str(device))}"
                if not count
                else f"{format_value(str(device))}, while there are {count}"
            )
            hint = "Type: --device cpu. `bearleft doctor` lists the GPUs that torch can use."
            raise InputError("a CUDA GPU that torch can use", got, "device", hint=hint)
    elif checked.type not in ("cpu", "mps"):
        raise InputError("cpu or cuda", format_value(str(device)), "device")
    return checked
