package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.conversation.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jdk")
class DatagramCipherTest {

    private static final Random RANDOM = new Random(42);
    private static final int MEASUREMENTS = 11;
    private static final int[] LENGTHS = {0, 1, 7, 8, 15, 16, 24, 44, 45, 63, 64, 1372, 1400};

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck(false);

    static List<String> checkedNames() {
        return CryptoConfig.names().stream().filter(name -> !name.equals("null")).toList();
    }

    /** Returns factories of all kinds of buffers. Each buffer has the room that the cipher needs around the given bytes. */
    private Map<String, BiFunction<DatagramCipher, byte[], ByteBuf>> kinds() {
        Map<String, BiFunction<DatagramCipher, byte[], ByteBuf>> kinds = new LinkedHashMap<>();
        kinds.put("heap", (cipher, bytes) -> filled(leaks.allocator().heapBuffer(size(cipher, bytes)), cipher, bytes));
        kinds.put("direct", (cipher, bytes) -> filled(leaks.allocator().directBuffer(size(cipher, bytes)), cipher, bytes));
        kinds.put("heap that grows", (cipher, bytes) -> filled(leaks.allocator().heapBuffer(1), cipher, bytes));
        kinds.put("array behind an offset", (cipher, bytes) -> filled(Unpooled.wrappedBuffer(new byte[size(cipher, bytes) + 13], 9,
            size(cipher, bytes)).clear(), cipher, bytes));
        kinds.put("slice of heap", (cipher, bytes) -> slice(leaks.allocator().heapBuffer(size(cipher, bytes) + 40), cipher, bytes));
        kinds.put("slice of direct", (cipher, bytes) -> slice(leaks.allocator().directBuffer(size(cipher, bytes) + 40), cipher, bytes));
        kinds.put("duplicate", (cipher, bytes) -> filled(leaks.allocator().directBuffer(size(cipher, bytes)).duplicate(), cipher, bytes));
        kinds.put("composite", this::composite);
        return kinds;
    }

    private static int size(DatagramCipher cipher, byte[] bytes) {
        return cipher.headBytes() + bytes.length + cipher.tailBytes();
    }

    private static ByteBuf filled(ByteBuf buffer, DatagramCipher cipher, byte[] bytes) {
        return buffer.writeZero(cipher.headBytes()).writeBytes(bytes).readerIndex(cipher.headBytes());
    }

    private static ByteBuf slice(ByteBuf buffer, DatagramCipher cipher, byte[] bytes) {
        return filled(buffer.slice(17, size(cipher, bytes)).clear(), cipher, bytes);
    }

    private ByteBuf composite(DatagramCipher cipher, byte[] bytes) {
        CompositeByteBuf composite = leaks.allocator().compositeBuffer(1000);
        int size = size(cipher, bytes);
        for (int at = 0; at < size; at += 11) {
            int part = Math.min(11, size - at);
            composite.addComponent(true, (at & 1) == 0 ? leaks.allocator().heapBuffer(part).writeZero(part)
                : leaks.allocator().directBuffer(part).writeZero(part));
        }
        return filled(composite.clear(), cipher, bytes);
    }

