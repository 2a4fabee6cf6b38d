package io.kcp.examples;

/**
 * Datagram counters for one direction of a {@link LossyRelay}.
 *
 * @param entered    the number of datagrams received
 * @param bytes      the number of payload bytes in the datagrams received
 * @param lost       the number of datagrams dropped
 * @param reordered  the number of datagrams delayed further, so that later datagrams arrive before them
 * @param duplicated the number of datagrams sent twice
 */
record LinkCounts(long entered, long bytes, long lost, long reordered, long duplicated) {
}
