package io.kcp.tools.linkcheck;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the results of {@link LinkCheck} as lines of text. */
final class LinkCheckReport {

    private static final double ONE_LOSS = 1.05;

    private LinkCheckReport() {
    }

    static List<String> measurements(LinkMeasurement link) {
        List<String> lines = new ArrayList<>();
        lines.add(line("round trip", "shortest %.1f ms, median %.1f ms, 99 %% within %.1f ms", link.shortestRttMs(), link.medianRttMs(),
            link.p99RttMs()));
        lines.add(line("echo of a small message", "median %.1f ms, 99 %% within %.1f ms", link.medianEchoMs(), link.p99EchoMs()));
        lines.add(line("loss", "%s to the server, %s from the server (of %d small messages)%s", LinkAdvice.percent(link.lossToServer()),
            LinkAdvice.percent(link.lossFromServer()), link.messages(), runs(link)));
        lines.add(line("reordering", "%s of the datagrams from the server", LinkAdvice.percent(link.reordered())));
        lines.add(line("rate", "%.1f Mbit/s to the server, %.1f Mbit/s back", link.megabitsToServer(), link.megabitsFromServer()));
        lines.add(line("under load", "round trip: median %.1f ms, 99 %% within %.1f ms; %s retransmitted, %s lost from the server",
            link.loadedMedianRttMs(), link.loadedP99RttMs(), LinkAdvice.percent(link.loadedRetransmitted()),
            LinkAdvice.percent(link.loadedLossFromServer())));
        lines.add(line("largest datagram", link.largestDatagramBytes() == 0 ? "below %d bytes" : "%d bytes",
            link.largestDatagramBytes() == 0 ? LargestDatagram.SIZES.get(0) : link.largestDatagramBytes()));
        return lines;
    }

    private static String runs(LinkMeasurement link) {
        return link.meanLossRun() == 0 ? ""
            : link.meanLossRun() < ONE_LOSS ? "; single datagrams"
            : String.format(Locale.ROOT, "; in runs of %.1f datagrams", link.meanLossRun());
    }

    static List<String> advice(List<LinkAdvice.Advice> all) {
        List<String> lines = new ArrayList<>();
        for (LinkAdvice.Advice advice : all) {
            lines.add(line(advice.use(), "%s", advice.code()));
            advice.reasons().forEach(reason -> lines.add("    " + reason));
        }
        return lines;
    }

    private static String line(String name, String format, Object... values) {
        return String.format(Locale.ROOT, "%-24s" + format, prepend(name, values));
    }

    private static Object[] prepend(String name, Object[] values) {
        Object[] all = new Object[values.length + 1];
        all[0] = name;
        System.arraycopy(values, 0, all, 1, values.length);
        return all;
    }
}
