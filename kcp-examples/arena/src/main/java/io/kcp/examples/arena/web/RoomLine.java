package io.kcp.examples.arena.web;

/**
 * A room as an entry of a list.
 *
 * @param name    its name
 * @param players players of this gateway
 * @param leads   whether this gateway simulates it
 */
record RoomLine(String name, int players, boolean leads) {
}
