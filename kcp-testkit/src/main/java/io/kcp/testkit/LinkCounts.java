package io.kcp.testkit;

/**
 * Counts of the datagrams that have passed through a {@link LossyLinkHandler} in one direction.
 *
 * @param datagrams  the number of datagrams that entered the link
 * @param bytes      the number of bytes in the datagrams that entered the link
 * @param lost       the number of datagrams that the link dropped, for any reason
 * @param reordered  the number of datagrams that the link delayed further, so that later datagrams overtake them
 * @param duplicated the number of datagrams that the link delivers twice
 * @param corrupted  the number of datagrams in which the link inverted a bit
 */
public record LinkCounts(long datagrams, long bytes, long lost, long reordered, long duplicated, long corrupted) {

    static final LinkCounts NONE = new LinkCounts(0, 0, 0, 0, 0, 0);

    LinkCounts plus(int datagramBytes, LinkFate fate, boolean isReordered) {
        boolean isLost = fate == LinkFate.LOST || fate == LinkFate.QUEUE_FULL || fate == LinkFate.TOO_LARGE;
        return new LinkCounts(datagrams + 1, bytes + datagramBytes, lost + (isLost ? 1 : 0),
            reordered + (isReordered && !isLost ? 1 : 0), duplicated + (fate == LinkFate.DUPLICATED ? 1 : 0),
            corrupted + (fate == LinkFate.CORRUPTED ? 1 : 0));
    }
}
