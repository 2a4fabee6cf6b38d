package io.kcp.bench;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.Entropy;
import io.kcp.core.crypto.PacketCipher;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One datagram sealed or opened, in a direct buffer: nonce, checksum and copies included.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar PacketCipherBenchmark -prof gc</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = {EventLoopThreads.CUSTOM, EventLoopThreads.CLASS, EventLoopThreads.NO_LEAK_DETECTION})
public class PacketCipherBenchmark {

    /** The cipher. */
    @Param({"aes-128-gcm", "aes-256-gcm", "chacha20-poly1305", "aes", "aes-128", "aes-192", "salsa20", "sm4", "twofish", "blowfish",
        "cast5", "3des", "xtea", "tea", "xor", "none"})
    public String cipherName = "";

    /** Where an AEAD comes from. */
    @Param("JDK")
    public CipherProvider provider = CipherProvider.JDK;

    /** Payload of the datagram. */
    @Param("1400")
    public int payloadBytes;

    @SuppressWarnings("NullAway.Init")
    private PacketCipher cipher;
    @SuppressWarnings("NullAway.Init")
    private ByteBuf outgoing;
    @SuppressWarnings("NullAway.Init")
    private ByteBuf incoming;
    @SuppressWarnings("NullAway.Init")
    private byte[] sealed;
    @SuppressWarnings("NullAway.Init")
    private byte[] forged;
    private int head;

    /** Seals, as the peer, the datagram that is opened then. */
    @Setup(Level.Trial)
    public void seal() {
        CryptoConfig config = provider.apply(CryptoConfig.kcptun(cipherName, "it's a secrect"));
        Entropy entropy = new SecureRandom()::nextBytes;
        cipher = config.withReflectionGuard(entropy, new AtomicLong()::getAndIncrement).newCipher(entropy);
        PacketCipher peer = config.withReflectionGuard(entropy, new AtomicLong()::getAndIncrement).newCipher(entropy);
        head = cipher.headBytes();
        outgoing = Unpooled.directBuffer(head + payloadBytes + cipher.tailBytes());
        incoming = Unpooled.directBuffer(head + payloadBytes + cipher.tailBytes());
        outgoing.setZero(0, outgoing.capacity());
        outgoing.setIndex(head, head + payloadBytes);
        peer.seal(outgoing);
        sealed = new byte[outgoing.readableBytes()];
        outgoing.getBytes(0, sealed);
        forged = sealed.clone();
        forged[forged.length - 1] ^= 1;
    }

    /** Gives the buffers back. */
    @TearDown(Level.Trial)
    public void release() {
        outgoing.release();
        incoming.release();
    }

    /**
     * Seals a payload; each time what the last time left of it.
     *
     * @return bytes of the datagram
     */
    @Benchmark
    public int sealing() {
        outgoing.setIndex(head, head + payloadBytes);
        cipher.seal(outgoing);
        return outgoing.readableBytes();
    }

    /**
     * Writes a sealed datagram to a buffer and opens it there.
     *
     * @return whether it opened
     */
    @Benchmark
    public boolean opening() {
        incoming.clear().writeBytes(sealed);
        if (!cipher.open(incoming)) {
            throw new IllegalStateException("a sealed datagram did not open");
        }
        return true;
    }

    /**
     * Writes a datagram with one wrong bit to a buffer and fails to open it. Where that throws inside, it costs more the
     * deeper the stack is, and here it is not deep.
     *
     * @return whether it opened
     */
    @Benchmark
    public boolean refusing() {
        incoming.clear().writeBytes(forged);
        if (cipher.open(incoming)) {
            throw new IllegalStateException("a forged datagram was opened");
        }
        return false;
    }
}
