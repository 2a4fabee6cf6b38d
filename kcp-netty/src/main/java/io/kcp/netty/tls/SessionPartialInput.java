package io.kcp.netty.tls;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpTlsException;
import io.kcp.netty.internal.base.PartialInput;
import io.kcp.netty.internal.session.AbstractSession;
import java.util.function.IntSupplier;

/** Counts the memory of an incomplete TLS record or message, and closes the session if its incomplete data is discarded. */
final class SessionPartialInput extends PartialInput {

    private final KcpChannel session;
    private final IntSupplier receivedBytes;
    private final Runnable release;

    /**
     * Creates an object that counts no memory.
     *
     * @param receivedBytes returns the number of received bytes of the incomplete data
     * @param release       releases the incomplete data
     */
    SessionPartialInput(KcpChannel session, IntSupplier receivedBytes, Runnable release) {
        this.session = session;
        this.receivedBytes = receivedBytes;
        this.release = release;
    }

    @Override
    protected int receivedBytes() {
        return receivedBytes.getAsInt();
    }

    @Override
    protected boolean isReadingPaused() {
        return isPausedConnection(session);
    }

    @Override
    protected void onDiscarded(Cause cause, String message) {
        release.run();
        if (cause == Cause.TIMEOUT) {
            session.closeBecause(KcpTlsException.failed(message));
        } else {
            ((AbstractSession) session).closeForMemory(new IllegalStateException(message));
        }
    }

    /** Closes the session because there is no memory for its incomplete data. */
    void onRefused() {
        onDiscarded(Cause.MEMORY, "The incomplete packets of all channels use too much memory.");
    }
}
