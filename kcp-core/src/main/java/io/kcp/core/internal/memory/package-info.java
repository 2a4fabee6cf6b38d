/**
 * Segments, the collections that store them, and the limit on the memory that the conversations of one thread hold.
 */
@NullMarked
package io.kcp.core.internal.memory;

import org.jspecify.annotations.NullMarked;
