"""The synthetic city: stages that build a plan from a seed, and models that turn the plan into a scene."""
