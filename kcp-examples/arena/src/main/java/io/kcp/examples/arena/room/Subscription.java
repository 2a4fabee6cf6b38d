package io.kcp.examples.arena.room;

/** Listening that can be ended. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {

    /** Ends it: the listener is told nothing more, save what is being told at this moment. From any thread, and again for nothing. */
    @Override
    void close();
}
