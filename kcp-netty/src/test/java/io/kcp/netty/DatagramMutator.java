package io.kcp.netty;

import io.kcp.core.SegmentHeader;
import io.kcp.core.fec.FecHeader;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.function.Predicate;

/**
 * Modifies, truncates or drops outbound datagrams before the handlers below add parity and encrypt them. The peer therefore receives
 * invalid content that is correctly encrypted. Only an attacker with the key can send such datagrams.
 */
final class DatagramMutator extends ChannelOutboundHandlerAdapter {

    /** Offsets of the fields {@code conv}, {@code cmd}, {@code frg}, {@code wnd}, {@code ts}, {@code sn}, {@code una} and {@code len}. */
    private static final int[] FIELDS = {0, 4, 5, 6, 8, 12, 16, 20};

    private final Predicate<KcpDatagram> selected;
    private FuzzChoices choices = new FuzzChoices(new byte[0]);

    /** Creates a handler that modifies no datagrams until {@link #mutate} is called, and after that only the selected datagrams. */
    DatagramMutator(Predicate<KcpDatagram> selected) {
        this.selected = selected;
    }

    /** Sets the source of the choices. A source without more choices modifies no datagram. */
    void mutate(FuzzChoices source) {
        choices = source;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof KcpDatagram packet && packet.isOutbound() && selected.test(packet) && choices.oneIn(3)
            && !isKept(packet)) {
            packet.release();
            promise.trySuccess();
            return;
        }
        context.write(message, promise);
    }

    /** Modifies a packet. Returns {@code false} if the packet is to be dropped. */
    private boolean isKept(KcpDatagram packet) {
        ByteBuf datagram = packet.content();
        int changes = 1 + choices.below(3);
        for (int i = 0; i < changes; i++) {
            int choice = choices.below(8);
            if (choice == 7 && !packet.isOutOfBand()) {
                return false;
            }
            if (choice < 4) {
                changeField(datagram);
            } else {
                change(datagram, choices);
            }
        }
        return true;
    }

    private void changeField(ByteBuf datagram) {
        int segment = datagram.readerIndex() + new int[] {0, FecHeader.LENGTH, SegmentHeader.LENGTH}[choices.below(3)];
        int field = FIELDS[choices.below(FIELDS.length)];
        if (segment + SegmentHeader.LENGTH > datagram.writerIndex()) {
            return;
        }
        int position = segment + field;
        if (field == 4 || field == 5) {
            datagram.setByte(position, choices.numberNear(datagram.getByte(position)));
        } else if (field == 6) {
            datagram.setShortLE(position, choices.numberNear(datagram.getShortLE(position)));
        } else {
            datagram.setIntLE(position, choices.numberNear(datagram.getIntLE(position)));
        }
    }

    /** Changes a byte, cuts off the end or copies a part of a datagram to another position. */
    static void change(ByteBuf datagram, FuzzChoices choices) {
        int bytes = datagram.readableBytes();
        if (bytes <= SegmentHeader.LENGTH) {
            return;
        }
        int from = datagram.readerIndex() + choices.below(bytes);
        int to = datagram.readerIndex() + choices.below(bytes);
        switch (choices.below(4)) {
            case 0 -> datagram.writerIndex(Math.max(from, datagram.readerIndex() + SegmentHeader.LENGTH));
            case 1 -> {
                byte[] part = new byte[Math.min(choices.below(64), datagram.writerIndex() - Math.max(from, to))];
                datagram.getBytes(from, part);
                datagram.setBytes(to, part);
            }
            default -> datagram.setByte(from, choices.below(256));
        }
    }
}
