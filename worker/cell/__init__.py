"""The sandbox around one conversion, seen from inside the forked child."""
