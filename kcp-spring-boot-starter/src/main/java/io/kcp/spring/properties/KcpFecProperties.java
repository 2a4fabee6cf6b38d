package io.kcp.spring.properties;

import org.jspecify.annotations.Nullable;

/** Forward error correction: parity datagrams for each group of data datagrams. */
public class KcpFecProperties {

    /** Data datagrams of a group, as in kcp-go's DialWithOptions; 0 for no parity. */
    private int dataShards = 0;

    /** Parity datagrams of a group, as in kcp-go's DialWithOptions; 0 for none. */
    private int parityShards = 0;

    /** Fewest parity datagrams that are sent while little is lost; always all of them unless set. */
    private @Nullable Integer minParityShards;

    /** Creates what nothing is set in. */
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
