"""Pointing networks: one published architecture per module, and the code that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.models.pointing.bearing import Bearing as Bearing
    from bearleft.models.pointing.concat import Concat as Concat
    from bearleft.models.pointing.concatconv import ConcatConv as ConcatConv
    from bearleft.models.pointing.flops import MultiplyAdds as MultiplyAdds
    from bearleft.models.pointing.flops import multiply_adds as multiply_adds
    from bearleft.models.pointing.levels import LEVELS as LEVELS
    from bearleft.models.pointing.lingunet import LingUNet as LingUNet
    from bearleft.models.pointing.network import Batch as Batch
    from bearleft.models.pointing.network import PointNetwork as PointNetwork
    from bearleft.models.pointing.network import Shape as Shape
    from bearleft.models.pointing.predict import Predictions as Predictions
    from bearleft.models.pointing.predict import predict_batches as predict_batches
    from bearleft.models.pointing.predict import to_traces as to_traces
    from bearleft.models.pointing.registry import NETWORKS as NETWORKS
    from bearleft.models.pointing.registry import build_network as build_network
    from bearleft.models.pointing.registry import network_spec as network_spec
    from bearleft.models.pointing.spec import NetworkSpec as NetworkSpec
    from bearleft.models.pointing.target_maps import TargetMaps as TargetMaps
    from bearleft.models.pointing.text2conv import Text2Conv as Text2Conv
    from bearleft.models.pointing.unet import UNet as UNet

# The module of each public name, imported on first use: most of them import torch.
_MODULES = {
    "Batch": "bearleft.models.pointing.network",
    "Bearing": "bearleft.models.pointing.bearing",
    "Concat": "bearleft.models.pointing.concat",
    "ConcatConv": "bearleft.models.pointing.concatconv",
    "LEVELS": "bearleft.models.pointing.levels",
    "LingUNet": "bearleft.models.pointing.lingunet",
    "MultiplyAdds": "bearleft.models.pointing.flops",
    "NETWORKS": "bearleft.models.pointing.registry",
    "NetworkSpec": "bearleft.models.pointing.spec",
    "PointNetwork": "bearleft.models.pointing.network",
    "Predictions": "bearleft.models.pointing.predict",
    "Shape": "bearleft.models.pointing.network",
    "TargetMaps": "bearleft.models.pointing.target_maps",
    "Text2Conv": "bearleft.models.pointing.text2conv",
    "UNet": "bearleft.models.pointing.unet",
    "build_network": "bearleft.models.pointing.registry",
    "multiply_adds": "bearleft.models.pointing.flops",
    "network_spec": "bearleft.models.pointing.registry",
    "predict_batches": "bearleft.models.pointing.predict",
    "to_traces": "bearleft.models.pointing.predict",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
