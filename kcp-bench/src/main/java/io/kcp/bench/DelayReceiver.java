package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Takes what {@link DelaySender} sends, in messages or in a stream, and records how long each message was under way. */
final class DelayReceiver extends ChannelInboundHandlerAdapter {

    private final int messageBytes;
    private final DelayRecord record;
    private int position;
    private long stampNs;

    DelayReceiver(int messageBytes, DelayRecord record) {
        this.messageBytes = messageBytes;
        this.record = record;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        try {
            long nowNs = System.nanoTime();
            while (buffer.isReadable()) {
                read(buffer, nowNs);
            }
        } finally {
            buffer.release();
        }
    }

    private void read(ByteBuf buffer, long nowNs) {
        if (position < Long.BYTES) {
            stampNs = stampNs << Byte.SIZE | buffer.readUnsignedByte();
            position++;
        } else {
            int length = Math.min(buffer.readableBytes(), messageBytes - position);
            buffer.skipBytes(length);
            position += length;
        }
        if (position == messageBytes) {
            if (stampNs != DelaySender.NOT_MEASURED) {
                record.add(nowNs - stampNs);
            }
            position = 0;
            stampNs = 0;
        }
    }
}
