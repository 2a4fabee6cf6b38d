package io.kcp.bench.rig;

import java.io.InputStream;
import java.io.PrintStream;

/** Standard input, from which a load program reads commands, and standard output, to which it prints events. */
record Console(InputStream in, PrintStream out) {
}
