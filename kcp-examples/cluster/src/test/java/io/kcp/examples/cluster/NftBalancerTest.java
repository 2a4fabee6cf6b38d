package io.kcp.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.examples.arena.Tool;
import io.kcp.test.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the Linux kernel as a load balancer in a separate network namespace, which is isolated from other traffic of the machine. */
@Tag("interop")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NftBalancerTest {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    private Path directory;

    @Test
    void sessionsStayAtGatewaysAndNewOnesAvoidDrainingGateways() throws Exception {
        String nft = Tool.find("nft");
        String ip = Tool.find("ip");
        String unshare = Tool.find("unshare");
        try (ChildProcess attempt = ChildProcess.startBounded(List.of(unshare, "--net", nft, "list", "ruleset"))) {
            assumeTrue(attempt.exitCode(LIMIT.toSeconds()) == 0,
                () -> "no network namespace to be had, which takes root: " + attempt.output());
        }
        List<String> command = List.of(unshare, "--net", Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            NftSteering.class.getName(), directory.toString(), ip, nft);
        try (ChildProcess steering = ChildProcess.startBounded(command)) {
            int exitCode = steering.exitCode(LIMIT.toSeconds());
            System.out.print(steering.output());
            assertThat(exitCode).as(steering.output()).isZero();
        }
    }
}
