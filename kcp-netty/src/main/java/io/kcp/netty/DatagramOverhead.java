package io.kcp.netty;

/**
 * A handler between {@link KcpHandler} and the socket that adds bytes to every datagram: a cipher, FEC. Sessions make
 * their datagrams smaller by these, and leave the room in front, so that each layer fills in its own bytes in place.
 * Handlers must be in the pipeline before the first session is.
 */
public interface DatagramOverhead {

    /**
     * Returns what is added in front.
     *
     * @return bytes, constant
     */
    int headBytes();

    /**
     * Returns what is added at the end.
     *
     * @return bytes, constant
     */
    int tailBytes();
}
