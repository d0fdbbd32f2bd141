"""The queue of work: units with slots, leases, events and answers."""
