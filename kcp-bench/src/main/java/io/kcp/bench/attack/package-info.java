/** Generates hostile traffic against a server on this machine. No datagram leaves the machine, and each attack stops after a fixed time. */
@NullMarked
package io.kcp.bench.attack;

import org.jspecify.annotations.NullMarked;
