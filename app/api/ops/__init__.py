"""The operator's page: who works, what waits, what failed, and how the database fares."""
