/**
 * Load programs that are the same for every library and protocol: command line, workloads, measurements and output. The load program of a
 * library is a {@link io.kcp.bench.rig.Product}, which adds the library's options, and its {@link io.kcp.bench.rig.Protocol}, which opens
 * sessions.
 *
 * <p>This module is compiled against the oldest version of Netty that one of the libraries needs.
 */
@NullMarked
package io.kcp.bench.rig;

import org.jspecify.annotations.NullMarked;
