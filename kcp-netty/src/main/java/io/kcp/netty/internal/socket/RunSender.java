package io.kcp.netty.internal.socket;

/**
 * A sender of datagrams, which decides whether GSO may send several of its datagrams together. The methods are called on the event loop of
 * the socket.
 */
public interface RunSender {

    /**
     * The sender of datagrams that belong to no particular session. If the kernel refuses a GSO send of this sender, GSO is disabled for
     * the whole socket.
     */
    RunSender SOCKET = new RunSender() {
        @Override
        public boolean maySendRuns() {
            return true;
        }

        @Override
        public boolean stopSendingRuns() {
            return false;
        }
    };

    /** A sender whose datagrams are always sent one by one. */
    RunSender SINGLE = new RunSender() {
        @Override
        public boolean maySendRuns() {
            return false;
        }

        @Override
        public boolean stopSendingRuns() {
            return true;
        }
    };

    /** Returns {@code true} if GSO may send several datagrams of this sender together. */
    boolean maySendRuns();

    /**
     * Called when the kernel has refused datagrams of this sender because they exceed the known MTU of the path. The refused datagrams are
     * then sent in IP fragments.
     */
    default void onTooLarge() {
    }

    /**
     * Disables GSO for this sender after the kernel has refused GSO on the route to the peer.
     *
     * @return {@code false} if the datagrams of this sender may belong to several sessions, so that GSO must be disabled for the socket
     */
    boolean stopSendingRuns();
}
