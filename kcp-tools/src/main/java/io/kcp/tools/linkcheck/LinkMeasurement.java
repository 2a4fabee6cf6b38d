package io.kcp.tools.linkcheck;

/**
 * The properties of a link, as measured by {@link LinkCheck}. Shares are between 0 and 1, and times are in milliseconds.
 *
 * @param shortestRttMs       shortest round trip of a datagram
 * @param medianRttMs         median round trip without load
 * @param p99RttMs            99th percentile of the round trips without load
 * @param medianEchoMs        median time until the echo of a small message was delivered
 * @param p99EchoMs           99th percentile of the time until the echo of a small message was delivered
 * @param lossToServer        share of the datagrams to the server that were lost without load
 * @param lossFromServer      share of the datagrams from the server that were lost without load
 * @param messages            number of messages from which the loss without load was determined
 * @param meanLossRun         mean number of consecutive datagrams from the server that were lost, 0 if none was lost
 * @param reordered           share of the datagrams from the server that arrived after a later one
 * @param megabitsToServer    payload that the server acknowledged under load, in Mbit/s
 * @param megabitsFromServer  payload that the server returned under load, in Mbit/s
 * @param loadedMedianRttMs   median round trip under load
 * @param loadedP99RttMs      99th percentile of the round trips under load
 * @param loadedRetransmitted share of the segments that had to be retransmitted under load
 * @param loadedLossFromServer share of the datagrams from the server that were lost under load
 * @param waitingSegments     segments that were queued or in flight under load, on average
 * @param ownWindow           largest receive window that was announced to the server, in segments
 * @param unacknowledgedBytes most bytes that were queued or in flight
 * @param serverWindow        receive window of the server in segments
 * @param largestDatagramBytes largest UDP payload that the server acknowledged, 0 if none of the tested sizes
 */
record LinkMeasurement(
    double shortestRttMs,
    double medianRttMs,
    double p99RttMs,
    double medianEchoMs,
    double p99EchoMs,
    double lossToServer,
    double lossFromServer,
    long messages,
    double meanLossRun,
    double reordered,
    double megabitsToServer,
    double megabitsFromServer,
    double loadedMedianRttMs,
    double loadedP99RttMs,
    double loadedRetransmitted,
    double loadedLossFromServer,
    int waitingSegments,
    int ownWindow,
    long unacknowledgedBytes,
    int serverWindow,
    int largestDatagramBytes) {

    /**
     * Returns the loss without load in the direction that loses more. A link does not lose less under load. A lower loss under load is
     * therefore used instead, because it was measured with many more datagrams.
     */
    double loss() {
        return Math.max(Math.min(lossToServer, loadedRetransmitted), Math.min(lossFromServer, loadedLossFromServer));
    }
}
