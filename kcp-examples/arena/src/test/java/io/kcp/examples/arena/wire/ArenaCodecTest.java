package io.kcp.examples.arena.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kcp.examples.arena.world.PlayerInput;
import io.kcp.examples.arena.world.WorldView;
import io.netty.buffer.Unpooled;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArenaCodecTest {

    private static final Token TOKEN = new Token(0x0102030405060708L, -1);
    private static final RoomPosition POSITION = new RoomPosition(1_700_000_000_000L, 3);

    static List<ArenaMessage> everyMessage() {
        return List.of(
            new ClientMessage.Join("room-1", "ann", TOKEN, 1, false, RoomPosition.START, 1),
            new ClientMessage.Join("room-1", "ann", TOKEN, -1, true, POSITION, Long.MAX_VALUE),
            new ClientMessage.Input(new PlayerInput(-7, -127, 127, 255, true)),
            new ClientMessage.Say(1, ""),
            new ClientMessage.Say(12, "grüß dich \uD83D\uDE00"),
            new ClientMessage.Ping(Long.MIN_VALUE, 17),
            new ClientMessage.Leave(),
            new ServerMessage.Welcome(TOKEN.login("ann"), true, POSITION, "gateway-1"),
            new ServerMessage.Welcome(TOKEN.login("ann"), true, POSITION, "arena-66b6c48dd5-7gl6h"),
            new ServerMessage.Snapshot(new WorldView(0, 0, List.of(), List.of(), List.of(), List.of())),
            new ServerMessage.Snapshot(new WorldView(2, 99,
                List.of(new WorldView.Player(1, 2, 65_535, 4, 100, 65_535), new WorldView.Player(7, 6, 5, 4, 3, 2)),
                List.of(new WorldView.Point(1, 2)), List.of(new WorldView.Point(3, 4), new WorldView.Point(5, 6)),
                List.of(new WorldView.Name(1, TOKEN.login("ann"))))),
            new ServerMessage.Said(POSITION, TOKEN.login("ann"), 5, "hello"),
            new ServerMessage.Ack(5),
            new ServerMessage.Pong(5),
            new ServerMessage.Kicked(KickReason.PROTOCOL, "why"));
    }

    @ParameterizedTest
    @MethodSource("everyMessage")
    void encodedMessageIsDecoded(ArenaMessage message) {
        assertThat(ArenaCodec.decode(Unpooled.wrappedBuffer(ArenaCodec.encode(message)))).isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("everyMessage")
    void truncatedAndExtendedMessagesAreRefused(ArenaMessage message) {
        byte[] bytes = ArenaCodec.encode(message);
        for (int length = 0; length < bytes.length; length++) {
            assertThat(problem(Arrays.copyOf(bytes, length))).as("first %d bytes", length).isEqualTo("the message is truncated");
        }
        assertThat(problem(Arrays.copyOf(bytes, bytes.length + 1))).isEqualTo("1 bytes follow the message");
    }

    @Test
    void errorNamesFieldAndValue() {
        assertThat(problem(new byte[] {0})).startsWith("kind: 0");
        assertThat(problem(new byte[] {(byte) 200})).startsWith("kind: 200");
        byte[] say = ArenaCodec.encode(new ClientMessage.Say(1, "a"));
        say[say.length - 1] = (byte) 0xC0;
        assertThat(problem(say)).isEqualTo("the text is not valid UTF-8");
        say[8] = 0;
        say[say.length - 1] = 'a';
        assertThat(problem(say)).startsWith("sequence: 0");
        byte[] input = ArenaCodec.encode(new ClientMessage.Input(new PlayerInput(1, 0, 0, 0, false)));
        input[5] = Byte.MIN_VALUE;
        assertThat(problem(input)).startsWith("moveX: -128");
        byte[] kicked = ArenaCodec.encode(new ServerMessage.Kicked(KickReason.TOO_FAST, ""));
        kicked[1] = (byte) KickReason.values().length;
        assertThat(problem(kicked)).startsWith("reason: ");
        byte[] join = ArenaCodec.encode(new ClientMessage.Join("r", "n", TOKEN, 1, false, RoomPosition.START, 1));
        join[2] = ' ';
        assertThat(problem(join)).startsWith("room: ' '");
        join[2] = 'r';
        join[5 + 2 * Long.BYTES + Integer.BYTES] = 2;
        assertThat(problem(join)).startsWith("boolean: 2");
    }

    /** Mutated messages are refused, or decode to a message that encodes to exactly these bytes. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 3})
    void mutatedBytesAreRefusedOrCanonical(long given) {
        long seed = given == 0 ? ThreadLocalRandom.current().nextLong() : given;
        Random random = new Random(seed);
        List<byte[]> messages = everyMessage().stream().map(ArenaCodec::encode).toList();
        int taken = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = mutated(messages.get(random.nextInt(messages.size())), random);
            try {
                ArenaMessage message = ArenaCodec.decode(Unpooled.wrappedBuffer(bytes));
                assertThat(ArenaCodec.encode(message)).as("seed %d: %s", seed, message).isEqualTo(bytes);
                taken++;
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageNotContaining("null");
            } catch (RuntimeException escaped) {
                throw new AssertionError("seed " + seed + ": " + Arrays.toString(bytes), escaped);
            }
        }
        assertThat(taken).as("seed %d", seed).isBetween(100, 19_900);
    }

    private static byte[] mutated(byte[] message, Random random) {
        byte[] bytes = random.nextInt(4) == 0 ? Arrays.copyOf(message, random.nextInt(message.length + 4)) : message.clone();
        for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? random.nextInt(256) : random.nextInt(4));
        }
        return bytes;
    }

    @Test
    void tokenIsHiddenAndLoginDependsOnAllOfIt() {
        assertThat(TOKEN).hasToString("Token");
        assertThat(TOKEN.login("ann")).matches("ann~[0-9a-f]{24}").isNotEqualTo(new Token(TOKEN.high(), TOKEN.low() - 1).login("ann"))
            .isNotEqualTo(new Token(TOKEN.high() + 1, TOKEN.low()).login("ann"));
        SecureRandom random = new SecureRandom();
        assertThat(Token.random(random)).isNotEqualTo(Token.random(random));
    }

    @Test
    void invalidTextIsRefused() {
        new ClientMessage.Say(1, "ü".repeat(250));
        assertThatThrownBy(() -> new ClientMessage.Say(1, "ü".repeat(250) + "a"))
            .hasMessageContaining("text: 501 bytes (expected: at most 500)");
        assertThatThrownBy(() -> new ClientMessage.Say(1, "\uD83D")).hasMessageContaining("unpaired surrogate");
        assertThatThrownBy(() -> new ClientMessage.Say(0, "")).hasMessageContaining("sequence: 0 (expected: at least 1)");
        assertThatThrownBy(() -> new ClientMessage.Join("r", "no spaces", TOKEN, 1, false, RoomPosition.START, 1))
            .hasMessageContaining("name: 'no spaces'");
    }

    private static String problem(byte[] bytes) {
        return catchThrowableOfType(IllegalArgumentException.class, () -> ArenaCodec.decode(Unpooled.wrappedBuffer(bytes))).getMessage();
    }
}
