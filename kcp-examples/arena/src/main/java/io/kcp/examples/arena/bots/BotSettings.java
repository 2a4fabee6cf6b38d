package io.kcp.examples.arena.bots;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link BotFleet}. Not thread safe; not to be changed once the fleet is made. */
public final class BotSettings {

    final List<InetSocketAddress> servers;
    int bots = 50;
    int roomSize = 25;
    String prefix = "bot";
    String room = "room";
    int joinsPerSecond = 500;
    double sayRate = 10;
    int inputsPerSecond = 10;
    Duration answerTimeout = Duration.ofSeconds(1);
    Duration deadPeerTimeout = Duration.ofMillis(1_500);
    Duration pingInterval = Duration.ofMillis(500);
    double lossPercent;
    Duration delay = Duration.ZERO;
    int threads = 1;
    long seed = 1;
    @Nullable FecConfig fec = FecConfig.of(10, 3);
    @Nullable CryptoConfig crypto = CryptoConfig.kcptun("aes-128-gcm", "arena");

    /**
     * Begins with the defaults.
     *
     * @param servers gateways, or what stands before them; each attempt takes one by lot
     */
    public BotSettings(List<InetSocketAddress> servers) {
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("servers: none (expected: at least one)");
        }
        this.servers = List.copyOf(servers);
    }

    /**
     * Sets how many there are. The default is 50.
     *
     * @param bots at least 1
     * @return this
     */
    public BotSettings bots(int bots) {
        this.bots = atLeastOne("bots", bots);
        return this;
    }

    /**
     * Sets how many share a room. The default is 25.
     *
     * @param roomSize at least 1
     * @return this
     */
    public BotSettings roomSize(int roomSize) {
        this.roomSize = atLeastOne("roomSize", roomSize);
        return this;
    }

    /**
     * Sets what names begin with; fleets at the same servers need different ones. The default is {@code bot}.
     *
     * @param prefix short, of letters and digits
     * @return this
     */
    public BotSettings prefix(String prefix) {
        this.prefix = prefix;
        return this;
    }

    /**
     * Sets what the names of rooms begin with. The default is {@code room}.
     *
     * @param room short, of letters and digits
     * @return this
     */
    public BotSettings room(String room) {
        this.room = room;
        return this;
    }

    /**
     * Sets how fast they come in. The default is 500 a second.
     *
     * @param joinsPerSecond at least 1
     * @return this
     */
    public BotSettings joinsPerSecond(int joinsPerSecond) {
        this.joinsPerSecond = atLeastOne("joinsPerSecond", joinsPerSecond);
        return this;
    }

    /**
     * Sets how many messages all of them together say in a second. The default is 10.
     *
     * @param sayRate messages a second, 0 for none
     * @return this
     */
    public BotSettings sayRate(double sayRate) {
        if (!(sayRate >= 0)) {
            throw new IllegalArgumentException("sayRate: " + sayRate + " (expected: at least 0)");
        }
        this.sayRate = sayRate;
        return this;
    }

    /**
     * Sets how often each says what it wants. The default is 10 times a second.
     *
     * @param inputsPerSecond 1 to 60
     * @return this
     */
    public BotSettings inputsPerSecond(int inputsPerSecond) {
        this.inputsPerSecond = atLeastOne("inputsPerSecond", inputsPerSecond);
        return this;
    }

    /**
     * Sets how fast a gateway that is gone is given up. The defaults are 1 s and 1.5 s.
     *
     * @param answerTimeout   how long a new session may hear nothing
     * @param deadPeerTimeout how long one may hear nothing while an answer is owed, which it is since the last ping at the latest
     * @return this
     */
    public BotSettings timeouts(Duration answerTimeout, Duration deadPeerTimeout) {
        this.answerTimeout = answerTimeout;
        this.deadPeerTimeout = deadPeerTimeout;
        return this;
    }

    /**
     * Makes the line bad, each way. The default is that it is good.
     *
     * @param lossPercent how many of a hundred datagrams vanish
     * @param delay       how long each of the others takes; half as much again by chance
     * @return this
     */
    public BotSettings link(double lossPercent, Duration delay) {
        if (!(lossPercent >= 0 && lossPercent <= 100)) {
            throw new IllegalArgumentException("lossPercent: " + lossPercent + " (expected: 0 to 100)");
        }
        this.lossPercent = lossPercent;
        this.delay = delay;
        return this;
    }

    /**
     * Sets how many event loops they share. The default is 1.
     *
     * @param threads at least 1
     * @return this
     */
    public BotSettings threads(int threads) {
        this.threads = atLeastOne("threads", threads);
        return this;
    }

    /**
     * Sets what their whims come from. The default is 1.
     *
     * @param seed any number
     * @return this
     */
    public BotSettings seed(long seed) {
        this.seed = seed;
        return this;
    }

    /**
     * Sets how datagrams look: as the gateways have it. The default is parity 10:3 and {@code aes-128-gcm} with the key that the
     * password {@code arena} makes.
     *
     * @param newFec    parity, null for none; without it nothing goes out of band
     * @param newCrypto cipher and key, null for none
     * @return this
     */
    public BotSettings wire(@Nullable FecConfig newFec, @Nullable CryptoConfig newCrypto) {
        fec = newFec;
        crypto = newCrypto;
        return this;
    }

    private static int atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least 1)");
        }
        return value;
    }
}
