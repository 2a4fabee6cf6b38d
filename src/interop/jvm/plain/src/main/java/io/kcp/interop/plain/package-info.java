/** Load programs of TCP, QUIC and plain UDP. */
package io.kcp.interop.plain;
