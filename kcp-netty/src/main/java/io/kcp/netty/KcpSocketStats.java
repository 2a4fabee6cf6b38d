package io.kcp.netty;

/**
 * Statistics of one socket, that is, of one datagram channel. The kernel distributes the peers of a server among its sockets by their
 * addresses, so the sockets of a server with few peers may have very different shares of the load.
 *
 * @param activeSessions     sessions of the socket that are open now
 * @param datagramsIn        datagrams that the sessions of the socket have received, including closed sessions
 * @param datagramsOut       datagrams that the sessions of the socket have sent, including closed sessions
 * @param receiveDrops       datagrams that the kernel discarded because the receive buffer of the socket was full; 0 if the kernel does not
 *                           report this number, which it does only on Linux with epoll or io_uring
 * @param receiveQueueBytes  memory of the datagrams in the receive buffer that the server has not read yet, including the kernel's own data
 *                           structures; 0 if the kernel does not report it
 * @param receiveBufferBytes maximum of {@code receiveQueueBytes}; 0 if the kernel does not report it
 */
public record KcpSocketStats(
    long activeSessions,
    long datagramsIn,
    long datagramsOut,
    long receiveDrops,
    long receiveQueueBytes,
    long receiveBufferBytes) {
}
