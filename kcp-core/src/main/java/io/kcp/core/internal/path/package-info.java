/**
 * The maximum size of a datagram on the path to the peer: the search for a larger MTU, and the way back to a smaller one.
 */
@NullMarked
package io.kcp.core.internal.path;

import org.jspecify.annotations.NullMarked;
