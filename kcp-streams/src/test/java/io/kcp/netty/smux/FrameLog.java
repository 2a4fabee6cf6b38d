package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Records frames, and joins the parts of a payload. */
final class FrameLog implements FrameListener {

    private final List<String> frames = new ArrayList<>();
    int headers;
    private int payloadId;
    private ByteArrayOutputStream payload = new ByteArrayOutputStream();

    private void endPayload() {
        if (payload.size() > 0) {
            frames.add("PSH " + payloadId + ' ' + Arrays.hashCode(payload.toByteArray()) + ' ' + payload.size());
            payload = new ByteArrayOutputStream();
        }
    }

    List<String> frames() {
        endPayload();
        return frames;
    }

    @Override
    public boolean isPaused() {
        return false;
    }

    @Override
    public void onFrame() {
        endPayload();
        headers++;
    }

    @Override
    public void onSyn(int streamId) {
        frames.add("SYN " + streamId);
    }

    @Override
    public void onFin(int streamId) {
        frames.add("FIN " + streamId);
    }

    @Override
    public void onPayload(int streamId, ByteBuf input, int bytes) {
        if (bytes < 1 || bytes > input.readableBytes()) {
            throw new AssertionError(bytes + " bytes of a payload, of which " + input.readableBytes() + " are readable");
        }
        payloadId = streamId;
        byte[] part = new byte[bytes];
        input.getBytes(input.readerIndex(), part);
        payload.writeBytes(part);
    }

    @Override
    public void onEmptyPayload() {
        frames.add("empty");
    }

    @Override
    public void onUpdate(int streamId, int consumed, int window) {
        frames.add("UPD " + streamId + ' ' + consumed + ' ' + window);
    }
}
