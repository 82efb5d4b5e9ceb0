"""The catalogue: models, devices and measurements, each value with its source. Nothing here imports SymPy."""

from aiinfra.catalog.load import device, devices, measurement, measurements, model, models
from aiinfra.catalog.schema import Device, Measurement, Model, Peak, Value

__all__ = ["Device", "Measurement", "Model", "Peak", "Value", "device", "devices", "measurement", "measurements", "model", "models"]
