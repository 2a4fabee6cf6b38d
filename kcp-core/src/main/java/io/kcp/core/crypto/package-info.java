/**
 * Packet encryption as kcp-go and kcptun have it, byte for byte. {@link io.kcp.core.crypto.CryptoConfig} names a cipher
 * and holds its key; {@link io.kcp.core.crypto.PacketCipher} is one thread's machine for it.
 *
 * <h2>Two layouts</h2>
 * <pre>
 * AEAD        nonce (12) | ciphertext | tag (16)
 * all others  nonce (16) | CRC-32 of the payload, little-endian (4) | payload      enciphered as a whole
 * </pre>
 * The others run their block cipher in CFB mode with a constant initialisation vector; the random nonce, being the
 * first thing enciphered, takes its place. {@code null} has no layout at all: the datagram is as KCP made it.
 *
 * <h2>What to choose</h2>
 * Take {@code aes-128-gcm} or another of the AEADs ({@code aes-256-gcm}, {@code chacha20-poly1305}); kcp-go has the
 * first since 5.6.49. All other ciphers are here to talk to peers that have nothing better. In plain words:
 * <ul>
 * <li>{@code none} and {@code xor} hide nothing. Whoever sees two datagrams of {@code xor} knows its table.
 * <li>With {@code none}, {@code xor} and {@code salsa20} anybody on the path can change chosen bits of a datagram, known
 * or not, and mend the CRC to fit: a CRC is no authentication, and these ciphers change bit for bit.
 * <li>The block ciphers in CFB mode garble what follows a changed bit, and so a changed or invented datagram passes the
 * CRC by luck: once in 2<sup>32</sup>. That is not what an AEAD promises. Blocks of 8 bytes ({@code blowfish},
 * {@code cast5}, {@code 3des}, {@code tea}, {@code xtea}) repeat after some tens of gigabytes under one key, and then
 * tell something of what they carry. {@code tea} has 8 of its 32 cycles here, as kcp-go has it.
 * <li>No cipher stops a replay: a datagram recorded today opens tomorrow as well. That is for the layers above, and
 * in full only for TLS over the session.
 * <li>Both directions use one key. A side with a
 * {@linkplain io.kcp.core.crypto.CryptoConfig#withReflectionGuard reflection guard} refuses its own datagrams when an attacker
 * sends them back. With the AEADs and the ciphers with blocks of 16 bytes, that holds against an attacker who changes them, too.
 * With {@code none}, {@code xor}, {@code salsa20} and blocks of 8 bytes it holds for unchanged copies only, because the nonce
 * can be changed there without the CRC noticing. Another process that has the key, and the same one after a restart, have
 * another guard: what one of them sealed opens at the other.
 * <li>One key must not seal more than 2<sup>32</sup> datagrams, all machines that hold it taken together (half a day at
 * 100,000 a second). The nonces under one reflection guard (one bootstrap) never repeat, but those under different guards, in
 * other processes and of peers, are as random ones to each other. An AEAD has 96 bits of nonce, so that 2<sup>32</sup> datagrams
 * repeat one with a probability below 2<sup>-33</sup>, and the probability grows with the square of their number. One repetition
 * gives the key of the tags away. Change keys in time, with
 * {@link io.kcp.core.crypto.CryptoConfig#alsoOpening CryptoConfig.alsoOpening} on each side while both are in use.
 * <li>{@code salsa20} uses 64 bits of its nonce. They never repeat under one guard, but between two that seal
 * 2<sup>32</sup> datagrams each a repetition is likely, and shows the difference of two payloads.
 * <li>A process that is cloned while it runs, by a snapshot of its machine or a checkpoint, repeats up to 2<sup>16</sup> nonces
 * for each cipher (one per event loop), and each later run of 2<sup>16</sup> with a probability of 2<sup>-16</sup>.
 * Start it anew, or change the key.
 * <li>Every session and both directions use the same key, and kcptun derives it from the password with a salt that all
 * the world knows: a short password is found by trying, from one recorded datagram. Use a long random one.
 * <li>SM4, Twofish, Blowfish, CAST5 and 3DES look things up in tables here: how long they take depends a little on the key
 * and on what they encipher, and a neighbour on the same processor might learn from it.
 * <li>A forged datagram costs as much as a true one, with the AEADs of the JDK several times as much, for they throw an
 * exception inside. Whoever is open to all the world should drop what cannot be right before it is opened.
 * </ul>
 */
@NullMarked
package io.kcp.core.crypto;

import org.jspecify.annotations.NullMarked;
