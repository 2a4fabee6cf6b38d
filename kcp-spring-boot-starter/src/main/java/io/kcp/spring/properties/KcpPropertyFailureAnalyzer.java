package io.kcp.spring.properties;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer that reports an invalid KCP property and how to correct it. */
final class KcpPropertyFailureAnalyzer extends AbstractFailureAnalyzer<KcpPropertyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, KcpPropertyException cause) {
        return new FailureAnalysis("The property " + cause.property() + " is invalid: " + cause.problem() + '.', cause.remedy() + '.',
            cause);
    }
}
