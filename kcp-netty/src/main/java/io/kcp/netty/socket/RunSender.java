package io.kcp.netty.socket;

/** Decides for the sender of a datagram whether its datagrams may be sent in runs. Called on the event loop of the socket. */
public interface RunSender {

    /** Sends datagrams of no particular session. A refused run ends the runs of the whole socket. */
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

    /** Sends each datagram by itself. */
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

    /** Returns {@code true} if the datagrams of this sender may be sent in runs. */
    boolean maySendRuns();

    /**
     * Stops the runs of this sender, because the route to its peer refused one.
     *
     * @return {@code false} if the datagrams of this sender cannot be told apart, so that the socket must stop all runs
     */
    boolean stopSendingRuns();
}
