"""Models in formats of other programs."""

from semirank.exports.onnx import export_onnx

__all__ = ["export_onnx"]
