/**
 * What the gateways of an arena share: the messages of each room, who simulates its world, and where a user is.
 * {@link io.kcp.examples.arena.room.RoomBackplane} says what is asked of it.
 */
@NullMarked
package io.kcp.examples.arena.room;

import org.jspecify.annotations.NullMarked;