    @ParameterizedTest
    @MethodSource("io.kcp.core.crypto.CryptoConfig#names")
    void everyKindOfBufferWorks(String cipherName) {
        DatagramCipher sealing = cipher(cipherName);
        DatagramCipher opening = cipher(cipherName);
        kinds().forEach((kind, buffers) -> {
            for (int length : LENGTHS) {
                byte[] payload = randomBytes(length);
                ByteBuf datagram = buffers.apply(sealing, payload);
                sealing.seal(datagram);
                assertThat(datagram.readableBytes()).as(kind).isEqualTo(size(sealing, payload));
                byte[] sealed = ByteBufUtil.getBytes(datagram);
                if (!cipherName.equals("null") && length > 0) {
                    datagram.setByte(datagram.writerIndex() - 1, sealed[sealed.length - 1] ^ 4);
                    assertThat(opening.open(datagram)).as(kind).isFalse();
                    datagram.setByte(datagram.writerIndex() - 1, sealed[sealed.length - 1]);
                    assertThat(ByteBufUtil.getBytes(datagram)).as(kind).isEqualTo(sealed);
                }
                assertThat(opening.open(datagram)).as("%s, %d bytes", kind, length).isTrue();
                assertThat(ByteBufUtil.getBytes(datagram)).as(kind).isEqualTo(payload);
                datagram.release();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"aes-128", "aes", "aes-128-gcm", "chacha20-poly1305", "sm4", "twofish", "xtea", "3des", "salsa20", "xor",
        "none"})
    void everyLengthUpTo1500Works(String cipherName) {
        DatagramCipher sealing = cipher(cipherName);
        DatagramCipher opening = cipher(cipherName);
        for (int length = 0; length <= 1500; length++) {
            byte[] payload = randomBytes(length);
            ByteBuf datagram = filled(leaks.allocator().directBuffer(size(sealing, payload)), sealing, payload);
            sealing.seal(datagram);
            assertThat(opening.open(datagram)).as("%d bytes", length).isTrue();
            assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(payload);
            datagram.release();
        }
    }

    @ParameterizedTest
    @MethodSource("checkedNames")
    void datagramsLongerThanUdpAllowsAreRejected(String cipherName) {
        DatagramCipher cipher = cipher(cipherName);
        byte[] payload = randomBytes(65_535 - cipher.headBytes() - cipher.tailBytes());
        ByteBuf datagram = filled(leaks.allocator().heapBuffer(), cipher, payload);
        cipher.seal(datagram);
        assertThat(datagram.readableBytes()).isEqualTo(65_535);
        assertThat(cipher.open(datagram)).isTrue();
        assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(payload);
        datagram.writeByte(1);
        assertThatThrownBy(() -> cipher.seal(datagram)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("readableBytes");
        datagram.release();
    }

    @ParameterizedTest
    @MethodSource("checkedNames")
    void invalidDatagramsAreRejectedUnchanged(String cipherName) {
        DatagramCipher cipher = cipher(cipherName);
        ByteBuf sealed = filled(leaks.allocator().heapBuffer(), cipher, randomBytes(100));
        cipher.seal(sealed);
        List<ByteBuf> wrong = new ArrayList<>();
        for (int length = 0; length < sealed.readableBytes(); length++) {
            wrong.add(leaks.allocator().directBuffer().writeBytes(sealed, sealed.readerIndex(), length));
        }
        for (int i = 0; i < 200; i++) {
            wrong.add(leaks.allocator().buffer().writeBytes(randomBytes(20 + RANDOM.nextInt(1500))));
        }
        wrong.add(leaks.allocator().buffer().writeBytes(randomBytes(65_536)));
        wrong.add(leaks.allocator().buffer().writeBytes(randomBytes(3_000_000)));
        for (ByteBuf datagram : wrong) {
            byte[] before = ByteBufUtil.getBytes(datagram);
            int readerIndex = datagram.readerIndex();
            assertThat(cipher.open(datagram)).as("%d bytes", before.length).isFalse();
            assertThat(datagram.readerIndex()).isEqualTo(readerIndex);
            assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(before);
            datagram.release();
        }
        assertThat(cipher.open(sealed)).as("the cipher still works").isTrue();
        sealed.release();
    }

    @ParameterizedTest
    @MethodSource("checkedNames")
    void bufferWithoutRoomIsRejectedUnchanged(String cipherName) {
        DatagramCipher cipher = cipher(cipherName);
        byte[] payload = randomBytes(50);
        ByteBuf noHead = leaks.allocator().heapBuffer(1000).writeZero(cipher.headBytes() - 1).writeBytes(payload)
            .readerIndex(cipher.headBytes() - 1);
        assertThatThrownBy(() -> cipher.seal(noHead)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("readerIndex");
        assertThat(ByteBufUtil.getBytes(noHead)).isEqualTo(payload);
        noHead.release();
        if (cipher.tailBytes() > 0) {
            int size = size(cipher, payload) - 1;
            ByteBuf noTail = filled(leaks.allocator().heapBuffer(size, size), cipher, payload);
            assertThatThrownBy(() -> cipher.seal(noTail)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("ritableBytes");
            assertThat(ByteBufUtil.getBytes(noTail)).isEqualTo(payload);
            noTail.release();
        }
    }

    @ParameterizedTest
    @MethodSource("checkedNames")
    void duplicatedDatagramOpensEachTime(String cipherName) {
        DatagramCipher cipher = cipher(cipherName);
        ByteBuf sealed = filled(leaks.allocator().heapBuffer(), cipher, randomBytes(100));
        cipher.seal(sealed);
        for (int i = 0; i < 4; i++) {
            ByteBuf copy = sealed.copy();
            assertThat(cipher.open(copy)).as("arrival %d", i).isTrue();
            copy.release();
        }
        ByteBuf next = filled(leaks.allocator().heapBuffer(), cipher, randomBytes(100));
        cipher.seal(next);
        assertThat(cipher.open(next)).isTrue();
        next.release();
        sealed.release();
    }

    @ParameterizedTest
    @MethodSource("checkedNames")
    void datagramOfAnotherKeyDoesNotOpen(String cipherName) {
        if (cipherName.equals("none")) {
            return;
        }
        DatagramCipher other = CryptoConfig.kcptun(cipherName, "another").newCipher(RANDOM::nextBytes);
        DatagramCipher cipher = cipher(cipherName);
        ByteBuf sealed = filled(leaks.allocator().heapBuffer(), cipher, randomBytes(100));
        cipher.seal(sealed);
        assertThat(other.open(sealed)).isFalse();
        assertThat(cipher.open(sealed)).isTrue();
        sealed.release();
    }

    @ParameterizedTest
    @MethodSource("checkedNames")
    void ciphersOfOneConfigurationAreIndependent(String cipherName) {
        CryptoConfig config = CryptoConfig.kcptun(cipherName, "password");
        List<DatagramCipher> ciphers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ciphers.add(config.newCipher(RANDOM::nextBytes));
        }
        List<byte[]> payloads = new ArrayList<>();
        List<ByteBuf> datagrams = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            DatagramCipher cipher = ciphers.get(RANDOM.nextInt(ciphers.size()));
            payloads.add(randomBytes(RANDOM.nextInt(3000)));
            datagrams.add(filled(leaks.allocator().heapBuffer(), cipher, payloads.get(i)));
            cipher.seal(datagrams.get(i));
        }
        for (int i = 0; i < datagrams.size(); i++) {
            assertThat(ciphers.get(RANDOM.nextInt(ciphers.size())).open(datagrams.get(i))).isTrue();
            assertThat(ByteBufUtil.getBytes(datagrams.get(i))).isEqualTo(payloads.get(i));
            datagrams.get(i).release();
        }
    }

    @ParameterizedTest
    @MethodSource("checkedNames")
    void equalPayloadsGiveDifferentDatagrams(String cipherName) {
        DatagramCipher cipher = cipher(cipherName);
        byte[] payload = randomBytes(100);
        ByteBuf first = filled(leaks.allocator().heapBuffer(), cipher, payload);
        ByteBuf second = filled(leaks.allocator().heapBuffer(), cipher, payload);
        cipher.seal(first);
        cipher.seal(second);
        assertThat(ByteBufUtil.getBytes(first)).isNotEqualTo(ByteBufUtil.getBytes(second));
        first.release();
        second.release();
    }

    @Test
    void smallDatagramsAllocateNothing() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (String cipherName : checkedNames()) {
            DatagramCipher cipher = cipher(cipherName);
            if (cipherName.equals("chacha20-poly1305")) {
                // Newer versions of Java use the implementation of the JDK, which allocates.
                continue;
            }
            ByteBuf datagram = filled(leaks.allocator().directBuffer(2000), cipher, randomBytes(100));
            int head = datagram.readerIndex();
            int end = datagram.writerIndex();
            assertThat(allocatedPerRound(threads, () -> sealAndOpen(cipher, datagram, head, end))).as(cipherName).isZero();
            datagram.release();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"aes-128-gcm", "aes-256-gcm"})
    void rejectingASmallForgedDatagramAllocatesNothing(String cipherName) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        DatagramCipher cipher = cipher(cipherName);
        ByteBuf forged = leaks.allocator().directBuffer(2000).writeBytes(randomBytes(150));
        assertThat(allocatedPerRound(threads, () -> assertFalse(cipher.open(forged)))).isZero();
        forged.release();
    }

    private static void assertFalse(boolean opened) {
        if (opened) {
            throw new AssertionError("the forged datagram opened");
        }
    }

    /**
     * Returns the median of the bytes that several measurements allocate per round, rounded up. The warm-up ends with the first measurement
     * without an allocation. It is long because the temporary arrays of CAST5 disappear only in compiled code, and compilation takes
     * seconds on a busy machine.
     */
    private static long allocatedPerRound(com.sun.management.ThreadMXBean threads, Runnable round) {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (measureAllocation(threads, round) > 0 && System.nanoTime() - deadlineNanos < 0) {
            Thread.onSpinWait();
        }
        return LongStream.generate(() -> measureAllocation(threads, round)).limit(MEASUREMENTS).sorted().skip(MEASUREMENTS / 2).findFirst()
            .orElseThrow();
    }

    private static long measureAllocation(com.sun.management.ThreadMXBean threads, Runnable round) {
        int rounds = 2000;
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < rounds; i++) {
            round.run();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before + rounds - 1) / rounds;
    }

    private static void sealAndOpen(DatagramCipher cipher, ByteBuf datagram, int head, int end) {
        datagram.setIndex(head, end);
        cipher.seal(datagram);
        if (!cipher.open(datagram)) {
            throw new AssertionError("a sealed datagram does not open");
        }
    }

    private static DatagramCipher cipher(String cipherName) {
        return CryptoConfig.kcptun(cipherName, "password").newCipher(RANDOM::nextBytes);
    }

    private static byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
