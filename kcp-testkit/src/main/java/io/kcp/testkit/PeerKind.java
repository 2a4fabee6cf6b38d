package io.kcp.testkit;

/** The kind of program that an endpoint of a {@link KcpPair} simulates. */
public enum PeerKind {

    /**
     * A session of {@code kcp-netty}. Its clock has a resolution of one microsecond, it announces itself to its peer, recognizes peers of
     * this library, and sends and reads close notices. Between two such peers, acknowledgements are repeated and bundled.
     */
    THIS_LIBRARY,

    /**
     * Another KCP implementation. Its clock has a resolution of one millisecond, and it neither announces itself nor sends close notices.
     */
    OTHER_KCP
}
