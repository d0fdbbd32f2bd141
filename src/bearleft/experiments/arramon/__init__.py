"""Tables and figures of the ArraMon paper."""
