"""HTTP: what requests and responses carry, who may send them, how they are refused, and the routes for programs."""
