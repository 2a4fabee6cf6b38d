package io.kcp.netty.internal.channel;

import io.kcp.netty.DropReason;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.util.EnumMap;
import java.util.Map;

/** Counts the datagrams that the handlers of one datagram channel drop, by reason. It is used on the event loop of that channel only. */
public final class DropCounters {

    private static final AttributeKey<DropCounters> KEY = AttributeKey.valueOf(DropCounters.class, "DROPS");
    private static final DropReason[] REASONS = DropReason.values();

    private final long[] counts = new long[REASONS.length];

    /** Returns the counters that all handlers of the channel share. */
    public static DropCounters of(Channel channel) {
        DropCounters counters = channel.attr(KEY).get();
        if (counters == null) {
            counters = new DropCounters();
            channel.attr(KEY).set(counters);
        }
        return counters;
    }

    public void count(DropReason reason) {
        counts[reason.ordinal()]++;
    }

    /** Returns the number of datagrams that were dropped for a reason. */
    public long get(DropReason reason) {
        return counts[reason.ordinal()];
    }

    /** Returns a copy of the counts, without reasons that never occurred. */
    public Map<DropReason, Long> snapshot() {
        EnumMap<DropReason, Long> snapshot = new EnumMap<>(DropReason.class);
        for (DropReason reason : REASONS) {
            if (counts[reason.ordinal()] > 0) {
                snapshot.put(reason, counts[reason.ordinal()]);
            }
        }
        return snapshot;
    }
}
