"""What an operator has to know of the database: its seats, its horizon, its line of jobs."""
