package io.kcp.examples.arena.web;

/**
 * A session as a line of the table.
 *
 * @param player          the player's name
 * @param room            its room
 * @param rttMs           smoothed round trip
 * @param retransmissions segments sent again so far
 * @param lossPercent     of the last interval: snapshots that did not arrive, of a hundred
 * @param bytesPerSecond  datagrams in both directions
 * @param waiting         segments queued or in flight
 * @param ageSeconds      since it began
 */
record SessionLine(String player, String room, int rttMs, long retransmissions, double lossPercent, long bytesPerSecond, int waiting,
                   long ageSeconds) {
}
