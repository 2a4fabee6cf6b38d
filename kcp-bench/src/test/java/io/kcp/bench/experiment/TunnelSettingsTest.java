package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class TunnelSettingsTest {

    private final TunnelSettings.Converter converter = new TunnelSettings.Converter();

    @Test
    void textContainsAllSettings() {
        assertThat(converter.convert("aes-128-gcm")).isEqualTo(new TunnelSettings("aes-128-gcm", false, false, 2))
            .hasToString("aes-128-gcm");
        assertThat(converter.convert("none+fec+comp+smux1")).isEqualTo(new TunnelSettings("none", true, true, 1))
            .hasToString("none+fec+comp+smux1");
        assertThatThrownBy(() -> converter.convert("none+fex")).isInstanceOf(CommandLine.TypeConversionException.class)
            .hasMessageContaining("none+fex");
    }

    @Test
    void optionsDisableDefaults() {
        assertThat(converter.convert("none").options()).contains("--nocomp").containsSequence("--datashard", "0", "--parityshard", "0")
            .containsSequence("--smuxver", "2");
        assertThat(converter.convert("none+fec+comp").options()).doesNotContain("--nocomp", "--datashard");
    }

    @Test
    void onlyCurrentProgramsSupportAeadCiphers() {
        TunnelPeer old = new TunnelPeer("old", Path.of(""), List.of(), List.of(), false);
        assertThat(old.supports(converter.convert("aes-128-gcm"))).isFalse();
        assertThat(old.supports(converter.convert("aes-128"))).isTrue();
    }
}
