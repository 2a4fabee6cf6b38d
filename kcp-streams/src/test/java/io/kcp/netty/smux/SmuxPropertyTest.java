package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelOption;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two ends exchange data on many streams with random settings, sizes, reads and closes, and with bytes split at random. Every stream
 * receives what its peer has written, in order, and nothing remains allocated.
 */
@Timeout(120)
class SmuxPropertyTest {

    private static final int STEPS = 400;

    /** One direction of a stream, whose content depends on its seed. */
    private static final class Direction {

        private final SmuxStreamChannel writer;
        private final StreamRecorder reader;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private boolean ended;

        Direction(SmuxStreamChannel writer, StreamRecorder reader) {
            this.writer = writer;
            this.reader = reader;
        }
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 40);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyStreamReceivesWhatItsPeerWrote(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        SmuxVersion version = SmuxVersion.values()[random.nextInt(2)];
        int maxFrame = 1 + random.nextInt(20_000);
        int streamBuffer = 1 + random.nextInt(100_000);
        int receiveBuffer = streamBuffer + random.nextInt(300_000);
        boolean autoRead = random.nextBoolean();
        List<Direction> directions = new ArrayList<>();
        try (SmuxEnd server = SmuxEnd.server(version, smux -> smux.maxFrameBytes(maxFrame).streamBufferBytes(streamBuffer)
                .receiveBufferBytes(receiveBuffer).childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.AUTO_READ, autoRead), recorder -> { });
            SmuxEnd client = SmuxEnd.client(version, smux -> smux.maxFrameBytes(maxFrame).streamBufferBytes(streamBuffer)
                .receiveBufferBytes(receiveBuffer))) {
            for (int step = 0; step < STEPS; step++) {
                act(random, client, server, directions);
                if (random.nextInt(3) > 0) {
                    move(random, client, server);
                    move(random, server, client);
                }
            }
            for (Direction direction : directions) {
                end(direction);
            }
            finish(random, client, server, directions);
            for (Direction direction : directions) {
                assertThat(direction.reader.received.toByteArray()).as("seed %d, %s", seed, direction.writer)
                    .isEqualTo(direction.written.toByteArray());
                assertThat(direction.writer.isOpen()).isFalse();
                assertThat(direction.writer.closeCause()).isNull();
            }
            assertThat(client.stats().openStreams()).isZero();
            assertThat(server.stats().openStreams()).isZero();
            assertThat(server.stats().queuedBytes()).isZero();
            assertThat(client.channel.isOpen()).isTrue();
        }
    }

    private static void act(SplittableRandom random, SmuxEnd client, SmuxEnd server, List<Direction> directions) {
        int action = random.nextInt(10);
        if (directions.isEmpty() || action == 0 && directions.size() < 40) {
            move(random, client, server);
            if (!server.channel.config().isAutoRead()) {
                // The server reads no SYN frame while its receive buffer is full.
                return;
            }
            StreamRecorder recorder = new StreamRecorder();
            SmuxStreamChannel stream = client.open(recorder);
            move(random, client, server);
            StreamRecorder accepted = server.accepted.get(server.accepted.size() - 1);
            assertThat(accepted.stream.streamId()).isEqualTo(stream.streamId());
            directions.add(new Direction(stream, accepted));
            directions.add(new Direction(accepted.stream, recorder));
            return;
        }
        Direction direction = directions.get(random.nextInt(directions.size()));
        if (action == 1) {
            direction.reader.stream.read();
        } else if (action == 2) {
            direction.reader.stream.config().setAutoRead(random.nextBoolean());
        } else if (action == 3 && random.nextInt(4) == 0) {
            end(direction);
        } else if (!direction.ended) {
            byte[] bytes = new byte[random.nextInt(random.nextBoolean() ? 50 : 30_000)];
            random.nextBytes(bytes);
            direction.written.writeBytes(bytes);
            direction.writer.write((direction.writer.parent() == client.channel ? client : server).buffer(bytes));
            if (random.nextBoolean()) {
                direction.writer.flush();
            }
        }
    }

    private static void end(Direction direction) {
        if (!direction.ended) {
            direction.ended = true;
            direction.writer.flush();
            direction.writer.shutdownOutput();
        }
    }

    /** Passes what one end has sent to the other, split at random. */
    private static int move(SplittableRandom random, SmuxEnd from, SmuxEnd to) {
        byte[] bytes = from.sentBytes();
        for (int start = 0; start < bytes.length; ) {
            int part = Math.min(bytes.length - start, 1 + random.nextInt(random.nextInt(4) == 0 ? 12 : 20_000));
            byte[] piece = new byte[part];
            System.arraycopy(bytes, start, piece, 0, part);
            to.receive(piece);
            start += part;
        }
        return bytes.length;
    }

    private static void finish(SplittableRandom random, SmuxEnd client, SmuxEnd server, List<Direction> directions) {
        int moved = 1;
        for (int round = 0; moved > 0 || round < 3; round++) {
            for (Direction direction : directions) {
                if (direction.reader.stream.isOpen()) {
                    direction.reader.stream.config().setAutoRead(true);
                }
            }
            client.channel.runPendingTasks();
            server.channel.runPendingTasks();
            moved = move(random, client, server) + move(random, server, client);
        }
    }
}
