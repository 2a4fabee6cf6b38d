package io.kcp.netty.smux;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import java.util.Arrays;
import java.util.List;

/**
 * Checks that arbitrary bytes of a peer are parsed into the same frames however they are split, and that they neither make a session fail
 * nor leak a buffer. The first byte of an input selects the protocol version, whether the streams read, and the length of the parts. A
 * normal build replays the saved inputs; {@code JAZZER_FUZZ=1} searches for new ones.
 */
class FrameParserFuzzTest {

    private static final int RECEIVE_BUFFER_BYTES = 4_096;
    private static final int STREAM_BUFFER_BYTES = 1_024;

    @FuzzTest(maxDuration = "60s")
    void arbitraryBytesNeitherThrowNorLeak(byte[] input) {
        if (input.length == 0) {
            return;
        }
        SmuxVersion version = SmuxVersion.values()[input[0] & 1];
        boolean autoRead = (input[0] & 2) == 0;
        int partBytes = 1 + ((input[0] & 0xfc) >> 2);
        byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
        Parsed whole = parse(version, bytes, bytes.length);
        check(whole.equals(parse(version, bytes, partBytes)), "parts of " + partBytes + " bytes are parsed into other frames");
        try (SmuxEnd end = SmuxEnd.server(version, smux -> smux.maxStreams(4).receiveBufferBytes(RECEIVE_BUFFER_BYTES)
            .streamBufferBytes(STREAM_BUFFER_BYTES).childOption(ChannelOption.AUTO_READ, autoRead), recorder -> { })) {
            for (int from = 0; from < bytes.length && end.channel.isOpen(); from += partBytes) {
                end.receive(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + partBytes)));
                end.sentBytes();
            }
            end.accepted.forEach(recorder -> recorder.stream.read());
            SmuxException cause = end.handler.closeCause();
            check(cause == null || cause.error() != SmuxError.FAILED && cause.error() != SmuxError.WRITE_FAILED, "failed: " + cause);
            check(whole.error != null || cause == null || cause.error() == SmuxError.INVALID_STREAM_ID
                || cause.error() == SmuxError.WINDOW_EXCEEDED, "valid frames closed the parent: " + cause);
        }
    }

    private record Parsed(List<String> frames, SmuxError error) {
    }

    private static Parsed parse(SmuxVersion version, byte[] bytes, int partBytes) {
        FrameLog log = new FrameLog();
        FrameParser parser = new FrameParser(version, log);
        SmuxError error = null;
        try {
            for (int from = 0; from < bytes.length; from += partBytes) {
                parser.parse(Unpooled.wrappedBuffer(bytes, from, Math.min(partBytes, bytes.length - from)));
            }
        } catch (SmuxException invalid) {
            error = invalid.error();
        }
        return new Parsed(log.frames(), error);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
