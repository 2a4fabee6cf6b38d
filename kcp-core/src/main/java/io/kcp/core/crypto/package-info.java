/**
 * Packet encryption that is wire compatible with kcp-go and kcptun. The class {@link io.kcp.core.crypto.CryptoConfig} selects a cipher and
 * holds its key. A {@link io.kcp.core.crypto.DatagramCipher} is an instance of that cipher for one thread.
 *
 * <h2>Terms</h2>
 * <ul>
 * <li>A cipher <i>seals</i> a payload: it adds a nonce and a checksum or tag, and encrypts the result.
 * <li>A cipher <i>opens</i> a datagram: it decrypts and checks the datagram, and restores the payload. A datagram that fails
 * the check does not open.
 * <li>An <i>opener</i> is one of the configurations whose datagrams open while keys are rotated.
 * <li>A <i>reflection</i> is a datagram that an attacker on the path sends back to its sender.
 * </ul>
 *
 * <h2>Datagram layouts</h2>
 * <pre>
 * AEAD cipher   nonce (12) | ciphertext | tag (16)
 * other cipher  nonce (16) | CRC-32 of the payload, little-endian (4) | payload      encrypted as a whole
 * null          payload
 * </pre>
 * The block ciphers run in CFB mode with a constant initialization vector. The nonce is random and encrypted first, so it takes
 * the role of the initialization vector.
 *
 * <h2>Choosing a cipher</h2>
 * Use an AEAD cipher: {@code aes-128-gcm}, {@code aes-256-gcm} or {@code chacha20-poly1305}. kcp-go has supported {@code aes-128-gcm} since
 * version 5.6.49. All other ciphers exist for peers that support no AEAD cipher.
 * <ul>
 * <li>{@code none} and {@code xor} keep nothing secret. Two captured datagrams reveal the table of {@code xor}.
 * <li>With {@code none}, {@code xor} and {@code salsa20} an attacker on the path can flip chosen bits of a datagram, without
 * knowing their values, and adjust the CRC to match. A CRC is not authentication, and these ciphers map each bit of the
 * ciphertext to one bit of the plaintext.
 * <li>With the block ciphers a changed bit garbles the plaintext after it, so a modified or forged datagram passes the CRC only
 * by chance, once in 2<sup>32</sup>. An AEAD cipher gives a much stronger guarantee.
 * <li>The ciphers with blocks of 8 bytes ({@code blowfish}, {@code cast5}, {@code 3des}, {@code tea}, {@code xtea}) repeat
 * ciphertext blocks after some tens of gigabytes under one key. Repeated blocks reveal information about the plaintext.
 * {@code tea} runs 8 of its 32 cycles, as in kcp-go.
 * <li>SM4, Twofish, Blowfish, CAST5 and 3DES use lookup tables in this implementation. Another process on the same processor might measure
 * how their timing depends on the key and the data.
 * </ul>
 *
 * <h2>Replay and reflection</h2>
 * <ul>
 * <li>No cipher prevents replays: a datagram that was recorded today still opens tomorrow. Higher layers have to reject
 * replays; only TLS inside the session does so completely.
 * <li>Both directions use the same key. With a {@linkplain io.kcp.core.crypto.CryptoConfig#withReflectionGuard reflection guard} a side
 * rejects its own datagrams when an attacker sends them back. With the AEAD ciphers and the ciphers with blocks of 16 bytes, the guard also
 * rejects modified copies. With {@code none}, {@code xor}, {@code salsa20} and ciphers with blocks of 8 bytes, the guard rejects only
 * unmodified copies, because an attacker can change the nonce, which the CRC does not cover.
 * <li>Another process with the same key has another guard, and so does the same process after a restart. Datagrams sealed under one guard
 * open under the other.
 * </ul>
 *
 * <h2>Keys and nonces</h2>
 * <ul>
 * <li>Do not seal more than 2<sup>32</sup> datagrams with one key, counted over all machines that use the key (half a day at 100,000
 * datagrams per second). Nonces under one reflection guard (one bootstrap) never repeat. Nonces under different guards, of other processes
 * and of peers, collide like random numbers: an AEAD nonce has 96 bits, so 2<sup>32</sup> datagrams contain a repeated nonce with a
 * probability below 2<sup>-33</sup>, which grows with the square of the number of datagrams. A single repeated nonce reveals the
 * authentication key. Rotate keys in time, and use {@link io.kcp.core.crypto.CryptoConfig#alsoOpening CryptoConfig.alsoOpening} on both
 * sides while two keys are in use.
 * <li>{@code salsa20} uses 64 bits of its nonce. They never repeat under one guard. Between two guards that seal 2<sup>32</sup>
 * datagrams each, a repetition is likely and reveals the difference (XOR) of two payloads.
 * <li>A process that is cloned while it runs, by a snapshot of its machine or a checkpoint, repeats up to 2<sup>16</sup> nonces
 * for each cipher (one per event loop), and each later range of 2<sup>16</sup> nonces with a probability of 2<sup>-16</sup>.
 * Restart the process after cloning, or change the key.
 * <li>All sessions use the same key. kcptun derives it from the password with a publicly known salt, so one recorded datagram
 * is enough to find a short password by trial. Use a long random password.
 * </ul>
 *
 * <h2>Cost of forged datagrams</h2>
 * Rejecting a forged datagram takes as much CPU time as opening a valid one. With the JDK's AEAD ciphers it takes several times as much,
 * because they throw an exception internally. A server that is reachable from the Internet should drop obviously invalid datagrams before
 * opening them.
 */
@NullMarked
package io.kcp.core.crypto;

import org.jspecify.annotations.NullMarked;
