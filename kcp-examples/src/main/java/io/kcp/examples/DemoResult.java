package io.kcp.examples;

/**
 * What one contender of the demo made of the link.
 *
 * @param name      preset and parity, or TCP
 * @param delays    delay of each message
 * @param wireBytes IP packets that both sides sent, lost ones and headers included
 */
record DemoResult(String name, DelaySeries delays, long wireBytes) {

    /** Returns the traffic of both directions on the wire. */
    double wireKilobitsPerSecond() {
        return wireBytes * 8 / 1e3 / delays.durationSeconds();
    }
}
