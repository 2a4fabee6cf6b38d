package io.kcp.examples;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs all players of one KCP preset in the demo. */
final class KcpRun implements DemoRun {

    private final Variant variant;
    private final DemoTraffic traffic;
    private final List<KcpPlayer> players = new ArrayList<>();

    /** Connects all players. The losses of each player are determined by the seed and the player's number. */
    KcpRun(EventLoopGroup group, Variant variant, KcpConfig config, @Nullable CryptoConfig crypto, LinkConditions conditions, long seed,
        DemoTraffic traffic) throws InterruptedException {
        this.variant = variant;
        this.traffic = traffic;
        try {
            for (int i = 0; i < traffic.players(); i++) {
                players.add(new KcpPlayer(group, variant, config, crypto, conditions, seed + i, traffic));
            }
        } catch (Throwable failed) {
            close();
            throw failed;
        }
    }

    @Override
    public void begin(long atNanos) {
        for (int i = 0; i < players.size(); i++) {
            players.get(i).begin(atNanos + traffic.beginNanos(i));
        }
    }

    @Override
    public String name() {
        return variant.toString();
    }

    @Override
    public String shortName() {
        return variant.preset() + (variant.fec() == null ? "" : "+FEC");
    }

    @Override
    public List<DelayRecorder> recorders() {
        return players.stream().map(KcpPlayer::recorder).toList();
    }

    @Override
    public void check() throws IOException {
        for (KcpPlayer player : players) {
            player.check();
        }
    }

    @Override
    public long wireBytes() throws InterruptedException {
        long sum = 0;
        for (KcpPlayer player : players) {
            sum += player.wireBytes();
        }
        return sum;
    }

    @Override
    public long longestStallMs() {
        return players.stream().mapToLong(KcpPlayer::longestStallMs).max().orElse(0);
    }

    @Override
    public void close() {
        players.forEach(KcpPlayer::close);
    }
}
