package io.kcp.examples.arena.room;

import io.netty.util.concurrent.EventExecutor;

/** Creates rooms. A bean of this type replaces the default, {@code Room::new}. */
@FunctionalInterface
public interface RoomFactory {

    /**
     * Creates a room.
     *
     * @param name     the name
     * @param rooms    the rooms of the gateway
     * @param executor the thread that the room runs on
     * @return a room that is not open yet
     */
    Room create(String name, Rooms rooms, EventExecutor executor);
}
