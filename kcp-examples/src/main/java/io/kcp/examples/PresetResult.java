package io.kcp.examples;

import io.kcp.core.KcpStats;

/**
 * What one preset made of the transfer.
 *
 * @param variant   the preset, and the parity
 * @param bytes     size of the file
 * @param delays    delay of each chunk
 * @param rttMs     smoothed round trip that the sender saw, the median of it
 * @param sender    counts of the sending side
 * @param wireBytes UDP payload that both sides sent, parity and cipher included
 * @param stallMs   for how long the link stood still at worst because this computer had no time for it
 */
record PresetResult(Variant variant, long bytes, DelaySeries delays, int rttMs, KcpStats sender, long wireBytes,
    long stallMs) {

    double bytesPerSecond() {
        return bytes / delays.durationSeconds();
    }

    /** Of 100 segments that the sender put on the wire, how many were repetitions. */
    double repeatedPercent() {
        return 100.0 * sender.retransmissions() / sender.segmentsOut();
    }

    /** Of 100 segments that the sender put on the wire, how many had arrived before. */
    double needlessPercent() {
        return 100.0 * sender.spuriousRetransmissions() / sender.segmentsOut();
    }

    /** Bytes on the wire in both directions beyond those of the file, in percent of these. */
    double overheadPercent() {
        return 100.0 * (wireBytes - bytes) / bytes;
    }
}
