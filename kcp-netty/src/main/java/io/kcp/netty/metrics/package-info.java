/** Micrometer meters for KCP servers. Requires {@code micrometer-core}, which is an optional dependency of this library. */
@NullMarked
package io.kcp.netty.metrics;

import org.jspecify.annotations.NullMarked;
