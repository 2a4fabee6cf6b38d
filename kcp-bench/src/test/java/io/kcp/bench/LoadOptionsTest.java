package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class LoadOptionsTest {

    @Test
    void congestionControlIsSelectedByOptions() {
        assertThat(config().congestionControl()).isEqualTo(CongestionAlgorithm.NONE);
        assertThat(config("--nc", "0").congestionControl()).isEqualTo(CongestionAlgorithm.KCP_GO);
        assertThat(config("--congestion-control", "BBR").congestionControl()).isEqualTo(CongestionAlgorithm.BBR);
        assertThat(config("--auto")).hasToString(KcpConfig.auto().toBuilder().mode(config().mode()).build().toString());
    }

    private static KcpConfig config(String... arguments) {
        LoadOptions options = new LoadOptions();
        new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return options.config();
    }
}
