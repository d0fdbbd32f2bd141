"""The synthetic city: stages that lay a plan from a seed, and models that make it a scene."""
