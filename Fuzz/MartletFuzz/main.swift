internal import Glibc

exit(fuzz(CommandLine.arguments))
