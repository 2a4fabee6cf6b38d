package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;

/** Receives the frames that a {@link FrameParser} has parsed. */
interface FrameListener {

    /** Returns {@code true} if the parser must stop before the next frame or the next part of a payload. */
    boolean isPaused();

    /** Handles the valid header of a frame, before the method for its command is called. */
    void onFrame();

    void onSyn(int streamId) throws SmuxException;

    void onFin(int streamId);

    /**
     * Handles a part of the payload of a PSH frame.
     *
     * @param input <b>borrowed</b>; the payload starts at its reader index, which the parser advances afterwards
     * @param bytes number of bytes, at least 1
     */
    void onPayload(int streamId, ByteBuf input, int bytes) throws SmuxException;

    /** Handles a PSH frame without payload, which has no meaning. */
    void onEmptyPayload();

    void onUpdate(int streamId, int consumed, int window);
}
