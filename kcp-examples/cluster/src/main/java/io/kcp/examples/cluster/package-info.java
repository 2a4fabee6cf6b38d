/**
 * Example of a game server that runs in several processes. {@link io.kcp.examples.cluster.SharedRoom} is a room of
 * {@code kcp-examples/arena} that stores its messages, world and leadership in Redis. Players of one room may therefore use different
 * gateways, and may change gateways without losing a message.
 */
@NullMarked
package io.kcp.examples.cluster;

import org.jspecify.annotations.NullMarked;
