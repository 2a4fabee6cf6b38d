package io.kcp.examples.arena;

import io.kcp.examples.arena.bots.BotSettings;
import io.kcp.examples.arena.room.ArenaCounters;
import io.kcp.examples.arena.room.Room;
import io.kcp.examples.arena.room.Rooms;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.spring.KcpServers;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A gateway on free ports of the loopback interface, as a user starts it. */
public final class RunningArena implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    /** Starts a gateway with additional properties. */
    public RunningArena(String... properties) {
        this(List.of(ArenaApplication.class), properties);
    }

    /** Starts an application that contains the arena. */
    public RunningArena(List<Class<?>> configurations, String... properties) {
        Map<String, String> arguments = new LinkedHashMap<>(Map.of("server.port", "0", "server.address", "127.0.0.1",
            "kcp.server.port", "0", "kcp.server.address", "127.0.0.1", "logging.level.root", "warn"));
        for (String property : properties) {
            int equals = property.indexOf('=');
            arguments.put(property.substring(0, equals), property.substring(equals + 1));
        }
        context = SpringApplication.run(configurations.toArray(Class<?>[]::new),
            arguments.entrySet().stream().map(entry -> "--" + entry).toArray(String[]::new));
    }

    /** Returns the UDP address of the players. */
    public InetSocketAddress players() {
        return players("server");
    }

    /** Returns the UDP address of a server. */
    public InetSocketAddress players(String server) {
        return Objects.requireNonNull(context.getBean(KcpServers.class).find(server)).localAddress();
    }

    /** Returns settings for bots of this arena with long timeouts, because the machine may be busy. */
    public BotSettings bots(String... options) {
        List<String> all = new ArrayList<>(List.of("--servers=127.0.0.1:" + players().getPort()));
        List<String> given = List.of(options);
        if (given.stream().noneMatch(option -> option.startsWith("--dead-peer-timeout"))) {
            all.addAll(List.of("--answer-timeout=8000", "--dead-peer-timeout=8000"));
        }
        all.addAll(given);
        return BotSettings.of(all.toArray(String[]::new));
    }

    /** Returns the address of the page. */
    public String page() {
        return "http://127.0.0.1:" + pagePort() + '/';
    }

    /** Returns the TCP port of the page. */
    public int pagePort() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** Returns the name of the gateway. */
    public String name() {
        return context.getBean(ArenaProperties.class).name();
    }

    /** Returns the counters. */
    public ArenaCounters.Values counters() {
        return context.getBean(ArenaCounters.class).values();
    }

    /** Returns the number of sessions that were closed for a reason. */
    public long kicked(KickReason reason) {
        return context.getBean(ArenaCounters.class).kicked(reason);
    }

    /** Returns the players in all rooms. */
    public int playersInRooms() {
        return context.getBean(Rooms.class).list().stream().mapToInt(Room::size).sum();
    }

    /** Returns the players in a room, 0 if it is not open. */
    public int playersIn(String room) {
        Room open = context.getBean(Rooms.class).find(room);
        return open == null ? 0 : open.size();
    }

    /** Returns a bean. */
    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Stops and starts all lifecycle beans, as a checkpoint of the JVM does. Random ports change. */
    public void restart() {
        context.stop();
        context.start();
    }

    @Override
    public void close() {
        context.close();
    }
}
