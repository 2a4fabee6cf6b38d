package io.kcp.core;

/**
 * How one side of a {@link KcpPair} starts.
 *
 * @param config        its settings
 * @param conv          the conversation id
 * @param clockMs       what its clock shows at the start of the run, in milliseconds
 * @param timestampBase see {@link Kcp}
 * @param firstSendSn   number of its first segment
 * @param firstReceiveSn number of its peer's first segment
 * @param overheadBytes what layers below would add to each datagram
 */
record EndpointSettings(KcpConfig config, int conv, int clockMs, int timestampBase, int firstSendSn, int firstReceiveSn,
    int overheadBytes) {

    /** What {@code ts} shows at the start of the run. */
    int timestampStart() {
        return clockMs + timestampBase;
    }
}
