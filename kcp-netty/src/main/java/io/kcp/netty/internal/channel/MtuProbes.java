package io.kcp.netty.internal.channel;

import io.kcp.core.MtuProbeOutput;
import io.kcp.core.fec.FecHeader;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.socket.UnfragmentedSends;
import io.netty.buffer.ByteBuf;
import io.netty.channel.unix.Errors.NativeIoException;

/** Sends the probes with which one session searches for a larger MTU, in datagrams that routers must not fragment. */
final class MtuProbes implements MtuProbeOutput {

    private static final int EMSGSIZE = -90;
    /** Start of the message of the JDK for the error {@code EMSGSIZE}. */
    private static final String TOO_LONG = "Message too long";

    private final AbstractSession session;
    private final SessionHost<?> host;
    private final UnfragmentedSends sends;
    /** Size of the latest probe if the kernel has refused it, otherwise 0. */
    private int refusedBytes;

    MtuProbes(AbstractSession session, SessionHost<?> host, UnfragmentedSends sends) {
        this.session = session;
        this.host = host;
        this.sends = sends;
    }

    @Override
    public int overheadBytes() {
        DatagramChannelWriter writer = host.writer();
        return writer.overheadBytes() - (writer.fecDataShards() > 0 ? FecHeader.LENGTH : 0);
    }

    @Override
    public int nextRandom() {
        return host.loop().random().nextInt();
    }

    @Override
    public Result write(ByteBuf probe) {
        int bytes = probe.readableBytes();
        if (!session.isServed()) {
            probe.release();
            return Result.NOT_SENT;
        }
        Throwable failure = host.writer().writeUnfragmented(probe, session, sends);
        if (failure == null) {
            refusedBytes = 0;
            return Result.SENT;
        }
        boolean tooLarge = isTooLarge(failure) && refusedBytes == bytes;
        // The kernel reports an ICMP message about an earlier probe as an error of the next send. A second refusal is a genuine one.
        refusedBytes = isTooLarge(failure) ? bytes : 0;
        return tooLarge ? Result.TOO_LARGE : Result.NOT_SENT;
    }

    private static boolean isTooLarge(Throwable failure) {
        return failure instanceof NativeIoException error ? error.expectedErr() == EMSGSIZE
            : failure.getMessage() != null && failure.getMessage().startsWith(TOO_LONG);
    }
}
