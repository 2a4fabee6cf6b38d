package io.kcp.spring.properties;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which property is wrong, and what to do. */
final class KcpPropertyFailureAnalyzer extends AbstractFailureAnalyzer<KcpPropertyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, KcpPropertyException cause) {
        return new FailureAnalysis("The property " + cause.property() + " makes no sense: " + cause.problem() + '.', cause.remedy() + '.',
            cause);
    }
}
