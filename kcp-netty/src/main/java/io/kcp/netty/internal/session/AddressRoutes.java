package io.kcp.netty.internal.session;

import io.kcp.netty.internal.admission.SeededTable;
import io.kcp.netty.internal.admission.SipHash;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Maps addresses whose datagrams arrive at one socket to the other socket of the server to which their sessions belong. A session never
 * changes its event loop, but the kernel may deliver datagrams from a new address of its peer to another socket.
 *
 * <p>This class is used on the event loop of its socket only.
 *
 * @param <R> the type of the receivers, which are the other sockets
 */
public final class AddressRoutes<R> {

    private static final class Route<R> {
        private final InetSocketAddress address;
        private final int hash;
        private R receiver;
        private int sessions;

        Route(InetSocketAddress address, int hash, R receiver) {
            this.address = address;
            this.hash = hash;
            this.receiver = receiver;
        }
    }

    private final SipHash sipHash;
    private final SeededTable<Route<R>> routes = new SeededTable<>() {
        @Override
        protected int hashOf(Route<R> route) {
            return route.hash;
        }
    };

    /** Creates an empty table whose hash function has a random key. */
    public AddressRoutes(SecureRandom random) {
        sipHash = new SipHash(random);
    }

    /** Returns the number of addresses. */
    public int size() {
        return routes.size();
    }

    /** Returns the receiver of the datagrams from an address, or null if they belong to this socket. */
    public @Nullable R find(InetSocketAddress address) {
        Route<R> route = routes.size() == 0 ? null : route(address);
        return route == null ? null : route.receiver;
    }

    private @Nullable Route<R> route(InetSocketAddress address) {
        for (int position = sipHash.hash(address, 0);; position++) {
            Route<R> route = routes.at(position);
            if (route == null || route.address.equals(address)) {
                return route;
            }
        }
    }

    /** Adds a session of the receiver to an address. If the address belongs to another receiver, that receiver is replaced. */
    public void add(InetSocketAddress address, R receiver) {
        Route<R> route = route(address);
        if (route == null) {
            route = new Route<>(address, sipHash.hash(address, 0), receiver);
            routes.add(route);
        } else if (route.receiver != receiver) {
            route.receiver = receiver;
            route.sessions = 0;
        }
        route.sessions++;
    }

    /** Removes a session of the receiver from an address. */
    public void remove(InetSocketAddress address, R receiver) {
        Route<R> route = route(address);
        if (route != null && route.receiver == receiver && --route.sessions == 0) {
            routes.remove(route);
        }
    }
}
