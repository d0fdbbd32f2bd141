"""Feature maps of panoramas: computed on demand, cached on the device, or stored on disk."""
