"""Knowledge graphs: one protocol, several sources, one conformance suite."""
