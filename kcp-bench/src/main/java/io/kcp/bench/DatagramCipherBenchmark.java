package io.kcp.bench;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.kcp.core.crypto.Entropy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.conscrypt.Conscrypt;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the encryption and decryption of one datagram in a direct buffer, including nonce, checksum and copies.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar DatagramCipherBenchmark -prof gc</pre>
 */
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class DatagramCipherBenchmark extends NanosecondBenchmark {

    /** Security providers of AEAD ciphers. */
    public enum CipherProvider {
        /** Default provider of the JDK. */
        JDK(config -> config),
        /** Amazon Corretto Crypto Provider, which supports AES-GCM. */
        CORRETTO(config -> config.withProvider(AmazonCorrettoCryptoProvider.INSTANCE)),
        /** Conscrypt, which supports AES-GCM and ChaCha20-Poly1305. */
        CONSCRYPT(config -> config.withProvider(Conscrypt.newProvider()));

        @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
        private final UnaryOperator<CryptoConfig> change;

        CipherProvider(UnaryOperator<CryptoConfig> change) {
            this.change = change;
        }
    }

    /** The cipher. */
    @Param({"aes-128-gcm", "aes-256-gcm", "chacha20-poly1305", "aes", "aes-128", "aes-192", "salsa20", "sm4", "twofish", "blowfish",
        "cast5", "3des", "xtea", "tea", "xor", "none"})
    public String cipherName = "";

    /** Security provider of the AEAD cipher. */
    @Param("JDK")
    public CipherProvider provider = CipherProvider.JDK;

    /** Payload size of the datagram. */
    @Param("1400")
    public int payloadBytes;

    @SuppressWarnings("NullAway.Init")
    private DatagramCipher cipher;
    private ByteBuf outgoing = Unpooled.EMPTY_BUFFER;
    private ByteBuf incoming = Unpooled.EMPTY_BUFFER;
    private byte[] sealed = new byte[0];
    private byte[] forged = new byte[0];
    private int head;

    /** Uses the cipher of a peer to seal the datagram that the benchmarks will open. */
    @Setup
    public void seal() {
        CryptoConfig config = provider.change.apply(CryptoConfig.kcptun(cipherName, "it's a secrect"));
        Entropy entropy = new SecureRandom()::nextBytes;
        cipher = config.withReflectionGuard(entropy, new AtomicLong()::getAndIncrement).newCipher(entropy);
        DatagramCipher peer = config.withReflectionGuard(entropy, new AtomicLong()::getAndIncrement).newCipher(entropy);
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

    /** Releases the buffers. */
    @TearDown
    public void release() {
        outgoing.release();
        incoming.release();
    }

    /** Seals a payload in place. The payload is the ciphertext from the previous call. */
    @Benchmark
    public int sealing() {
        outgoing.setIndex(head, head + payloadBytes);
        cipher.seal(outgoing);
        return outgoing.readableBytes();
    }

    /** Copies a sealed datagram to a buffer and opens it. */
    @Benchmark
    public boolean opening() {
        incoming.clear().writeBytes(sealed);
        if (!cipher.open(incoming)) {
            throw new IllegalStateException("a sealed datagram was rejected");
        }
        return true;
    }

    /**
     * Copies a datagram with one modified bit to a buffer and rejects it. If the provider throws an exception, rejecting a datagram costs
     * more in an application than in this benchmark, because the stack of an application is deeper.
     */
    @Benchmark
    public boolean refusing() {
        incoming.clear().writeBytes(forged);
        if (cipher.open(incoming)) {
            throw new IllegalStateException("a forged datagram was accepted");
        }
        return false;
    }
}
