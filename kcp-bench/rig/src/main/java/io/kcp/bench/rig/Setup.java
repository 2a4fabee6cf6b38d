package io.kcp.bench.rig;

/**
 * The part of the command line that a library must know, and the objects to which it reports.
 *
 * @param server      {@code true} for a server, {@code false} for a client
 * @param host        address on which the server listens and to which the client connects
 * @param threads     number of event loops
 * @param writeBytes  size of one write
 * @param meter       counts transferred data of sessions that do not use a {@link SessionListener} of the rig
 * @param termination is notified if a session fails that has no {@link SessionListener}
 */
public record Setup(boolean server, Work work, String host, int threads, int writeBytes, LoadMeter meter, Termination termination) {

    /** Maximum size of a write that counts as a message. Longer writes are bulk data. */
    private static final int MAX_MESSAGE_BYTES = 1_024;

    /** Returns {@code true} if the writes of the client are messages whose boundaries the protocol must preserve. */
    public boolean isMessages() {
        return writeBytes <= MAX_MESSAGE_BYTES;
    }
}
