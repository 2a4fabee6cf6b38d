/**
 * The Reed–Solomon code of kcp-go over GF(2⁸), on which {@link io.kcp.core.fec} is built. The package is exported only to the benchmarks.
 *
 * <p>A <i>shard</i> is the content of one datagram as an array of {@code long}s. A group consists of data shards at the positions
 * from 0 and parity shards at the positions after them. Any {@code dataShards} shards of a group determine all others.
 */
@NullMarked
package io.kcp.core.internal.reedsolomon;

import org.jspecify.annotations.NullMarked;
