package io.kcp.spring.server;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.KcpServerBootstrap;

/** Tells in kcp-go's words what the other side is to be set to; its send window is our receive window. Has no secrets in it. */
final class WireDescription {

    private WireDescription() {
    }

    /** Describes what the bootstrap is set to now. */
    static String of(KcpServerBootstrap server) {
        KcpConfig config = server.config();
        CryptoConfig crypto = server.crypto();
        FecConfig fec = server.fec();
        String cipher = crypto == null || crypto.isNull() ? "nil" : crypto.cipherName();
        int dataShards = fec == null ? 0 : fec.shape().dataShards();
        int parityShards = fec == null ? 0 : fec.shape().parityShards();
        return "kcp-go: DialWithOptions(addr, " + cipher + ", " + dataShards + ", " + parityShards + "), SetNoDelay("
            + (config.noDelay() ? 1 : 0) + ", " + config.intervalMs() + ", " + config.fastResend() + ", "
            + (config.congestionControl() == CongestionAlgorithm.NONE ? 1 : 0) + "), SetWindowSize(" + config.receiveWindow() + ", "
            + config.sendWindow() + "), SetMtu(" + config.mtuBytes() + "), SetStreamMode(" + (config.mode() == KcpMode.STREAM)
            + "), SetACKNoDelay(" + config.ackNoDelay() + ')';
    }
}
