package io.kcp.examples.arena.world;

import java.io.IOException;
import java.io.Serial;

/** Bytes that are no saved world. */
public final class WorldFormatException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    WorldFormatException(String message) {
        super(message);
    }

    WorldFormatException(Throwable cause) {
        super("the saved world ends too early, or holds what it cannot", cause);
    }
}
