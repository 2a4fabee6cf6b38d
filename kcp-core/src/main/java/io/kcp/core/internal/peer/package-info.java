/**
 * Probes of the peer: whether it is still there, and whether its window is open again.
 */
@NullMarked
package io.kcp.core.internal.peer;

import org.jspecify.annotations.NullMarked;
