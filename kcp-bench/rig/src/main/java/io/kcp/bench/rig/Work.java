package io.kcp.bench.rig;

/** Values of the {@code --work} option. A server runs some of them, and a client runs all except {@link #SINK}. */
public enum Work {

    /** The server counts received bytes. */
    SINK,
    /** Each session writes as fast as the library accepts data. */
    SOURCE,
    /** The server returns all data. The client writes like {@link #SOURCE}, with a limit of bytes in flight. */
    ECHO,
    /** Each session sends one message and waits for its echo before it sends the next one. */
    PINGPONG,
    /** Many sessions send messages at a fixed rate, and the client measures the delay of the echoes. */
    FLEET,
    /** Sessions send messages at a fixed rate, and the server measures the delay of delivery. */
    DELAY,
    /** The client opens sessions on command. */
    IDLE,
    /** The client opens sessions, and closes each after one round trip. */
    CHURN,
    /** Each session sends packets of random size, and waits for the echo of each packet. */
    PACKETS;

    private static final int BLOCK_BYTES = 16_384;
    private static final int DELAY_BYTES = 200;
    private static final int MESSAGE_BYTES = 64;

    boolean isOfServers() {
        return this == SINK || this == ECHO || this == DELAY || this == PACKETS;
    }

    boolean isOfClients() {
        return this != SINK;
    }

    int defaultWriteBytes() {
        return switch (this) {
            case SINK, SOURCE, ECHO -> BLOCK_BYTES;
            case DELAY -> DELAY_BYTES;
            default -> MESSAGE_BYTES;
        };
    }
}
