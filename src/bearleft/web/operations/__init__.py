"""What a server needs besides its pages: backups, migrations, processes, limits, health, metrics and logs."""
