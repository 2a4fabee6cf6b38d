package io.kcp.examples;

/**
 * Delays and traffic that the demo measured for one KCP preset or for TCP.
 *
 * @param name      the preset and the FEC shape, or TCP
 * @param delays    the delay of each message
 * @param wireBytes the total size, including headers, of all IP packets that both sides sent, lost packets included
 */
record DemoResult(String name, DelaySeries delays, long wireBytes) {

    /** Returns the average bit rate in kilobits per second, summed over both directions. */
    double wireKilobitsPerSecond() {
        return wireBytes * 8 / 1e3 / delays.durationSeconds();
    }
}
