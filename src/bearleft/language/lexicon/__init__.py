"""The lexicon: names of objects, colours and numbers, and what each may denote."""
