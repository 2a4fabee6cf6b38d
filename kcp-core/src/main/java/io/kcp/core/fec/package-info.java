/**
 * Forward error correction (FEC) that is wire compatible with kcp-go. Datagrams are sent in groups. Parity datagrams follow each group, so
 * that lost datagrams of a group can be recovered from the others instead of being retransmitted.
 *
 * <h2>Terms</h2>
 * <ul>
 * <li><b>Shard</b>: the part of a datagram that Reed–Solomon processes. A data shard consists of the SIZE field and the KCP datagram after
 * it; a parity shard is computed from data shards. Shorter shards of a group are padded with zeros.</li>
 * <li><b>Shape</b>: the numbers of data and parity shards in a group, for example {@code 10:3}; n is their sum.</li>
 * <li><b>Seqid</b>: the number of a datagram. It wraps at <b>paws</b>, the largest multiple of n in 32 bits, so that groups
 * always start at multiples of n. Seqid divided by n is the group, and the remainder is the position in the group.</li>
 * <li><b>Slab</b>: a recycled {@code long[]} that stores one shard.</li>
 * <li><b>Confirming group</b>: a group that shows that the decoder assumes the right shape; see {@code ShapeVerification}.</li>
 * </ul>
 *
 * <p>A session has an {@link io.kcp.core.fec.FecEncoder}, a {@link io.kcp.core.fec.FecDecoder}, or both, because each direction is
 * configured separately. As in the rest of the core, time is an argument, and only one thread at a time may use an object. Malformed input
 * never causes an exception; it is counted in {@link io.kcp.core.fec.FecStats}.
 */
@NullMarked
package io.kcp.core.fec;

import org.jspecify.annotations.NullMarked;
