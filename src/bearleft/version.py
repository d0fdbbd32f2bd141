"""The one place that says which release this is."""

VERSION = "0.1.0"
# Version of the generators of texts, which the manifests of generated datasets name. 2: writers with habits and fitted
# weights, attributes in noun phrases. Manifests without a version are of 1.
TEXT_GENERATOR = 2
