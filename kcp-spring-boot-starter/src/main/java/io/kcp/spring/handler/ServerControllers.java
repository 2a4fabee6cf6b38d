package io.kcp.spring.handler;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The methods of all controllers of one server, ready to be called; shared by all its sessions.
 *
 * @param opens    in order
 * @param closes   in order
 * @param reading  what becomes of a message before a method sees it
 * @param messages for what was read
 * @param oob      for out-of-band messages, if any
 * @param errors   for exceptions
 * @param replies  for what is written to a session and is no buffer
 * @param unread   for messages that could not be understood
 * @param inFront  for what decoders in front of the controllers could not understand
 */
record ServerControllers(List<ControllerMethod> opens, List<ControllerMethod> closes, Reading reading, TypeRoutes messages,
    @Nullable ControllerMethod oob, TypeRoutes errors, Replies replies, OneWarning unread,
    OneWarning inFront) {

    /** Makes an object of a message. */
    @FunctionalInterface
    interface Reading {

        /**
         * Reads a message.
         *
         * @param message <b>borrowed</b>
         * @return what a method shall see; the message itself, perhaps
         */
        Object read(ByteBuf message);
    }

    /** Returns the method for what was read; throws {@link KcpMessageException} if there is none. */
    ControllerMethod methodFor(Object payload) {
        ControllerMethod method = messages.find(payload);
        if (method == null) {
            throw new KcpMessageException("no @OnMessage method takes a " + payload.getClass().getTypeName(), null);
        }
        return method;
    }

    /** Tells whether messages, other than out-of-band ones, have methods at all. */
    boolean takesMessages() {
        return !messages.isEmpty();
    }
}
