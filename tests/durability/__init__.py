"""Nothing lost and nothing doubled: real processes, killed, restarted, and out of disk."""
