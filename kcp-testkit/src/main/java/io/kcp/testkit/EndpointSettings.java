package io.kcp.testkit;

import io.kcp.core.KcpConfig;

/**
 * The initial state of one endpoint of a {@link KcpPair}.
 *
 * @param config         the configuration of the conversation
 * @param conv           the conversation id
 * @param clockMs        the clock of the endpoint at the start of the simulation, in milliseconds
 * @param timestampBase  the value that the conversation adds to its clock in the field {@code ts}
 * @param firstSendSn    the number of the first segment that the endpoint sends
 * @param firstReceiveSn the number of the first segment that the endpoint receives
 * @param overheadBytes  the number of bytes reserved in front of each datagram for lower layers
 * @param limited        {@code true} to limit the bytes that the conversation sends before its peer is validated
 * @param layers         the FEC and the cipher between the conversation and the link
 * @param seed           the seed of the nonces of the cipher, of the MTU probes and of the token of the session
 * @param kind           the kind of program that the endpoint simulates
 */
record EndpointSettings(KcpConfig config, int conv, int clockMs, int timestampBase, int firstSendSn, int firstReceiveSn,
    int overheadBytes, boolean limited, LayerSettings layers, long seed, PeerKind kind) {

    boolean isThisLibrary() {
        return kind == PeerKind.THIS_LIBRARY;
    }

    /** Returns the value of the {@code ts} field of segments at the start of the simulation. */
    int timestampStart() {
        return clockMs + timestampBase;
    }
}
