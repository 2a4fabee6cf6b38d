package io.kcp.spring.properties;

import org.jspecify.annotations.Nullable;

/** Properties of forward error correction (FEC). */
public class KcpFecProperties {

    /** Data shards per group, as in kcp-go's DialWithOptions; 0 to disable FEC. */
    private int dataShards = 0;

    /** Parity shards per group, as in kcp-go's DialWithOptions; 0 to disable FEC. */
    private int parityShards = 0;

    /** Minimum number of parity shards per group at low packet loss; by default all parity shards are always sent. */
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
