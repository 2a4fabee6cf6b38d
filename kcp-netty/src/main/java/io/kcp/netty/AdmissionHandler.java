package io.kcp.netty;

import io.kcp.netty.admission.FailedSources;
import io.kcp.netty.admission.FailingAddresses;
import io.kcp.netty.admission.FloodLimits;
import io.kcp.netty.admission.ServerLoad;
import io.kcp.netty.admission.SessionLimits;
import io.kcp.netty.admission.SourceRates;
import io.kcp.netty.loop.DecryptionBudget;
import io.kcp.netty.loop.LoopContext;
import io.kcp.netty.session.PeerTable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Drops datagrams from unknown addresses before they are decrypted if their source exceeds its rate while the server is under load, or if
 * the event loop has spent too much time on decrypting datagrams from unknown addresses. An unknown address is an address without an open
 * session. The handler precedes {@link CryptoCodec} in the pipeline of a server's socket.
 *
 * <p>An attacker may also forge the address of an open session. Datagrams that cannot be decrypted therefore use a second budget, even if
 * their address is known. When this budget is used up, datagrams from addresses with many such failures are dropped. Because datagrams that
 * are decrypted use none of the second budget, the session of such an address becomes slower only if the flood exceeds the budget. Sessions
 * of other addresses are not affected.
 *
 * <p>While time for decryption is short, unknown addresses whose datagrams could not be decrypted recently yield to other unknown
 * addresses.
 *
 * <p>While the server is not under load and no useless datagrams arrive, the handler looks up no address and reads no clock.
 */
final class AdmissionHandler extends ChannelInboundHandlerAdapter {

    private final ServerLoad load;
    private final FloodLimits flood;
    private final SessionLimits limits;
    private final boolean measuresDecryption;
    private final FloodLog log;
    private @Nullable LoopContext loop;
    private @Nullable DropCounters drops;
    private @Nullable PeerTable<?> sessions;
    private @Nullable SourceRates rates;
    private @Nullable FailingAddresses failing;
    private final FailedSources failed = new FailedSources(new SecureRandom());

    AdmissionHandler(ServerLoad load, FloodLimits flood, SessionLimits limits, boolean hasCipher, FloodLog log) {
        this.load = load;
        this.flood = flood;
        this.limits = limits;
        measuresDecryption = hasCipher && flood.decryptionPercent() < FloodLimits.WHOLE_TIME_PERCENT;
        this.log = log;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        LoopContext loopContext = LoopContext.of(context.channel().eventLoop());
        loop = loopContext;
        failing = new FailingAddresses(new SecureRandom(), loopContext.nowNanos());
        drops = DropCounters.of(context.channel());
        if (flood.datagramsPerSecond() > 0) {
            rates = new SourceRates(new SecureRandom(), flood.datagramsPerSecond(), loopContext.nowNanos());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if ((load.mayBeHigh() || isMeasuring()) && message instanceof DatagramPacket packet) {
            boolean known = sessions(context).isKnown(packet.sender());
            if (known && isMeasuring()) {
                readFromKnown(context, packet);
                return;
            }
            if (!known) {
                readFromUnknown(context, packet);
                return;
            }
        }
        context.fireChannelRead(message);
    }

    private boolean isMeasuring() {
        return measuresDecryption && (budget().isMeasuring() || failureBudget().isMeasuring());
    }

    private void readFromKnown(ChannelHandlerContext context, DatagramPacket packet) {
        FailingAddresses addresses = failing;
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
        DropReason refusal = refusal(sender, startNanos);
        if (refusal != null) {
            drop(context, packet, refusal, startNanos);
            return;
        }
        long failures = counters.get(DropReason.DECRYPTION_FAILED);
        context.fireChannelRead(packet);
        if (counters.get(DropReason.DECRYPTION_FAILED) > failures) {
            failed.add(sender, TimeUnit.NANOSECONDS.toMillis(startNanos));
        }
    }

    private @Nullable DropReason refusal(InetSocketAddress sender, long nowNanos) {
        SourceRates perSource = rates;
        boolean measuring = measuresDecryption && budget().isMeasuring();
        long nowMs = TimeUnit.NANOSECONDS.toMillis(nowNanos);
        boolean underLoad = load.isHigh(nowMs) || measuring && budget().isUsedUp(nowNanos);
        if (perSource != null && underLoad && !perSource.take(sender.getAddress(), nowNanos) && !limits.isTrusted(sender.getAddress())) {
            return DropReason.SOURCE_RATE;
        }
        return measuring && !mayDecrypt(sender, nowNanos, nowMs) ? DropReason.DECRYPTION_BUDGET : null;
    }

    /**
     * Returns {@code true} if there is time to decrypt a datagram from an unknown address. Addresses whose datagrams could not be decrypted
     * yield to others, so that a client does not have to compete with a flood from a limited number of forged addresses.
     */
    private boolean mayDecrypt(InetSocketAddress sender, long nowNanos, long nowMs) {
        if (!failed.contains(sender, nowMs)) {
            return budget().begin(nowNanos, flood.decryptionPercent());
        }
        boolean permitted = budget().beginAfterFailure(nowNanos, flood.decryptionPercent());
        if (!permitted) {
            failed.add(sender, nowMs);
        }
        return permitted;
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
                throw new IllegalStateException("AdmissionHandler requires a KcpHandler in the pipeline of " + context.channel());
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
