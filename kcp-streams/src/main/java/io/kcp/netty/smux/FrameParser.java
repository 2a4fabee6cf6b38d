package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;

/**
 * Parses frames from buffers that may start and end anywhere within a frame. It passes on each part of a payload immediately, so that it
 * stores at most 8 bytes of a header or of a UPD frame.
 */
final class FrameParser {

    private static final long UNSIGNED = 0xffL;

    private final SmuxVersion version;
    private final FrameListener listener;
    /** The bytes of the header or the UPD payload that have been received so far, the first byte in the lowest bits. */
    private long word;
    private int wordBytes;
    private int streamId;
    private int payloadBytes;
    private boolean inUpdate;

    FrameParser(SmuxVersion version, FrameListener listener) {
        this.version = version;
        this.listener = listener;
    }

    /**
     * Parses the readable bytes until the listener is paused.
     *
     * @param input <b>borrowed</b>; its reader index is advanced past the parsed bytes
     * @throws SmuxException if the bytes are not valid frames; nothing can be parsed after that
     */
    void parse(ByteBuf input) throws SmuxException {
        while (input.isReadable() && !listener.isPaused()) {
            if (payloadBytes > 0) {
                parsePayload(input);
            } else if (readWord(input)) {
                long complete = word;
                word = 0;
                wordBytes = 0;
                if (inUpdate) {
                    inUpdate = false;
                    listener.onUpdate(streamId, (int) complete, (int) (complete >>> Integer.SIZE));
                } else {
                    parseHeader(complete);
                }
            }
        }
    }

    private void parsePayload(ByteBuf input) throws SmuxException {
        int bytes = Math.min(payloadBytes, input.readableBytes());
        int end = input.readerIndex() + bytes;
        payloadBytes -= bytes;
        listener.onPayload(streamId, input, bytes);
        input.readerIndex(end);
    }

    private boolean readWord(ByteBuf input) {
        if (wordBytes == 0 && input.readableBytes() >= Long.BYTES) {
            word = input.readLongLE();
            return true;
        }
        while (wordBytes < Long.BYTES && input.isReadable()) {
            word |= (input.readByte() & UNSIGNED) << wordBytes * Byte.SIZE;
            wordBytes++;
        }
        return wordBytes == Long.BYTES;
    }

    private void parseHeader(long header) throws SmuxException {
        int command = FrameFormat.command(header);
        int length = FrameFormat.length(header);
        streamId = FrameFormat.streamId(header);
        if (FrameFormat.version(header) != version.number()) {
            throw invalid(SmuxError.VERSION_MISMATCH, header);
        }
        if (command > (version == SmuxVersion.V2 ? FrameFormat.UPD : FrameFormat.NOP)) {
            throw invalid(SmuxError.UNKNOWN_COMMAND, header);
        }
        if (command != FrameFormat.PSH && length != (command == FrameFormat.UPD ? FrameFormat.UPDATE_BYTES : 0)) {
            throw invalid(SmuxError.INVALID_LENGTH, header);
        }
        listener.onFrame();
        switch (command) {
            case FrameFormat.SYN -> listener.onSyn(streamId);
            case FrameFormat.FIN -> listener.onFin(streamId);
            case FrameFormat.UPD -> inUpdate = true;
            case FrameFormat.PSH -> {
                payloadBytes = length;
                if (length == 0) {
                    listener.onEmptyPayload();
                }
            }
            default -> { }
        }
    }

    private SmuxException invalid(SmuxError error, long header) {
        return new SmuxException(error, "frame with version " + FrameFormat.version(header) + ", command "
            + FrameFormat.command(header) + ", length " + FrameFormat.length(header) + ", stream "
            + Integer.toUnsignedString(FrameFormat.streamId(header))
            + (error == SmuxError.VERSION_MISMATCH ? " (expected: version " + version.number() + ")" : ""));
    }
}
