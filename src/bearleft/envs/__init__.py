"""Games of the four goals (reach, point, collect, assemble), and their Gymnasium environments (`gym.py`)."""
