package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.util.Version;
import org.junit.jupiter.api.Test;

/** Verifies that the class path has the requested version of Netty, because CI runs the tests with several versions. */
class NettyVersionTest {

    @Test
    void allNettyJarsHaveTheVersionUnderTest() {
        String expected = System.getProperty("netty.version");
        assumeTrue(expected != null, "Maven sets the version");
        assertThat(Version.identify()).containsKeys("netty-common", "netty-buffer", "netty-transport", "netty-transport-classes-epoll");
        assertThat(Version.identify().values()).extracting(Version::artifactVersion).containsOnly(expected);
    }
}
