package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;

/**
 * Writes the frames of all streams to the parent channel while that channel is writable. Control frames go first. Data frames follow
 * round-robin, one per stream, so that a stream with much data does not delay the others. The frames are written at the end of a read
 * batch or in a separate task, so that a single flush of the parent channel sends the frames of all streams that were flushed before.
 */
final class FrameScheduler implements Runnable {

    /** Number of bytes after which the parent channel is flushed, so that its writability reflects how much the transport accepts. */
    private static final int FLUSH_BYTES = 65_536;
    /**
     * Number of bytes after which a task stops and schedules another one, so that other channels of the event loop are not delayed for
     * long.
     */
    private static final int TASK_BYTES = 1 << 20;
    private static final int CONTROL_BUFFER_BYTES = 4_096;
    private static final int MAX_CONTROL_BYTES = 2 * FrameFormat.HEADER_BYTES + FrameFormat.HEADER_BYTES + FrameFormat.UPDATE_BYTES;
    /** Maximum number of refusals that wait until the parent channel is writable. */
    private static final int MAX_REFUSALS = 1_024;

    private final SmuxContext link;
    private final StreamQueue control = new StreamQueue.Control();
    private final StreamQueue ready = new StreamQueue.Ready();
    private int[] refusals = {};
    private int refusalCount;
    private boolean nopDue;
    private boolean scheduled;
    private boolean running;

    FrameScheduler(SmuxContext link) {
        this.link = link;
    }

    /** Schedules the control frames that are due for a stream. */
    void addControl(AbstractSmuxStream stream) {
        control.add(stream);
        schedule();
    }

    /** Schedules data frames of a stream. */
    void addReady(AbstractSmuxStream stream) {
        ready.add(stream);
        schedule();
    }

    /** Removes a closed stream that has no frames to send from the queues. */
    void onStreamEnded(AbstractSmuxStream stream) {
        control.onStreamEnded(stream);
        ready.onStreamEnded(stream);
    }

    /** Returns the number of streams that are queued for control frames and for data frames. */
    int queuedStreams() {
        return control.size() + ready.size();
    }

    /**
     * Schedules a NOP frame if the parent channel is writable. Otherwise, the parent channel already has data to send, and no NOP frame
     * is needed.
     */
    void addNop() {
        if (link.isParentWritable()) {
            nopDue = true;
            schedule();
        }
    }

    /** Schedules a FIN frame for a stream that is refused, or returns {@code false} if too many refusals are waiting. */
    boolean addRefusal(int streamId) {
        if (refusalCount == MAX_REFUSALS) {
            // One read of the parent channel may contain more SYN frames than the array holds.
            runNow();
        }
        if (refusalCount == MAX_REFUSALS) {
            return false;
        }
        if (refusals.length == 0) {
            // Allocates the array for the first refusal, because few sessions refuse any stream.
            refusals = new int[MAX_REFUSALS];
        }
        refusals[refusalCount++] = streamId;
        schedule();
        return true;
    }

    /**
     * Schedules a task that writes the frames that are due. If a read batch ends first, the frames are written at its end. The task is
     * scheduled even during a read batch, because a handler may fire {@code channelRead} without {@code channelReadComplete}.
     */
    void schedule() {
        if (!scheduled && !running && link.isParentWritable() && hasFrames()) {
            scheduled = true;
            link.execute(this);
        }
    }

    private boolean hasFrames() {
        return !control.isEmpty() || !ready.isEmpty() || refusalCount > 0 || nopDue;
    }

    @Override
    public void run() {
        scheduled = false;
        runNow();
    }

    /** Writes the frames that are due, and flushes the parent channel. */
    void runNow() {
        if (running || link.isClosed()) {
            return;
        }
        running = true;
        try {
            ChannelHandlerContext parent = link.context();
            for (int written = 0; written < TASK_BYTES && !link.isClosed() && link.isParentWritable(); ) {
                int bytes = writeSome(parent);
                if (bytes == 0) {
                    break;
                }
                written += bytes;
                parent.flush();
            }
        } catch (RuntimeException | OutOfMemoryError failure) {
            link.fail(new SmuxException(SmuxError.FAILED, link.parent().toString(), failure));
        } finally {
            running = false;
        }
        if (!link.isClosed()) {
            schedule();
        }
    }

    private int writeSome(ChannelHandlerContext parent) {
        int written = 0;
        while ((!control.isEmpty() || refusalCount > 0 || nopDue) && mayWrite()) {
            written += writeControl(parent);
        }
        while (written < FLUSH_BYTES && mayWrite()) {
            AbstractSmuxStream stream = ready.poll();
            if (stream == null) {
                break;
            }
            int bytes = stream.writeData(parent);
            if (bytes > 0) {
                written += bytes;
                ready.add(stream);
            }
        }
        return written;
    }

    private boolean mayWrite() {
        return !link.isClosed() && link.isParentWritable();
    }

    private int writeControl(ChannelHandlerContext parent) {
        ByteBuf out = parent.alloc().ioBuffer(MAX_CONTROL_BYTES, CONTROL_BUFFER_BYTES);
        int frames = 0;
        if (nopDue) {
            nopDue = false;
            FrameFormat.writeHeader(out, link.settings().version(), FrameFormat.NOP, 0, 0);
            frames++;
        }
        while (refusalCount > 0 && out.maxWritableBytes() >= MAX_CONTROL_BYTES) {
            FrameFormat.writeHeader(out, link.settings().version(), FrameFormat.FIN, 0, refusals[--refusalCount]);
            frames++;
        }
        while (!control.isEmpty() && out.maxWritableBytes() >= MAX_CONTROL_BYTES) {
            AbstractSmuxStream stream = control.poll();
            assert stream != null;
            frames += stream.writeControl(out);
        }
        link.counters().framesSent += frames;
        int bytes = out.readableBytes();
        if (bytes == 0) {
            out.release();
        } else {
            parent.write(out).addListener(link.controlWrite());
        }
        return bytes;
    }
}
