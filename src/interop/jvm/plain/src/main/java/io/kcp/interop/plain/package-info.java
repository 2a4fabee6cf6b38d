/** Load programs of TCP, QUIC and plain UDP. */
@NullMarked
package io.kcp.interop.plain;

import org.jspecify.annotations.NullMarked;
