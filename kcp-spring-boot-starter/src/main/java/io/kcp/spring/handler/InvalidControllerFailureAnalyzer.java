package io.kcp.spring.handler;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a {@link KcpController} that is declared incorrectly. */
final class InvalidControllerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidControllerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidControllerException cause) {
        return new FailureAnalysis(cause.problem() + '.', cause.remedy() + '.', cause);
    }
}
