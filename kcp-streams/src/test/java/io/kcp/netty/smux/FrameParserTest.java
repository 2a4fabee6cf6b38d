package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parser finds the same frames however the bytes are split, and never fails in another way than with a {@link SmuxException}. */
@Timeout(60)
class FrameParserTest {

    private static byte[] sample(SmuxVersion version) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int number = version.number();
        all.writeBytes(new WireFrame(number, WireFrame.SYN, 3, new byte[0]).bytes());
        all.writeBytes(new WireFrame(number, WireFrame.PSH, 3, "hello".getBytes(StandardCharsets.US_ASCII)).bytes());
        all.writeBytes(new WireFrame(number, WireFrame.NOP, 0, new byte[0]).bytes());
        if (version == SmuxVersion.V2) {
            all.writeBytes(new WireFrame(number, WireFrame.UPD, -1, new byte[] {1, 2, 3, 4, -1, -1, -1, -1}).bytes());
        }
        all.writeBytes(new WireFrame(number, WireFrame.PSH, 3, new byte[0]).bytes());
        all.writeBytes(new WireFrame(number, WireFrame.PSH, 5, new byte[] {1}).bytes());
        all.writeBytes(new WireFrame(number, WireFrame.FIN, 3, new byte[0]).bytes());
        return all.toByteArray();
    }

    private static List<String> parse(SmuxVersion version, byte[] bytes, int... cuts) throws SmuxException {
        FrameLog log = new FrameLog();
        FrameParser parser = new FrameParser(version, log);
        int from = 0;
        for (int cut : cuts) {
            parser.parse(Unpooled.wrappedBuffer(bytes, from, cut - from));
            from = cut;
        }
        parser.parse(Unpooled.wrappedBuffer(bytes, from, bytes.length - from));
        return log.frames();
    }

    @Test
    void bytesOnTheWireAreLittleEndian() throws SmuxException {
        byte[] update = {2, 4, 8, 0, 3, 0, 0, (byte) 0x80, 1, 2, 0, 0, 0, 0, 1, 0};
        assertThat(parse(SmuxVersion.V2, update)).containsExactly("UPD " + 0x8000_0003 + " 513 65536");
    }

    @ParameterizedTest
    @EnumSource(SmuxVersion.class)
    void everySplitGivesTheSameFrames(SmuxVersion version) throws SmuxException {
        byte[] bytes = sample(version);
        List<String> whole = parse(version, bytes);
        assertThat(whole).hasSize(version == SmuxVersion.V2 ? 6 : 5);
        for (int first = 0; first <= bytes.length; first++) {
            for (int second = first; second <= bytes.length; second++) {
                assertThat(parse(version, bytes, first, second)).isEqualTo(whole);
            }
        }
        int[] everywhere = new int[bytes.length];
        Arrays.setAll(everywhere, i -> i);
        assertThat(parse(version, bytes, everywhere)).isEqualTo(whole);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomBytesOnlyCauseSmuxExceptions(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int invalid = 0;
        for (int round = 0; round < 20_000; round++) {
            SmuxVersion version = SmuxVersion.values()[random.nextInt(2)];
            FrameLog log = new FrameLog();
            FrameParser parser = new FrameParser(version, log);
            try {
                for (int part = 0; part < 4; part++) {
                    byte[] bytes = new byte[random.nextInt(40)];
                    random.nextBytes(bytes);
                    for (int i = 0; i + 1 < bytes.length; i += 1 + random.nextInt(12)) {
                        // Plausible versions and commands, so that the parser often gets past the header.
                        bytes[i] = (byte) version.number();
                        bytes[i + 1] = (byte) random.nextInt(5);
                        if (i + 3 < bytes.length && random.nextInt(4) > 0) {
                            bytes[i + 2] = (byte) (random.nextBoolean() ? 0 : 8);
                            bytes[i + 3] = 0;
                        }
                    }
                    parser.parse(Unpooled.wrappedBuffer(bytes));
                }
            } catch (SmuxException expected) {
                invalid++;
                assertThat(expected.error()).isIn(SmuxError.VERSION_MISMATCH, SmuxError.UNKNOWN_COMMAND, SmuxError.INVALID_LENGTH);
            }
            assertThat(log.frames().size()).isLessThanOrEqualTo(log.headers);
        }
        assertThat(invalid).isBetween(1, 19_999);
    }
}
