"""Source languages to IR. A front end registers in the entry-point group `ebb.frontends`."""
