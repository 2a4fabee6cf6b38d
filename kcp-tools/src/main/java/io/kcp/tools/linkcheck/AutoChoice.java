package io.kcp.tools.linkcheck;

import io.kcp.core.KcpConfig;
import io.kcp.core.Redundancy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Describes what {@link KcpConfig#auto()} chooses on a measured link, and why. The values that do not depend on the link are read from the
 * preset.
 */
final class AutoChoice {

    /** Payload of a segment with the default MTU. */
    private static final int SEGMENT_BYTES = 1_376;
    /** Largest UDP payload of an unfragmented datagram over IPv4 and Ethernet. */
    private static final int ETHERNET_PAYLOAD_BYTES = 1_472;
    private static final double MIB = 1 << 20;

    private final LinkMeasurement link;
    private final KcpConfig config = KcpConfig.auto();

    AutoChoice(LinkMeasurement link) {
        this.link = link;
    }

    /** Returns the choices. The settings of the first one are the code to use on this link. */
    List<LinkAdvice.Advice> all() {
        return List.of(preset(), congestionControl(), windows(), redundancy(), parity(), mtu());
    }

    /** Returns the preset, with the changes that this link suggests. */
    private LinkAdvice.Advice preset() {
        StringBuilder changes = new StringBuilder();
        List<String> reasons = new ArrayList<>();
        if (config.redundancy() == Redundancy.ON && link.loss() < LinkAdvice.SOME_LOSS) {
            changes.append(".redundancy(Redundancy.ADAPTIVE)");
            reasons.add("ADAPTIVE: saves the bytes of copies while hardly anything is lost");
        }
        if (isMtuTooLarge()) {
            changes.append(".mtuBytes(").append(link.largestDatagramBytes()).append(')');
            reasons.add("mtuBytes: with the preset alone, the first large datagrams are lost before the MTU is reduced");
        }
        int limit = Math.min(link.largestDatagramBytes(), ETHERNET_PAYLOAD_BYTES);
        if (config.mtuSearchLimitBytes() == 0 && limit > config.mtuBytes()) {
            reasons.add("for bulk data, mtuSearchLimitBytes(" + limit + ") permits larger datagrams");
        }
        String code = "KcpConfig.auto()" + (changes.isEmpty() ? "" : ".toBuilder()" + changes + ".build()");
        return new LinkAdvice.Advice("settings", code, reasons);
    }

    private LinkAdvice.Advice congestionControl() {
        List<String> reasons = new ArrayList<>();
        reasons.add(String.format(Locale.ROOT, "sends %.1f Mbit/s, the rate that this link delivered", link.megabitsToServer()));
        reasons.add(link.loss() < LinkAdvice.NO_LOSS ? "no loss without load"
            : LinkAdvice.percent(link.loss()) + " are lost without load, which does not reduce the rate");
        reasons.add(String.format(Locale.ROOT, "queue under load: the median round trip grew from %.0f to %.0f ms", link.medianRttMs(),
            link.loadedMedianRttMs()));
        return new LinkAdvice.Advice("congestion control", config.congestionControl().toString(), reasons);
    }

    private LinkAdvice.Advice windows() {
        double product = link.megabitsToServer() * 1e6 / 8 * link.shortestRttMs() / 1e3 / SEGMENT_BYTES;
        List<String> reasons = new ArrayList<>();
        reasons.add(String.format(Locale.ROOT, "send: from %d segments; the link holds %.1f Mbit/s × %.0f ms = %.0f segments",
            config.sendWindow(), link.megabitsToServer(), link.shortestRttMs(), product));
        reasons.add(String.format(Locale.ROOT,
            "receive: from %d segments, up to four times as many as the application reads per round trip", config.receiveWindow()));
        reasons.add(String.format(Locale.ROOT, "memory: at most %.1f MiB of unacknowledged data; the budget of a session is %.0f MiB",
            link.unacknowledgedBytes() / MIB, config.windowBudgetBytes() / MIB));
        if (new LinkAdvice(link).isLimitedByServerWindow()) {
            reasons.add("the receive window of the server, " + link.serverWindow() + " segments, limited the rate");
        }
        return new LinkAdvice.Advice("windows",
            String.format(Locale.ROOT, "%d segments to send, %d to receive", link.waitingSegments(), link.ownWindow()), reasons);
    }

    private LinkAdvice.Advice redundancy() {
        String loss = LinkAdvice.percent(link.loss()) + " of the datagrams are lost";
        String reason = switch (config.redundancy()) {
            case ON -> loss + "; the next datagrams contain copies of small messages";
            case ADAPTIVE -> loss + "; copies are sent while more than 1 % is lost";
            case OFF -> loss + "; lost messages are retransmitted";
        };
        return new LinkAdvice.Advice("redundancy", config.redundancy().toString(), List.of(reason));
    }

    private LinkAdvice.Advice parity() {
        boolean useful = !new LinkAdvice(link).fec().code().equals("none");
        return new LinkAdvice.Advice("parity", "none", List.of(useful
            ? "KcpConfig.auto() sends no parity; on this link, the FEC below recovers large messages without a retransmission"
            : "parity does not help on this link, for the reason below"));
    }

    private LinkAdvice.Advice mtu() {
        int mtu = config.mtuBytes();
        if (isMtuTooLarge()) {
            return new LinkAdvice.Advice("MTU", mtu + " bytes, then " + KcpConfig.FALLBACK_MTU_BYTES, List.of(
                "datagrams above " + link.largestDatagramBytes() + " bytes do not reach the server"));
        }
        if (config.mtuSearchLimitBytes() > mtu) {
            int found = Math.max(mtu, Math.min(config.mtuSearchLimitBytes(), link.largestDatagramBytes()));
            return new LinkAdvice.Advice("MTU", found + " bytes", List.of("probes search for the MTU from " + mtu + " up to "
                + config.mtuSearchLimitBytes() + " bytes"));
        }
        return new LinkAdvice.Advice("MTU", mtu + " bytes", List.of(
            "datagrams of " + link.largestDatagramBytes() + " bytes reach the server"));
    }

    private boolean isMtuTooLarge() {
        return link.largestDatagramBytes() > 0 && link.largestDatagramBytes() < config.mtuBytes();
    }

    /** Returns the choices in one line, for the picture. */
    String summary() {
        return String.format(Locale.ROOT,
            "KcpConfig.auto(): %s at %.1f Mbit/s, windows of %d and %d segments, redundancy %s, no parity, MTU %s",
            config.congestionControl(), link.megabitsToServer(), link.waitingSegments(), link.ownWindow(), config.redundancy(),
            mtu().code());
    }
}
