/**
 * Forward error correction, byte for byte that of kcp-go: datagrams leave in groups, each group is followed by parity
 * datagrams, and what is lost of a group is computed from the rest instead of being sent again.
 *
 * <h2>Words</h2>
 * <ul>
 * <li><b>Shard</b>: what Reed–Solomon works on, one per datagram: the SIZE field and the KCP datagram after it, or parity of
 * such. Shards of a group may differ in length; what is missing counts as zeros.</li>
 * <li><b>Shape</b>: how many data and parity shards a group has, {@code 10:3} for instance; n is their sum.</li>
 * <li><b>Seqid</b>: the number of a datagram; it wraps at <b>paws</b>, the largest multiple of n that 32 bits hold, so that groups
 * always begin at multiples of n. Seqid divided by n is the group, the remainder the position in it.</li>
 * <li><b>Slab</b>: a recycled {@code long[]} that holds one shard; {@link io.kcp.core.fec.ShardPool} has them.</li>
 * </ul>
 *
 * <p>{@link io.kcp.core.fec.FecEncoder} and {@link io.kcp.core.fec.FecDecoder} belong to one session, and neither needs the
 * other: each direction decides for itself. As everywhere in the core, time is an argument and one thread at a time may use an
 * object. What a peer sends never throws; it is counted in {@link io.kcp.core.fec.FecStats}.
 */
@NullMarked
package io.kcp.core.fec;

import org.jspecify.annotations.NullMarked;
