package io.kcp.netty;

/**
 * A handler between {@link KcpHandler} and the socket that adds bytes to every datagram, such as a cipher or FEC. Sessions reduce the size
 * of their datagrams by these bytes and reserve room for them in each buffer, so that the handler writes its bytes in place. All handlers
 * of this kind must be in the pipeline before the first session is opened.
 */
public interface DatagramOverhead {

    /**
     * Returns the number of bytes that this handler adds in front of each datagram.
     *
     * @return bytes, constant
     */
    int headBytes();

    /**
     * Returns the number of bytes that this handler adds at the end of each datagram.
     *
     * @return bytes, constant
     */
    int tailBytes();
}
