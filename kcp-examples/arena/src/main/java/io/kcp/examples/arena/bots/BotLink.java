package io.kcp.examples.arena.bots;

import io.kcp.core.fec.FecConfig;
import io.kcp.testkit.LinkProfile;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Properties of the simulated network link between bots and gateways.
 *
 * @param servers     gateways or balancers; each session takes a random one
 * @param lossPercent datagram loss in each direction
 * @param delay       delay in each direction, plus a random jitter of up to half as much
 * @param fec         FEC, as the gateways have it; null for none, which also turns off out-of-band messages
 */
public record BotLink(List<InetSocketAddress> servers, double lossPercent, Duration delay, @Nullable FecConfig fec) {

    private static final double PERCENT = 100;
    private static final double NANOS_PER_MS = 1e6;

    /** Checks the values. */
    public BotLink {
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("servers: none (expected: at least one)");
        }
        if (!(lossPercent >= 0 && lossPercent <= 100)) {
            throw new IllegalArgumentException("lossPercent: " + lossPercent + " (expected: 0 to 100)");
        }
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay: " + delay + " (expected: at least 0)");
        }
        servers = List.copyOf(servers);
    }

    /** Returns the properties of the link in one direction. */
    LinkProfile profile() {
        double delayMs = delay.toNanos() / NANOS_PER_MS;
        return LinkProfile.builder().lossProbability(lossPercent / PERCENT).delayMs(delayMs).jitterMs(delayMs / 2, false).build();
    }
}
