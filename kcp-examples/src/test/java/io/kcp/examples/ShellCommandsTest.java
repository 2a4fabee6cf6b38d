package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link ShellCommands} reports commands that refer to things that do not exist. */
class ShellCommandsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "src/interop/instal.sh && mvn verify -Pinterop | there is no src/interop/instal.sh",
        "src/interop/install.sh --benhc | install.sh has no option --benhc",
        "mvn verify -Pinterup | there is no profile interup",
        "mvn test -pl kcp-nety -Dtest=EchoTest | there is no kcp-nety/pom.xml",
        "mvn test -Dtest=EkkoTest | there is no class EkkoTest",
        "mvn -q -Pdemo package -Dmain=EchoServer -Dargs=\"--port 9000 --crpyt aes\" | EchoServer.java has no option --crpyt",
        "java -jar kcp-tools/target/kcp.jar link-check --hots x | KcpCommand.java has no option --hots",
        "java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Experimentss | there is no class Experimentss"})
    void missingNamesAreReported(String command, String complaint) {
        assertThat(ShellCommands.complaints(command)).containsExactly(complaint);
    }

    @Test
    void existingNamesAreAccepted() {
        assertThat(ShellCommands.complaints("""
            src/interop/install.sh && mvn verify -Pinterop   # --no-such option
            mvn -q -Pdemo package -Dmain=EchoServer \\
                -Dargs="--crypt aes-128-gcm --key secret"
            java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Experiments side-by-side --seconds 3
            java -jar kcp.jar tunnel client -l :8388 -r vps:29900 --crypt aes-128
            sysctl net.core.rmem_max
            """)).isEmpty();
    }
}
