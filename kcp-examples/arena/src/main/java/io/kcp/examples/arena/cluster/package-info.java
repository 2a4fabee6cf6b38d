/**
 * Several gateways as one arena: what they share is in Redis.
 * {@link io.kcp.examples.arena.cluster.RedisBackplane} keeps it there; it is used with the property {@code arena.backplane=redis}.
 */
@NullMarked
package io.kcp.examples.arena.cluster;

import org.jspecify.annotations.NullMarked;
