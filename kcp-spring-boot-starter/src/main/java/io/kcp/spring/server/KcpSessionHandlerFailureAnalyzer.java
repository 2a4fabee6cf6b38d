package io.kcp.spring.server;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which server lacks a handler or has too many. */
final class KcpSessionHandlerFailureAnalyzer extends AbstractFailureAnalyzer<KcpSessionHandlerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, KcpSessionHandlerException cause) {
        return new FailureAnalysis(cause.problem() + '.', cause.remedy() + '.', cause);
    }
}
