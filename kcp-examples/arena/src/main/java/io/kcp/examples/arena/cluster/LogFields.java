package io.kcp.examples.arena.cluster;

import io.kcp.examples.arena.room.RoomEntry;
import io.kcp.examples.arena.room.RoomPosition;
import io.lettuce.core.StreamMessage;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** An entry of a log as Redis has it; {@code publish.lua} writes it. */
final class LogFields {

    private static final byte[] EMPTY = {};

    private LogFields() {
    }

    /** Reads an entry. What somebody else wrote there becomes an entry of nobody, so that the reading goes on. */
    static RoomEntry entry(StreamMessage<String, byte[]> message) {
        Map<String, byte[]> body = message.getBody();
        return new RoomEntry(RoomPosition.parse(message.getId()), text(body.getOrDefault("user", EMPTY)),
            number(body.getOrDefault("sequence", EMPTY)), body.getOrDefault("message", EMPTY));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static long number(byte[] digits) {
        try {
            return Long.parseLong(text(digits));
        } catch (NumberFormatException foreign) {
            return 0;
        }
    }
}
