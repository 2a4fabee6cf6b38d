package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.world.PlayerInput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * What one gateway tells the one that simulates the world about a player: its name, then a message of the player.
 *
 * @param login who
 * @param input what it wants; null if it has left for good
 */
public record ForwardedInput(String login, @Nullable PlayerInput input) {

    private static final int EXPECTED_BYTES = 64;

    /** Checks the values. */
    public ForwardedInput {
        Limits.login("login", login);
    }

    /**
     * Makes the bytes.
     *
     * @return a new array
     */
    public byte[] encode() {
        ByteBuf out = Unpooled.buffer(EXPECTED_BYTES);
        ArenaCodec.writeName(login, out);
        PlayerInput wanted = input;
        ArenaCodec.encode(wanted != null ? new ClientMessage.Input(wanted) : new ClientMessage.Leave(), out);
        return ByteBufUtil.getBytes(out);
    }

    /**
     * Reads what {@link #encode()} made.
     *
     * @param bytes the bytes
     * @return what they say
     * @throws ArenaDecodeException if they say nothing of the kind
     */
    public static ForwardedInput decode(byte[] bytes) throws ArenaDecodeException {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        String login = new MessageReader(in).name("login");
        ArenaMessage message = ArenaCodec.decode(in);
        try {
            if (message instanceof ClientMessage.Input said) {
                return new ForwardedInput(login, said.input());
            }
            if (message instanceof ClientMessage.Leave) {
                return new ForwardedInput(login, null);
            }
        } catch (IllegalArgumentException wrong) {
            throw new ArenaDecodeException(DecodeProblem.BAD_VALUE, String.valueOf(wrong.getMessage()));
        }
        throw new ArenaDecodeException(DecodeProblem.WRONG_DIRECTION, "only inputs and farewells are forwarded");
    }
}
