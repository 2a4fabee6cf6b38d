package io.kcp.examples.arena.cluster;

/** How things are called in Redis. What belongs to one room is in one slot of a Redis cluster: the braces see to that. */
final class RoomKeys {

    private static final String PREFIX = "arena:";

    private RoomKeys() {
    }

    static String log(String room) {
        return ofRoom(room, "log");
    }

    static String head(String room) {
        return ofRoom(room, "head");
    }

    static String sent(String room, String user) {
        return ofRoom(room, "sent:" + user);
    }

    static String entered(String room, String user) {
        return ofRoom(room, "entered:" + user);
    }

    static String leader(String room) {
        return ofRoom(room, "leader");
    }

    static String world(String room) {
        return ofRoom(room, "world");
    }

    static String inputs(String room) {
        return ofRoom(room, "inputs");
    }

    static String snapshots(String room) {
        return ofRoom(room, "snapshots");
    }

    static String gatewayOf(String user) {
        return PREFIX + "gateway:" + user;
    }

    static String tokenOf(String user) {
        return PREFIX + "token:" + user;
    }

    static String wake(String reader) {
        return PREFIX + "wake:" + reader;
    }

    private static String ofRoom(String room, String what) {
        return PREFIX + '{' + room + "}:" + what;
    }
}
