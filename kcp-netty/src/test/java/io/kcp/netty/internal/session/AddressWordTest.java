package io.kcp.netty.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AddressWordTest {

    private static long word(int port, int... ip) throws UnknownHostException {
        byte[] bytes = new byte[ip.length];
        for (int i = 0; i < ip.length; i++) {
            bytes[i] = (byte) ip[i];
        }
        return AddressWord.of(new InetSocketAddress(InetAddress.getByAddress(bytes), port));
    }

    @Test
    void equalAddressesHaveTheSameWord() throws UnknownHostException {
        assertThat(word(9_000, 192, 168, 255, 1)).isEqualTo(word(9_000, 192, 168, 255, 1)).isNotEqualTo(AddressWord.NONE);
    }

    @Test
    void everyBitOfAddressAndPortCounts() throws UnknownHostException {
        Set<Long> words = new HashSet<>();
        for (int bit = 0; bit < 8; bit++) {
            words.add(word(0, 1 << bit, 0, 0, 0));
            words.add(word(0, 0, 1 << bit, 0, 0));
            words.add(word(0, 0, 0, 1 << bit, 0));
            words.add(word(0, 0, 0, 0, 1 << bit));
            words.add(word(1 << bit, 0, 0, 0, 0));
            words.add(word(1 << bit + 8, 0, 0, 0, 0));
        }
        words.add(word(0, 0, 0, 0, 0));
        assertThat(words).hasSize(49).doesNotContain(AddressWord.NONE);
    }

    @Test
    void ipv6AddressHasNoWord() throws UnknownHostException {
        assertThat(word(9_000, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)).isEqualTo(AddressWord.NONE);
    }
}
