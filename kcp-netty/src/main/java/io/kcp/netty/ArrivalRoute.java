package io.kcp.netty;

import java.net.InetSocketAddress;

/**
 * The route by which the datagrams of one session arrive. If they arrive at another socket of the server than the session's own, that
 * socket has an entry for the address of the session.
 *
 * <p>This class is used on the event loop of the session only.
 */
final class ArrivalRoute {

    private final PathRouter home;
    /** The router that has an entry for {@link #address}, or {@link #home} if no router has one. */
    private PathRouter arrival;
    private InetSocketAddress address;

    /**
     * Creates the route of a session whose datagrams arrive at its own socket.
     *
     * @param home    the router of the session's own socket
     * @param address the address of the session
     */
    ArrivalRoute(PathRouter home, InetSocketAddress address) {
        this.home = home;
        this.address = address;
        arrival = home;
    }

    /** Records that the datagrams of the session arrive from an address at the socket of {@code via} from now on. */
    void set(PathRouter via, InetSocketAddress from) {
        remove();
        if (via != home) {
            via.addRoute(from, home);
            address = from;
            arrival = via;
        }
    }

    /** Removes the entry at another socket, if there is one. */
    void remove() {
        if (arrival != home) {
            arrival.removeRoute(address, home);
            arrival = home;
        }
    }
}
