package io.kcp.examples;

/**
 * What happened to the datagrams of one direction of a {@link LossyRelay}.
 *
 * @param entered    came in
 * @param bytes      of those that came in
 * @param lost       vanished
 * @param reordered  were held back
 * @param duplicated went out twice
 */
record LinkCounts(long entered, long bytes, long lost, long reordered, long duplicated) {
}
