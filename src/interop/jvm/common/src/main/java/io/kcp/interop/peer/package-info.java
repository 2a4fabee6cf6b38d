/**
 * Command line, scenarios and output that all JVM load programs share. Each program adds a {@link io.kcp.interop.peer.Protocol} and a
 * {@link io.kcp.interop.peer.Session} for its library.
 */
package io.kcp.interop.peer;
