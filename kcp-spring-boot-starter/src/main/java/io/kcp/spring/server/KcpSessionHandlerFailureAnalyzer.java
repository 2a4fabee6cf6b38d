package io.kcp.spring.server;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports the server that has no session handler, or several. */
final class KcpSessionHandlerFailureAnalyzer extends AbstractFailureAnalyzer<KcpSessionHandlerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, KcpSessionHandlerException cause) {
        return new FailureAnalysis(cause.problem() + '.', cause.remedy() + '.', cause);
    }
}
