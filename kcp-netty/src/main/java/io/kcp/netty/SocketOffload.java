package io.kcp.netty;

/**
 * What sockets leave to the kernel.
 *
 * @param gsoDatagrams how many datagrams leave as one at most, 1 for none
 * @param gro          whether runs that come may arrive as one
 */
record SocketOffload(int gsoDatagrams, boolean gro) {

    static final SocketOffload ALL = new SocketOffload(DatagramCoalescer.MAX_DATAGRAMS, true);

    SocketOffload {
        if (gsoDatagrams < 1 || gsoDatagrams > DatagramCoalescer.MAX_DATAGRAMS) {
            throw new IllegalArgumentException("gsoDatagrams: " + gsoDatagrams + " (expected: 1 to "
                + DatagramCoalescer.MAX_DATAGRAMS + ')');
        }
    }

    SocketOffload withGsoDatagrams(int datagrams) {
        return new SocketOffload(datagrams, gro);
    }

    SocketOffload withGro(boolean on) {
        return new SocketOffload(gsoDatagrams, on);
    }
}
