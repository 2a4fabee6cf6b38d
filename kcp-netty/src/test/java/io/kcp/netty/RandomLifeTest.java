package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs random operations on sessions, sockets and a simulated network, determined by a seed. In every case, the data that a session
 * reads is a prefix of what its peer wrote, a successful close has delivered everything, and no buffer is leaked.
 */
@Timeout(120)
class RandomLifeTest {

    private static final int SEEDS = 40;
    private static final int STEPS = 450;
    private static final InetSocketAddress STRANGER = new InetSocketAddress("192.0.2.66", 666);

    /** The client and server side of one session. Its conversation id is its index in the list. */
    private static final class Life {

        private final SessionRecorder client;
        private final List<String> toServer = new ArrayList<>();
        private final List<String> toClient = new ArrayList<>();
        private SessionRecorder server;
        private ChannelFuture closedByClient;
        private boolean closedByServer;

        private Life(SessionRecorder client) {
            this.client = client;
        }

        private static boolean isPrefix(List<String> part, List<String> whole) {
            return part.size() <= whole.size() && part.equals(whole.subList(0, part.size()));
        }
    }

    private final List<Life> lives = new ArrayList<>();
    private SplittableRandom random;
    private EmbeddedLink link;

    private SessionRecorder accept() {
        return new SessionRecorder() {
            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                Life life = lives.get(session().conv());
                assertThat(life.server).as("no ghost of conv " + session().conv()).isNull();
                life.server = this;
                super.channelActive(ctx);
            }
        };
    }

    private void connect() {
        if (lives.size() < 20) {
            KcpConfig config = random.nextBoolean() ? KcpConfig.fast3() : KcpConfig.fast();
            Life life = new Life(link.connect(lives.size()));
            life.client.session().config().setKcp(config.toBuilder().windows(random.nextInt(2, 200)).build());
            lives.add(life);
        }
    }

    private void write(KcpChannel session, List<String> written) {
        for (int i = random.nextInt(1, 20); i > 0; i--) {
            String message = random.nextInt(10) == 0 ? "" : written.size() + "." + "x".repeat(random.nextInt(2_000));
            ChannelFuture write = session.write(link.text(message));
            if (write.isDone() && !write.isSuccess()) {
                break;
            }
            written.add(message);
        }
        session.flush();
    }

    private void step() {
        if (lives.isEmpty() || random.nextInt(20) == 0) {
            connect();
        }
        Life life = lives.get(random.nextInt(lives.size()));
        KcpChannel client = life.client.session();
        KcpChannel server = life.server == null ? null : life.server.session();
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> write(client, life.toServer);
            case 3, 4 -> {
                if (server != null) {
                    write(server, life.toClient);
                }
            }
            case 5 -> {
                if (random.nextInt(4) == 0 && life.closedByClient == null) {
                    life.closedByClient = client.close();
                }
            }
            case 6 -> {
                if (random.nextInt(6) == 0 && server != null) {
                    life.closedByServer = true;
                    server.close();
                }
            }
            case 7 -> {
                if (server != null) {
                    server.config().setAutoRead(random.nextBoolean());
                }
            }
            case 8 -> link.client().loseAtRandom(random.nextInt(3) * 0.2, random.nextLong());
            case 9 -> link.server().loseAtRandom(random.nextInt(3) * 0.2, random.nextLong());
            case 10 -> setWritable(random.nextBoolean() ? link.client() : link.server(), random.nextBoolean());
            case 11 -> stray();
            case 12 -> client.config().setOption(KcpChannelOption.MTU_BYTES, random.nextInt(400, 1_500));
            default -> link.advanceMs(random.nextInt(500));
        }
        if (random.nextBoolean()) {
            link.advanceMs(random.nextInt(30));
        }
    }

    private static void setWritable(EmbeddedLink.End end, boolean writable) {
        end.channel().unsafe().outboundBuffer().setUserDefinedWritability(5, writable);
        end.channel().runPendingTasks();
    }

    private void stray() {
        int conv = random.nextInt(30);
        link.server().receive(random.nextBoolean() ? STRANGER : EmbeddedLink.CLIENT_ADDRESS,
            WireSegment.ack(conv, random.nextInt(-5, 100_000), random.nextInt(100_000, 200_000)));
        link.client().receive(EmbeddedLink.SERVER_ADDRESS, WireSegment.push(conv + 100, 0, 0, "never asked for"));
    }

    private void heal() {
        link.client().loseNothing();
        link.server().loseNothing();
        setWritable(link.client(), true);
        setWritable(link.server(), true);
        lives.stream().filter(life -> life.server != null).forEach(life -> life.server.session().config().setAutoRead(true));
        link.advanceMs(20_000);
    }

    private void assertPrefixes() {
        for (Life life : lives) {
            assertThat(life.server == null || Life.isPrefix(life.server.messages(), life.toServer)).isTrue();
            assertThat(Life.isPrefix(life.client.messages(), life.toClient)).isTrue();
        }
    }

    private void assertEverythingIsWhereItBelongs() {
        for (int conv = 0; conv < lives.size(); conv++) {
            Life life = lives.get(conv);
            String as = "conv " + conv + " " + life.client.session() + " " + life.client.session().closeCause();
            boolean aliveOrDrained = life.closedByClient == null || life.closedByClient.isSuccess();
            if (!life.closedByServer && aliveOrDrained && life.client.session().closeCause() == null) {
                assertThat(life.server == null ? List.of() : life.server.messages()).as(as).isEqualTo(life.toServer);
            }
            if (life.closedByClient != null) {
                assertThat(life.closedByClient.isDone()).as(as).isTrue();
            } else if (!life.closedByServer) {
                assertThat(life.client.session().isActive()).as(as).isTrue();
                assertThat(life.client.messages()).as(as).isEqualTo(life.toClient);
                assertThat(life.client.session().isWritable()).as(as).isTrue();
                assertThat(life.client.session().acknowledged().isSuccess()).as(as).isTrue();
            }
            assertThat(life.client.exceptions()).as(as).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void randomOperationsLoseRepeatAndLeakNothing() {
        long delivered = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            System.out.println("seed " + seed);
            random = new SplittableRandom(seed);
            lives.clear();
            link = EmbeddedLink.create(this::accept);
            for (int i = 0; i < STEPS; i++) {
                step();
                assertPrefixes();
            }
            heal();
            assertPrefixes();
            assertEverythingIsWhereItBelongs();
            delivered += lives.stream().mapToLong(life -> life.client.messages().size()).sum();
            link.server().channel().checkException();
            link.close();
        }
        assertThat(delivered).as("messages to clients").isGreaterThan(SEEDS * 200);
    }
}
