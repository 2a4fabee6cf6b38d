package io.kcp.examples;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * One combination of the matrix of tunnels: this library with another program.
 *
 * @param peer         the other program
 * @param peerIsServer whether the other program is the server
 * @param cipher       the value of {@code --crypt}
 * @param parity       whether both sides send FEC 10+3
 * @param smuxVersion  1 or 2
 * @param compression  whether both sides compress
 */
record TunnelCell(TunnelProgram peer, boolean peerIsServer, String cipher, boolean parity, int smuxVersion, boolean compression) {

    static final List<String> CIPHERS = List.of("none", "xor", "aes-128", "aes-192", "aes", "tea", "xtea", "blowfish", "twofish",
        "cast5", "3des", "salsa20", "sm4");
    /** A cipher of the current kcptun that Debian's version does not have. */
    static final String AEAD = "aes-128-gcm";

    /** Returns the whole matrix. */
    static List<TunnelCell> all() {
        List<TunnelCell> cells = new ArrayList<>();
        for (TunnelProgram peer : List.of(TunnelProgram.DEBIAN, TunnelProgram.CURRENT)) {
            List<String> ciphers = new ArrayList<>(CIPHERS);
            if (peer == TunnelProgram.CURRENT) {
                ciphers.add(AEAD);
            }
            for (String cipher : ciphers) {
                for (boolean parity : new boolean[] {false, true}) {
                    for (int smuxVersion = 1; smuxVersion <= 2; smuxVersion++) {
                        for (boolean compression : new boolean[] {false, true}) {
                            cells.add(new TunnelCell(peer, true, cipher, parity, smuxVersion, compression));
                            cells.add(new TunnelCell(peer, false, cipher, parity, smuxVersion, compression));
                        }
                    }
                }
            }
        }
        return cells;
    }

    /** Returns a small part of the matrix with each cipher and with each pair of values of the other settings. */
    static List<TunnelCell> cover() {
        List<TunnelCell> cells = all();
        // The order decides which of several equally good cells is chosen.
        Collections.shuffle(cells, new Random(1));
        return PairCover.choose(cells, TunnelCell::pairs);
    }

    private Set<String> pairs() {
        String role = peerIsServer ? "server" : "client";
        return Set.of(cipher, cipher.equals(AEAD) ? AEAD + role : role, peer + role, peer + " parity " + parity,
            peer + " smux " + smuxVersion, peer + " compression " + compression, role + " parity " + parity,
            role + " smux " + smuxVersion, role + " compression " + compression, "parity " + parity + " smux " + smuxVersion,
            "parity " + parity + " compression " + compression, "smux " + smuxVersion + " compression " + compression);
    }

    /** Returns the options of both programs. Settings that are not part of the matrix keep their defaults. */
    List<String> options() {
        List<String> options = new ArrayList<>(List.of("--crypt", cipher, "--key", "tunnel test", "--smuxver",
            Integer.toString(smuxVersion), "--quiet"));
        if (!parity) {
            options.addAll(List.of("--datashard", "0", "--parityshard", "0"));
        }
        if (!compression) {
            options.add("--nocomp");
        }
        return options;
    }

    @Override
    public String toString() {
        return (peerIsServer ? "our client, server " : "our server, client ") + peer + ", " + cipher + (parity ? ", FEC 10+3" : "")
            + ", smux " + smuxVersion + (compression ? ", compression" : "");
    }
}
