package io.kcp.spring.handler;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what is wrong with a controller instead of where the start failed. */
final class InvalidControllerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidControllerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidControllerException cause) {
        return new FailureAnalysis(cause.problem() + '.', cause.remedy() + '.', cause);
    }
}
