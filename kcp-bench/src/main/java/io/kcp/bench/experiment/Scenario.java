package io.kcp.bench.experiment;

import java.util.List;
import java.util.Locale;

/**
 * One kind of load, and the contenders that are compared under it.
 *
 * @param name          short name for options and files
 * @param clientOptions options of the workload that all peers support
 * @param messages      {@code true} if each write is a message, {@code false} for a stream
 * @param metrics       the metrics of the table
 * @param contenders    the contenders, starting with this library
 * @param pinned        whether the server and the client run on different processors, as {@link Pinning} describes
 */
record Scenario(String name, String title, Work work, List<String> clientOptions, boolean messages, Layers layers,
    List<Metric> metrics, List<Contender> contenders, List<Target> targets, boolean pinned) {

    /** Workloads, as the option {@code --work} of the client names them. */
    enum Work {
        SOURCE, ECHO, PINGPONG, FLEET, CHURN, IDLE, PACKETS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Creates a scenario without encryption or FEC. Bulk transfers and packets use stream mode, and other workloads use message mode. */
    Scenario(String name, String title, Work work, List<String> clientOptions, List<Metric> metrics, List<Contender> contenders,
        Target... targets) {
        this(name, title, work, clientOptions, work != Work.SOURCE && work != Work.ECHO && work != Work.PACKETS, Layers.NONE,
            metrics, contenders, List.of(targets), false);
    }

    Scenario withMessages() {
        return new Scenario(name, title, work, clientOptions, true, layers, metrics, contenders, targets, pinned);
    }

    Scenario withLayers(Layers changed) {
        return new Scenario(name, title, work, clientOptions, messages, changed, metrics, contenders, targets, pinned);
    }

    /** Returns a copy of this scenario in which the server and the client run on different processors. */
    Scenario withPinning() {
        return new Scenario(name, title, work, clientOptions, messages, layers, metrics, contenders, targets, true);
    }

    String serverWork() {
        return switch (work) {
            case SOURCE -> "sink";
            case PACKETS -> "packets";
            default -> "echo";
        };
    }

    /** Returns {@code true} if the peer supports the workload and the layers. */
    boolean suits(Peer peer) {
        return peer.hasLayers() || layers.equals(Layers.NONE);
    }

    /**
     * Returns {@code true} if the metrics require session statistics. The statistics are collected only in this case, because collecting
     * them from many sessions would distort the measurement.
     */
    boolean needsStats() {
        return metrics.contains(Metric.GARBAGE_BYTES_DATAGRAM) || metrics.contains(Metric.SPURIOUS);
    }

    /** Returns the size of one write, or 0 if the workload has no such option. */
    int writeBytes() {
        int index = clientOptions.indexOf("--write-bytes");
        return index < 0 ? 0 : Integer.parseInt(clientOptions.get(index + 1));
    }
}
