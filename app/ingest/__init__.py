"""The body of a request becomes a durable file in `incoming`, or leaves no trace."""
