package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;

/** Tracks which control frames of a stream are due, and writes them in the order SYN, UPD, FIN. */
final class DueFrames {

    private final AbstractSmuxStream stream;
    private final StreamReceiver input;
    private final StreamSender output;
    private final SmuxContext link;
    private boolean synDue;
    private boolean finDue;
    private boolean finSent;

    DueFrames(AbstractSmuxStream stream, StreamReceiver input, StreamSender output, SmuxContext link) {
        this.stream = stream;
        this.input = input;
        this.output = output;
        this.link = link;
        synDue = stream.isOpenedHere();
    }

    /** Returns {@code true} if the stream was opened on this side and its SYN frame has not been sent. */
    boolean isSynDue() {
        return synDue;
    }

    /** Returns {@code true} if the stream is closed and the peer needs no FIN frame any more. */
    boolean isEnded() {
        return !stream.isOpen() && !finDue;
    }

    /** Schedules the FIN frame, unless it has been scheduled before. */
    void sendFin() {
        if (!finSent && !finDue) {
            finDue = true;
            link.scheduler().addControl(stream);
        }
    }

    /** Cancels the SYN frame of a closed stream, and returns {@code true} if the peer needs a FIN frame that has not been sent. */
    boolean onClosed() {
        finDue = !finSent && !synDue;
        synDue = false;
        return finDue;
    }

    /** Appends all due control frames to a <b>borrowed</b> buffer, and returns their number. */
    int write(ByteBuf out) {
        SmuxVersion version = link.settings().version();
        int frames = 0;
        if (synDue) {
            synDue = false;
            FrameFormat.writeHeader(out, version, FrameFormat.SYN, 0, stream.id32());
            frames++;
            if (output.hasFlushed()) {
                link.scheduler().addReady(stream);
            }
        }
        if (input.isUpdateDue() && stream.isOpen()) {
            input.writeUpdate(out);
            frames++;
        }
        if (finDue) {
            finDue = false;
            finSent = true;
            FrameFormat.writeHeader(out, version, FrameFormat.FIN, 0, stream.id32());
            frames++;
            if (!stream.isOpen()) {
                link.onStreamEnded(stream);
            }
        }
        return frames;
    }
}
