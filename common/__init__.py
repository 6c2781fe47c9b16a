"""What the lessons in Python share: device (who runs the kernels, what the command line asks for), verify, bench."""
