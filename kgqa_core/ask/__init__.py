"""A run: the verbs a method has, the skills it asks, the events it leaves, the audit at its end."""
