package io.kcp.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Keeps a copy of every datagram and releases the original at once. */
final class CapturedOutput implements KcpOutput {

    private final ByteBufAllocator allocator;
    private final int overheadBytes;
    private List<byte[]> datagrams = new ArrayList<>();
    private Consumer<byte[]> onWrite = datagram -> { };
    private boolean parity;

    CapturedOutput(ByteBufAllocator allocator, int overheadBytes) {
        this.allocator = allocator;
        this.overheadBytes = overheadBytes;
    }

    /** Runs an action within every write, as the owner of a conversation may do. */
    void onWrite(Consumer<byte[]> action) {
        onWrite = action;
    }

    /** Returns the datagrams written since the previous call. */
    List<byte[]> take() {
        List<byte[]> taken = datagrams;
        datagrams = new ArrayList<>();
        return taken;
    }

    /** Reports parity from now on, which the conversation reads in its next reconfiguration. */
    void parityFollows() {
        parity = true;
    }

    @Override
    public boolean sendsParity() {
        return parity;
    }

    @Override
    public int overheadBytes() {
        return overheadBytes;
    }

    @Override
    public ByteBuf allocate(int datagramBytes) {
        return allocator.heapBuffer(datagramBytes, datagramBytes);
    }

    @Override
    public void write(ByteBuf datagram) {
        byte[] bytes = new byte[datagram.readableBytes()];
        datagram.readBytes(bytes);
        datagram.release();
        datagrams.add(bytes);
        onWrite.accept(bytes);
    }
}
