/**
 * Several gateways as one arena. {@link io.kcp.examples.cluster.SharedRoom} is a room of {@code kcp-examples/arena} whose messages, world
 * and leadership are in Redis, so players of one room may be at different gateways and change gateways without losing a message.
 */
@NullMarked
package io.kcp.examples.cluster;

import org.jspecify.annotations.NullMarked;
