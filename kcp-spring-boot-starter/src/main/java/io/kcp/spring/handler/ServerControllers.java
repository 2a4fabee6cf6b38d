package io.kcp.spring.handler;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds the methods of all controllers of one server. All sessions of the server share this object.
 *
 * @param opens           {@link OnOpen} methods in calling order
 * @param closes          {@link OnClose} methods in calling order
 * @param decoder         decodes messages
 * @param messages        {@link OnMessage} methods by the type of the decoded message
 * @param oob             the method for out-of-band messages; null if there is none
 * @param errors          {@link OnError} methods by exception type
 * @param replies         encoders of the values that are written
 * @param messageWarnings logs messages that could not be decoded
 * @param decoderWarnings logs exceptions of decoders that precede the controllers in the pipeline
 */
record ServerControllers(List<ControllerMethod> opens, List<ControllerMethod> closes, MessageDecoder decoder, TypeRoutes messages,
    @Nullable ControllerMethod oob, TypeRoutes errors, Replies replies, WarnOnceLogger messageWarnings,
    WarnOnceLogger decoderWarnings) {

    /** Decodes a message into an object for the {@link OnMessage} methods. */
    @FunctionalInterface
    interface MessageDecoder {

        /**
         * Decodes a message.
         *
         * @param message the message, <b>borrowed</b>
         * @return the decoded object, or the message itself
         */
        Object decode(ByteBuf message);
    }

    /** Returns the method that handles a decoded message. Throws a {@link KcpMessageException} if there is none. */
    ControllerMethod methodFor(Object payload) {
        ControllerMethod method = messages.find(payload);
        if (method == null) {
            throw new KcpMessageException("no @OnMessage method accepts " + payload.getClass().getTypeName(), null);
        }
        return method;
    }

    /** Returns {@code true} if at least one method handles messages other than out-of-band messages. */
    boolean takesMessages() {
        return !messages.isEmpty();
    }
}
