package io.kcp.examples.arena.server;

/**
 * Who plays by a session, and what it gets.
 *
 * @param name            the player's name
 * @param room            its room
 * @param snapshotsToSee  snapshots that had been sent when it said last how many it had seen
 * @param snapshotsSeen   how many it had seen then
 */
public record SessionFigures(String name, String room, int snapshotsToSee, int snapshotsSeen) {
}
