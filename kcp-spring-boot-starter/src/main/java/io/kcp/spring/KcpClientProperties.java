package io.kcp.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;

/** Settings of sessions that this application opens. */
@ConfigurationProperties("kcp.client")
public class KcpClientProperties extends KcpSessionProperties {

    /** Creates what nothing is set in. */
    public KcpClientProperties() {
    }
}
