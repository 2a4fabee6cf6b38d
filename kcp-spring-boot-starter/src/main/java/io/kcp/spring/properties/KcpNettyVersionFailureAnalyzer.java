package io.kcp.spring.properties;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer that reports an outdated Netty version and explains how to override the version that Spring Boot manages. */
final class KcpNettyVersionFailureAnalyzer extends AbstractFailureAnalyzer<KcpNettyVersionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, KcpNettyVersionException cause) {
        return new FailureAnalysis(cause.getMessage() + '.', "Set netty.version to a 4.2 version: with Maven in the properties of the POM, "
            + "with Gradle as ext['netty.version']. Spring Boot 4 manages Netty 4.2, Spring Boot 3 manages Netty 4.1.", cause);
    }
}
