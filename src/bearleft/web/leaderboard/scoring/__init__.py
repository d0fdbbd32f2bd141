"""Scoring of submissions: claims by lease, a confined process for each submission, stored figures."""
