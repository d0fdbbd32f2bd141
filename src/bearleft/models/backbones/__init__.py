"""Backbones: images in, feature maps out."""
