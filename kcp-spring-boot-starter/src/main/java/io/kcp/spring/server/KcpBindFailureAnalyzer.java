package io.kcp.spring.server;

import java.util.Locale;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which port could not be had, and how to get one. */
final class KcpBindFailureAnalyzer extends AbstractFailureAnalyzer<KcpBindException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, KcpBindException cause) {
        int port = cause.address().getPort();
        String host = cause.address().getAddress().isAnyLocalAddress() ? "any address" : cause.address().getAddress().getHostAddress();
        if (String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains("in use")) {
            return new FailureAnalysis("A KCP server could not listen on UDP port " + port + " of " + host + " (" + cause.property()
                + "): another process, or another server of this one, has that port.", "Stop the other one (on Linux, ss -ulpn 'sport = :"
                + port + "' tells which it is), or set " + cause.property() + " to another port, or to 0 for any that is free.", cause);
        }
        return new FailureAnalysis("A KCP server could not listen on UDP port " + port + " of " + host + " (" + cause.property() + "): "
            + cause.reason(), "Set " + cause.property().replaceFirst("port$", "address")
            + " to an address of this machine, or leave it out for all, and " + cause.property() + " to a port that this process may use.",
            cause);
    }
}
