package io.kcp.bench;

import java.util.List;

/**
 * One kind of load, and who is compared.
 *
 * @param name          short, for options and files
 * @param title         for people
 * @param work          what the client does
 * @param clientOptions how much of it, as all peers understand it
 * @param messages      whether writes are messages, else a stream
 * @param layers        cipher and parity
 * @param metrics       what is shown
 * @param contenders    who takes part, ours first
 * @param targets       what is to be reached
 */
record Scenario(String name, String title, LoadClient.Work work, List<String> clientOptions, boolean messages, WireLayers layers,
    List<Metric> metrics, List<Contender> contenders, List<Target> targets) {

    /** The work of the server. */
    String serverWork() {
        return work == LoadClient.Work.SOURCE ? "sink" : "echo";
    }

    /** Whether something is shown that only the sessions themselves know; to ask many of them costs what is measured. */
    boolean wantsStats() {
        return metrics.contains(Metric.GARBAGE_BYTES_DATAGRAM) || metrics.contains(Metric.SPURIOUS);
    }

    /** Size of a write, where that is an option. */
    int writeBytes() {
        int index = clientOptions.indexOf("--write-bytes");
        return index < 0 ? 0 : Integer.parseInt(clientOptions.get(index + 1));
    }
}
