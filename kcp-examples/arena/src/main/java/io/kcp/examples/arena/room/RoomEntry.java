package io.kcp.examples.arena.room;

/**
 * One message in the log of a room.
 *
 * @param position where it stands
 * @param user     who said it; any text, if somebody else wrote into the log
 * @param sequence which message of this user in this room it is, from 1
 * @param message  what was said; not to be changed
 */
// Copies for everybody who listens would cost more than they are worth.
@SuppressWarnings("ArrayRecordComponent")
public record RoomEntry(RoomPosition position, String user, long sequence, byte[] message) {
}
