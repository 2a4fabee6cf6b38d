package io.kcp.examples;

import io.kcp.core.KcpStats;

/**
 * What one preset made of the transfer.
 *
 * @param preset        the preset
 * @param bytes         size of the file
 * @param delays        delay of each chunk
 * @param smoothedRttMs round trip that the sender saw
 * @param sender        counts of the sending side
 * @param receiver      counts of the receiving side
 */
record PresetResult(Preset preset, long bytes, DelaySeries delays, int smoothedRttMs, KcpStats sender, KcpStats receiver) {

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
        return 100.0 * (sender.wireBytesOut() + receiver.wireBytesOut() - bytes) / bytes;
    }
}
