package io.kcp.spring.properties;

import org.jspecify.annotations.Nullable;

/** Configuration properties for forward error correction (FEC). */
public class KcpFecProperties {

    /** Number of data shards per FEC group, or 0 to disable FEC. Corresponds to dataShards of kcp-go's DialWithOptions. */
    private int dataShards = 0;

    /** Number of parity shards per FEC group, or 0 to disable FEC. Corresponds to parityShards of kcp-go's DialWithOptions. */
    private int parityShards = 0;

    /** Minimum number of parity shards per FEC group at low packet loss. By default, all parity shards are always sent. */
    private @Nullable Integer minParityShards;

    /** Creates properties with their default values. */
    public KcpFecProperties() {
    }

    public int getDataShards() {
        return dataShards;
    }

    public void setDataShards(int dataShards) {
        this.dataShards = dataShards;
    }

    public int getParityShards() {
        return parityShards;
    }

    public void setParityShards(int parityShards) {
        this.parityShards = parityShards;
    }

    public @Nullable Integer getMinParityShards() {
        return minParityShards;
    }

    public void setMinParityShards(@Nullable Integer minParityShards) {
        this.minParityShards = minParityShards;
    }
}
