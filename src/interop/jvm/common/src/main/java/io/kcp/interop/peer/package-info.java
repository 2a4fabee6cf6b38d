/**
 * What the load programs of all JVM libraries share: the command line, the works, what they print. A library takes part with a {@link
 * io.kcp.interop.peer.Protocol} and its {@link io.kcp.interop.peer.Session}.
 */
package io.kcp.interop.peer;
