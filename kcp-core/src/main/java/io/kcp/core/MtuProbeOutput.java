package io.kcp.core;

import io.netty.buffer.ByteBuf;

/**
 * Sends the probes with which a conversation searches for a larger MTU ({@link KcpConfig#mtuSearchLimitBytes()}). A probe must not be
 * fragmented, because a path that fragments the probe would deliver it although its MTU is smaller. Only {@link
 * io.kcp.core.conversation.Kcp#flush Kcp.flush} calls {@link #write}.
 */
public interface MtuProbeOutput {

    /** Describes what happened to a probe. */
    enum Result {
        /** The probe was sent, and routers must not fragment it. */
        SENT,
        /** The operating system refused the probe because of its size. */
        TOO_LARGE,
        /** The probe was not sent, for example because the send buffer of the socket is full. It is repeated later. */
        NOT_SENT
    }

    /**
     * Returns the number of bytes that the layers below add to each probe. Probes are not protected by FEC, so this number does not include
     * an FEC header.
     *
     * @return bytes, at least 0
     */
    int overheadBytes();

    /**
     * Returns a random number that the peer cannot predict. Called once for each probe.
     *
     * @return a random number
     */
    int nextRandom();

    /**
     * Sends one probe immediately, in a datagram that routers must not fragment.
     *
     * @param probe the datagram, allocated by {@link KcpOutput#allocate}, <b>taken</b>
     * @return what happened to the probe
     */
    Result write(ByteBuf probe);
}
