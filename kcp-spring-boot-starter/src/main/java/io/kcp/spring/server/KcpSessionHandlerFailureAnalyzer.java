package io.kcp.spring.server;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer that reports a server with no session handler or more than one. */
final class KcpSessionHandlerFailureAnalyzer extends AbstractFailureAnalyzer<KcpSessionHandlerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, KcpSessionHandlerException cause) {
        return new FailureAnalysis(cause.problem() + '.', cause.remedy() + '.', cause);
    }
}
