package io.kcp.netty.socket;

/**
 * The offloads of the kernel that a socket may use.
 *
 * @param gsoDatagrams the most datagrams that one send hands to the kernel (GSO), 1 for no GSO
 * @param gro          {@code true} if one read may return several datagrams of a peer (GRO)
 */
public record SocketOffload(int gsoDatagrams, boolean gro) {

    /** All offloads, with the largest runs. */
    public static final SocketOffload ALL = new SocketOffload(DatagramCoalescer.MAX_DATAGRAMS, true);

    /** Checks the number of datagrams. */
    public SocketOffload {
        if (gsoDatagrams < 1 || gsoDatagrams > DatagramCoalescer.MAX_DATAGRAMS) {
            throw new IllegalArgumentException("gsoDatagrams: " + gsoDatagrams + " (expected: 1 to "
                + DatagramCoalescer.MAX_DATAGRAMS + ')');
        }
    }

    /** Returns a copy with another limit on the datagrams of one send. */
    public SocketOffload withGsoDatagrams(int datagrams) {
        return new SocketOffload(datagrams, gro);
    }

    /** Returns a copy that may or may not use GRO. */
    public SocketOffload withGro(boolean on) {
        return new SocketOffload(gsoDatagrams, on);
    }
}
