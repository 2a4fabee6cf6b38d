package io.kcp.examples;

/**
 * Delays and traffic that the demo measured for one KCP preset or for TCP.
 *
 * @param name      the preset and the FEC shape, or TCP
 * @param delays    the delay of each message
 * @param wireBytes the bytes of all IP packets that both sides sent, including lost packets and headers
 */
record DemoResult(String name, DelaySeries delays, long wireBytes) {

    /** Returns the average bit rate of both directions together, in kilobits per second. */
    double wireKilobitsPerSecond() {
        return wireBytes * 8 / 1e3 / delays.durationSeconds();
    }
}
