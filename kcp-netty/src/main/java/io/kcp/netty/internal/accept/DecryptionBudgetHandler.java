package io.kcp.netty.internal.accept;

import io.kcp.netty.DropReason;
import io.kcp.netty.internal.admission.FloodLimits;
import io.kcp.netty.internal.admission.SessionLimits;
import io.kcp.netty.internal.admission.SourceRates;
import io.kcp.netty.internal.admission.UndecryptableSessions;
import io.kcp.netty.internal.admission.UndecryptableStrangers;
import io.kcp.netty.internal.channel.DropCounters;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.loop.DecryptionBudget;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.PeerTable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Drops datagrams from unknown addresses before they are decrypted if the event loop has spent too much time on decrypting datagrams from
 * unknown addresses. An unknown address is an address without an open session. The handler precedes {@link CryptoCodec} in the pipeline of
 * a server's socket.
 *
 * <p>An attacker may also forge the address of an open session. Datagrams that cannot be decrypted therefore use a second budget, even if
 * their address is known. When this budget is used up, datagrams from addresses with many such failures are dropped. Because datagrams that
 * are decrypted use none of the second budget, the session of such an address becomes slower only if the flood exceeds the budget. Sessions
 * of other addresses are not affected.
 *
 * <p>While time for decryption is short, two groups of unknown addresses yield to all others: addresses whose datagrams could not be
 * decrypted recently, and addresses whose source exceeds its rate. An attacker may forge the address of a client that has yet to connect,
 * so a tenth of the time is reserved for these groups.
 *
 * <p>While no useless datagrams arrive, the handler looks up no address and reads no clock.
 */
public final class DecryptionBudgetHandler extends ChannelInboundHandlerAdapter {

    private final FloodLimits flood;
    private final SessionLimits limits;
    private final FloodLog log;
    private @Nullable LoopContext loop;
    private @Nullable DropCounters drops;
    private @Nullable PeerTable<?> sessions;
    private @Nullable SourceRates rates;
    private @Nullable UndecryptableSessions failing;
    private final UndecryptableStrangers failed = new UndecryptableStrangers(new SecureRandom());

    public DecryptionBudgetHandler(FloodLimits flood, SessionLimits limits, FloodLog log) {
        this.flood = flood;
        this.limits = limits;
        this.log = log;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        LoopContext loopContext = LoopContext.of(context.channel().eventLoop());
        loop = loopContext;
        failing = new UndecryptableSessions(new SecureRandom(), loopContext.nowNanos());
        drops = DropCounters.of(context.channel());
        if (flood.datagramsPerSecond() > 0) {
            rates = new SourceRates(new SecureRandom(), flood.datagramsPerSecond(), loopContext.nowNanos());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!isMeasuring() || !(message instanceof DatagramPacket packet)) {
            context.fireChannelRead(message);
        } else if (sessions(context).isKnown(packet.sender())) {
            readFromKnown(context, packet);
        } else {
            readFromUnknown(context, packet);
        }
    }

    private boolean isMeasuring() {
        return budget().isMeasuring() || failureBudget().isMeasuring();
    }

    private void readFromKnown(ChannelHandlerContext context, DatagramPacket packet) {
        UndecryptableSessions addresses = failing;
        DropCounters counters = drops;
        assert addresses != null && counters != null;
        InetSocketAddress sender = packet.sender();
        long startNanos = loop().nowNanos();
        if (addresses.isSuspect(sender, startNanos) && !failureBudget().mayDecrypt(startNanos, flood.decryptionPercent())) {
            drop(context, packet, DropReason.DECRYPTION_BUDGET, startNanos);
            return;
        }
        long failures = counters.get(DropReason.DECRYPTION_FAILED);
        context.fireChannelRead(packet);
        if (counters.get(DropReason.DECRYPTION_FAILED) > failures) {
            addresses.onFailure(sender, startNanos);
            failureBudget().onUseless(startNanos);
            failureBudget().charge(loop().nowNanos() - startNanos);
        }
    }

    private void readFromUnknown(ChannelHandlerContext context, DatagramPacket packet) {
        DropCounters counters = drops;
        assert counters != null;
        InetSocketAddress sender = packet.sender();
        long startNanos = loop().nowNanos();
        if (budget().isMeasuring() && !mayDecrypt(sender, startNanos)) {
            drop(context, packet, DropReason.DECRYPTION_BUDGET, startNanos);
            return;
        }
        long failures = counters.get(DropReason.DECRYPTION_FAILED);
        context.fireChannelRead(packet);
        if (counters.get(DropReason.DECRYPTION_FAILED) > failures) {
            failed.add(sender, TimeUnit.NANOSECONDS.toMillis(startNanos));
        }
    }

    /**
     * Returns {@code true} if there is time to decrypt a datagram from an unknown address. An address that has failed leaves more time to
     * others than an address whose source exceeds its rate, because a client may share that source with an attacker.
     */
    private boolean mayDecrypt(InetSocketAddress sender, long nowNanos) {
        boolean hasFailed = failed.contains(sender, TimeUnit.NANOSECONDS.toMillis(nowNanos));
        int quartersToOthers = (hasFailed ? 2 : 0) + (exceedsRate(sender.getAddress(), nowNanos) ? 1 : 0);
        return budget().begin(nowNanos, flood.decryptionPercent(), quartersToOthers);
    }

    private boolean exceedsRate(InetAddress source, long nowNanos) {
        SourceRates perSource = rates;
        return perSource != null && budget().isUsedUp(nowNanos) && !perSource.take(source, nowNanos) && !limits.isTrusted(source);
    }

    private void drop(ChannelHandlerContext context, DatagramPacket packet, DropReason reason, long nowNanos) {
        DropCounters counters = drops;
        assert counters != null;
        counters.count(reason);
        try {
            log.onDrop(reason, context.channel(), packet.sender(), nowNanos);
        } finally {
            packet.release();
        }
    }

    /** Stops measuring decryption times if no useless datagrams have arrived recently. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (isMeasuring()) {
            long nowNanos = loop().nowNanos();
            budget().refill(nowNanos, flood.decryptionPercent());
            failureBudget().refill(nowNanos, flood.decryptionPercent());
        }
        context.fireChannelReadComplete();
    }

    private DecryptionBudget budget() {
        return loop().decryptionBudget();
    }

    private DecryptionBudget failureBudget() {
        return loop().failureBudget();
    }

    private PeerTable<?> sessions(ChannelHandlerContext context) {
        PeerTable<?> table = sessions;
        if (table == null) {
            table = PeerTable.of(context.channel());
            if (table == null) {
                throw new IllegalStateException("DecryptionBudgetHandler requires a KcpHandler in the pipeline of " + context.channel());
            }
            sessions = table;
        }
        return table;
    }

    private LoopContext loop() {
        LoopContext context = loop;
        assert context != null;
        return context;
    }
}
