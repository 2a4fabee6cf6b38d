/** The load programs of TCP, QUIC and UDP. */
package io.kcp.interop.plain;
