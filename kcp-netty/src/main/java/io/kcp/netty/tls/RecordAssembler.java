package io.kcp.netty.tls;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpTlsException;
import io.kcp.netty.internal.base.PartialInputLimit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.NotSslRecordException;
import org.jspecify.annotations.Nullable;

/**
 * Passes only complete TLS records to the {@code SslHandler}, and counts the memory of an incomplete record towards the limit on incomplete
 * packets. A header that no version of TLS permits closes the session, because the {@code SslHandler} would store data for it.
 *
 * <p>While a task of the handshake waits or runs on another thread, the session reads nothing, because the {@code SslHandler} would store
 * everything that it receives. The data then stays in the receive window of the session, which is limited and counted.
 */
final class RecordAssembler extends ChannelDuplexHandler {

    private static final int HEADER_BYTES = 5;
    private static final int FIRST_CONTENT_TYPE = 20;
    private static final int LAST_CONTENT_TYPE = 24;
    private static final int MAJOR_VERSION = 3;
    /** Largest payload of a record, which TLS 1.2 permits. */
    private static final int MAX_PAYLOAD_BYTES = (1 << 14) + 2_048;
    private static final int MIN_CAPACITY_BYTES = 512;

    private final KcpChannel session;
    private final PartialInputLimit limit;
    private final SessionPartialInput memory;
    private @Nullable ByteBuf record;
    private boolean closed;
    private int unfinishedTasks;
    private boolean readWithheld;
    private @Nullable ChannelHandlerContext context;

    RecordAssembler(KcpChannel session, PartialInputLimit limit) {
        this.session = session;
        this.limit = limit;
        memory = new SessionPartialInput(session, this::recordBytes, this::release);
    }

    private int recordBytes() {
        return record == null ? 0 : record.readableBytes();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        limit.attach(memory, added);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        release();
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        release();
        inactive.fireChannelInactive();
    }

    private void release() {
        closed = true;
        if (record != null) {
            record.release();
            record = null;
        }
        memory.trySetBytes(0);
    }

    // ---- records

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof ByteBuf in)) {
            context.fireChannelRead(message);
            return;
        }
        boolean forwarded = false;
        try {
            while (in.isReadable() && !closed) {
                if (record == null) {
                    int bytes = completeBytes(in);
                    if (bytes < 0) {
                        onInvalidHeader();
                        return;
                    }
                    if (bytes == in.readableBytes()) {
                        forwarded = true;
                        context.fireChannelRead(in);
                        return;
                    }
                    if (bytes > 0) {
                        context.fireChannelRead(in.readRetainedSlice(bytes));
                    }
                }
                if (!closed) {
                    store(context, in);
                }
            }
        } finally {
            if (!forwarded) {
                in.release();
            }
        }
    }

    private void onInvalidHeader() {
        release();
        NotSslRecordException cause = new NotSslRecordException("the header of a record is invalid");
        session.closeBecause(KcpTlsException.failed("the peer sent data that is not TLS", cause));
    }

    /** Returns the length of the complete records at the beginning of the input, or -1 if a header is invalid. */
    private int completeBytes(ByteBuf in) {
        int start = in.readerIndex();
        int end = in.writerIndex();
        while (end - start >= HEADER_BYTES) {
            int bytes = recordBytes(in, start);
            if (bytes < 0) {
                return -1;
            }
            if (bytes > end - start) {
                break;
            }
            start += bytes;
        }
        return start - in.readerIndex();
    }

    /** Returns the length of a record with its header, or -1 if the header is invalid. */
    private static int recordBytes(ByteBuf in, int start) {
        int type = in.getUnsignedByte(start);
        int payloadBytes = in.getUnsignedShort(start + HEADER_BYTES - Short.BYTES);
        return type < FIRST_CONTENT_TYPE || type > LAST_CONTENT_TYPE || in.getByte(start + 1) != MAJOR_VERSION
            || payloadBytes > MAX_PAYLOAD_BYTES ? -1 : HEADER_BYTES + payloadBytes;
    }

    /** Appends input to the incomplete record, and forwards the record if it is complete. */
    private void store(ChannelHandlerContext context, ByteBuf in) {
        ByteBuf stored = record;
        if (stored == null) {
            stored = context.alloc().buffer(0, HEADER_BYTES + MAX_PAYLOAD_BYTES);
            record = stored;
        }
        if (stored.readableBytes() < HEADER_BYTES) {
            append(stored, in, HEADER_BYTES);
        }
        if (stored.readableBytes() < HEADER_BYTES) {
            return;
        }
        int length = recordBytes(stored, stored.readerIndex());
        if (length < 0) {
            onInvalidHeader();
            return;
        }
        append(stored, in, length);
        if (record != null && stored.readableBytes() == length) {
            record = null;
            memory.trySetBytes(0);
            context.fireChannelRead(stored);
        }
    }

    private void append(ByteBuf stored, ByteBuf in, int length) {
        int available = Math.min(in.readableBytes(), length - stored.readableBytes());
        int needed = stored.readableBytes() + available;
        if (needed > stored.capacity()) {
            int capacity = Math.min(stored.maxCapacity(), Math.max(MIN_CAPACITY_BYTES, 2 * needed));
            if (!memory.trySetBytes(capacity)) {
                memory.onRefused();
                return;
            }
            stored.capacity(capacity);
        }
        stored.writeBytes(in, available);
    }

    // ---- tasks

    @Override
    public void read(ChannelHandlerContext context) {
        if (unfinishedTasks > 0) {
            readWithheld = true;
        } else {
            context.read();
        }
    }

    /** Withholds reads until {@link #onTaskEnded} is called. The next task can start before the previous one has ended. */
    void onTaskStarted() {
        unfinishedTasks++;
    }

    void onTaskEnded() {
        unfinishedTasks--;
        ChannelHandlerContext added = context;
        if (unfinishedTasks == 0 && readWithheld && added != null) {
            readWithheld = false;
            added.read();
        }
    }
}
