package io.kcp.spring.handler;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer that reports an incorrectly declared {@link KcpController} and how to correct it. */
final class InvalidControllerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidControllerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidControllerException cause) {
        return new FailureAnalysis(cause.problem() + '.', cause.remedy() + '.', cause);
    }
}
