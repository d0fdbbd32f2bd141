"""Inputs, agents and environments that do harm: each ends in an InputError or in the usual bytes."""
