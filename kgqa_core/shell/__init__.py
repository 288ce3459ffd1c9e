"""The commands of the shell, a file each."""
