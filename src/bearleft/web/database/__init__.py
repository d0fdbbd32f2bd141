"""The database of the web application: tables, engines for SQLite and PostgreSQL, migrations."""
