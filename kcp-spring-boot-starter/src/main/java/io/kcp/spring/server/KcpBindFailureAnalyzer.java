package io.kcp.spring.server;

import java.util.Locale;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer that reports an address which a server could not bind, and explains how to correct the problem. */
final class KcpBindFailureAnalyzer extends AbstractFailureAnalyzer<KcpBindException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, KcpBindException cause) {
        int port = cause.address().getPort();
        String host = cause.address().getAddress().isAnyLocalAddress() ? "any address" : cause.address().getAddress().getHostAddress();
        if (String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains("in use")) {
            return new FailureAnalysis("A KCP server cannot bind UDP port " + port + " on " + host + " (" + cause.property()
                + "): the port is in use by another process or by another server of this application.", "Stop that process (on Linux, "
                + "ss -ulpn 'sport = :" + port + "' shows it), or set " + cause.property() + " to another port, or to 0 for any free port.",
                cause);
        }
        return new FailureAnalysis("A KCP server cannot bind UDP port " + port + " on " + host + " (" + cause.property() + "): "
            + cause.reason(), "Set " + cause.property().replaceFirst("port$", "address")
            + " to an address of this machine, or remove it to bind all addresses, and set "
            + cause.property() + " to a port that this process is permitted to bind.", cause);
    }
}
