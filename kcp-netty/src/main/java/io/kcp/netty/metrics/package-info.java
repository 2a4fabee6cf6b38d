/** What servers did, as meters of Micrometer. Needs {@code micrometer-core}, which is an optional dependency of this library. */
@NullMarked
package io.kcp.netty.metrics;

import org.jspecify.annotations.NullMarked;
