package io.kcp.spring.server;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.bootstrap.KcpServerBootstrap;

/**
 * Formats the Go API calls that configure a kcp-go peer to match a server. The peer's send window is the receive window of the server. The
 * description contains no secrets.
 */
final class WireDescription {

    private WireDescription() {
    }

    /** Returns the Go API calls that match the current settings of a server bootstrap. */
    static String of(KcpServerBootstrap server) {
        KcpConfig config = server.config();
        CryptoConfig crypto = server.crypto();
        FecConfig fec = server.fec();
        String cipher = crypto == null || crypto.isNull() ? "nil" : crypto.cipherName();
        int dataShards = fec == null ? 0 : fec.shape().dataShards();
        int parityShards = fec == null ? 0 : fec.shape().parityShards();
        return "kcp-go: DialWithOptions(addr, " + cipher + ", " + dataShards + ", " + parityShards + "), SetNoDelay("
            + (config.noDelay() ? 1 : 0) + ", " + config.intervalMs() + ", " + config.fastResend() + ", "
            + (config.congestionControl() == CongestionAlgorithm.NONE ? 1 : 0) + "), SetWindowSize(" + config.maxReceiveWindow()
            + ", " + (config.windowBudgetBytes() == 0 ? config.sendWindow() : config.maxReceiveWindow()) + "), SetMtu("
            + config.mtuBytes() + "), SetStreamMode(" + (config.mode() == KcpTransferMode.STREAM)
            + "), SetACKNoDelay(" + config.ackNoDelay() + ')';
    }
}
