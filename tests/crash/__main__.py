import sys

from tests.crash.prove import main

sys.exit(main(sys.argv[1:]))
