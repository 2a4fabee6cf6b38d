package io.kcp.examples.cluster;

import io.kcp.core.KcpConfig;
import io.kcp.examples.arena.Tool;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Program that {@link NftBalancerTest} runs in a separate network namespace, with three servers that return their names, clients, and the
 * ruleset of the guide. The first argument is a directory for files, and the others are the programs {@code ip} and {@code nft}.
 */
final class NftSteering {

    private static final String BALANCER = "127.0.0.1";
    private static final List<String> GATEWAYS = List.of("127.0.0.11", "127.0.0.12", "127.0.0.13");
    private static final int PORT = 9000;
    private static final int CLIENTS = 90;
    private static final long ANSWER_SECONDS = 10;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
    private final Path directory;
    private final String nft;

    private NftSteering(Path directory, String nft) {
        this.directory = directory;
        this.nft = nft;
    }

    /** Client that queries the name of the server that it reaches. */
    private record Client(KcpChannel session, BlockingQueue<String> answers) {

        String ask() throws InterruptedException {
            session.writeAndFlush(Unpooled.copiedBuffer("who?", StandardCharsets.US_ASCII));
            String answer = answers.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
            return answer == null ? "nobody" : answer;
        }
    }

    public static void main(String[] arguments) throws Exception {
        // Enables the loopback interface first, because Netty searches for it when its classes are loaded.
        run(arguments[1], "link", "set", "lo", "up");
        NftSteering steering = new NftSteering(Path.of(arguments[0]), arguments[2]);
        try {
            steering.check();
        } finally {
            steering.group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private void check() throws Exception {
        for (String gateway : GATEWAYS) {
            serve(gateway);
        }
        load(GATEWAYS);
        List<Client> early = connect();
        List<String> homes = ask(early);
        expect(spread(homes).keySet().equals(Set.copyOf(GATEWAYS)),
            "every gateway has sessions: " + spread(homes));
        expect(ask(early).equals(homes), "each session stays at its gateway");

        List<String> others = List.of(GATEWAYS.get(0), GATEWAYS.get(2));
        load(others);
        expect(ask(early).equals(homes), "also when one gateway takes no new ones");
        Map<String, Long> late = spread(ask(connect()));
        expect(late.keySet().equals(Set.copyOf(others)), "which go to the others: " + late);
    }

    private static void expect(boolean condition, String what) {
        System.out.println((condition ? "  holds: " : "  FAILS: ") + what);
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private static Map<String, Long> spread(List<String> homes) {
        return homes.stream().collect(Collectors.groupingBy(home -> home, TreeMap::new, Collectors.counting()));
    }

    private void load(List<String> gateways) throws Exception {
        List<String> slots = new ArrayList<>();
        for (String gateway : gateways) {
            slots.add(slots.size() + " : " + gateway);
        }
        Path ruleset = Tool.settings("arena.nft", directory, Map.of("ADDRESS", BALANCER, "PORT", Integer.toString(PORT),
            "COUNT", Integer.toString(slots.size()), "GATEWAYS", String.join(", ", slots)));
        run(nft, "-f", ruleset.toString());
    }

    private static void run(String... command) throws Exception {
        Path output = Files.createTempFile("nft-steering", ".out");
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
            if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new AssertionError(String.join(" ", command) + ": " + Files.readString(output));
            }
        } finally {
            Files.delete(output);
        }
    }

    private void serve(String gateway) throws InterruptedException {
        ChannelInitializer<KcpChannel> sessions = new ChannelInitializer<>() {
            @Override
            protected void initChannel(KcpChannel session) {
                session.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf question) {
                        context.writeAndFlush(Unpooled.copiedBuffer(gateway, StandardCharsets.US_ASCII));
                    }
                });
            }
        };
        Channel server =
            new KcpServerBootstrap().group(group).config(KcpConfig.fast3()).childHandler(sessions).bind(gateway, PORT).sync().channel();
        expect(server.isActive(), "serves at " + gateway);
    }

    private List<Client> connect() throws InterruptedException {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            BlockingQueue<String> answers = new LinkedBlockingQueue<>();
            KcpChannel session = new KcpBootstrap().group(group).config(KcpConfig.fast3())
                .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf answer) {
                        answers.add(answer.toString(StandardCharsets.US_ASCII));
                    }
                }).connect(BALANCER, PORT).sync().channel();
            clients.add(new Client(session, answers));
        }
        return clients;
    }

    private static List<String> ask(List<Client> clients) throws InterruptedException {
        List<String> answers = new ArrayList<>();
        for (Client client : clients) {
            answers.add(client.ask());
        }
        return answers;
    }
}
