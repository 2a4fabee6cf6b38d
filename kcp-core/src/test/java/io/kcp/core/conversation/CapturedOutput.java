package io.kcp.core.conversation;

import io.kcp.core.KcpOutput;
import io.kcp.core.MtuProbeOutput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Copies every written datagram and releases the original. */
public final class CapturedOutput implements KcpOutput {

    static final int FEC_DATA_SHARDS = 10;

    private final ByteBufAllocator allocator;
    private final int overheadBytes;
    private List<byte[]> datagrams = new ArrayList<>();
    private Consumer<byte[]> onWrite = datagram -> { };
    private boolean parity;
    private boolean limited;
    private @Nullable Probes probes;

    /** Captures the probes for a larger MTU. */
    public final class Probes implements MtuProbeOutput {

        /** The result of the next probes. */
        public Result result = Result.SENT;
        /** The random number of the next probe. */
        int random = 0x2468ACE;
        private List<byte[]> sent = new ArrayList<>();

        /** Returns the probes written since the previous call. */
        public List<byte[]> take() {
            List<byte[]> taken = sent;
            sent = new ArrayList<>();
            return taken;
        }

        @Override
        public int overheadBytes() {
            return overheadBytes;
        }

        @Override
        public int nextRandom() {
            random = random * 1_103_515_245 + 12_345;
            return random;
        }

        @Override
        public Result write(ByteBuf probe) {
            byte[] bytes = new byte[probe.readableBytes()];
            probe.readBytes(bytes);
            probe.release();
            sent.add(bytes);
            return result;
        }
    }

    public CapturedOutput(ByteBufAllocator allocator, int overheadBytes) {
        this.allocator = allocator;
        this.overheadBytes = overheadBytes;
    }

    /** Runs an action within every write, which the owner of a conversation may do as well. */
    public void onWrite(Consumer<byte[]> action) {
        onWrite = action;
    }

    /** Returns the datagrams written since the previous call. */
    public List<byte[]> take() {
        List<byte[]> taken = datagrams;
        datagrams = new ArrayList<>();
        return taken;
    }

    /** Reports that parity is sent. The conversation reads this setting when it is reconfigured. */
    public void parityFollows() {
        parity = true;
    }

    /** Limits unvalidated conversations. A conversation reads this setting when it is created. */
    CapturedOutput limited() {
        limited = true;
        return this;
    }

    /** Permits probes for a larger MTU. The conversation asks for this object when the settings of its MTU change. */
    public Probes permitProbes() {
        Probes permitted = new Probes();
        probes = permitted;
        return permitted;
    }

    @Override
    public @Nullable MtuProbeOutput mtuProbes() {
        return probes;
    }

    @Override
    public boolean limitsAmplification() {
        return limited;
    }

    @Override
    public int fecDataShards() {
        return parity ? FEC_DATA_SHARDS : 0;
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
