package io.kcp.netty.internal.socket;

/**
 * Selects the kernel offloads (GSO and GRO) that a socket may use.
 *
 * @param gsoDatagrams the maximum number of datagrams of one send (GSO), 1 for no GSO
 * @param gro          {@code true} if one read may return several datagrams of a peer (GRO)
 */
public record SocketOffload(int gsoDatagrams, boolean gro) {

    /** Allows all offloads, with the maximum number of datagrams per send. */
    public static final SocketOffload ALL = new SocketOffload(DatagramCoalescer.MAX_DATAGRAMS, true);

    /** Checks that the number of datagrams per send is valid. */
    public SocketOffload {
        if (gsoDatagrams < 1 || gsoDatagrams > DatagramCoalescer.MAX_DATAGRAMS) {
            throw new IllegalArgumentException("gsoDatagrams: " + gsoDatagrams + " (expected: 1 to "
                + DatagramCoalescer.MAX_DATAGRAMS + ')');
        }
    }

    /** Returns a copy with another maximum number of datagrams per send. */
    public SocketOffload withGsoDatagrams(int datagrams) {
        return new SocketOffload(datagrams, gro);
    }

    /** Returns a copy that allows or forbids GRO. */
    public SocketOffload withGro(boolean on) {
        return new SocketOffload(gsoDatagrams, on);
    }
}
