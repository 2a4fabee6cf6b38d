package io.kcp.spring.handler;

import java.lang.annotation.Annotation;

/** The event that a controller method is called for. */
enum Trigger {
    OPEN(OnOpen.class, "KcpChannel"),
    MESSAGE(OnMessage.class, "KcpChannel and one of ByteBuf, byte[], String, KcpOobMessage or the type of a KcpMessageCodec bean"),
    CLOSE(OnClose.class, "KcpChannel, KcpCloseReason and Throwable"),
    ERROR(OnError.class, "KcpChannel and an exception");

    private final Class<? extends Annotation> annotation;
    private final String parameters;

    Trigger(Class<? extends Annotation> annotation, String parameters) {
        this.annotation = annotation;
        this.parameters = parameters;
    }

    Class<? extends Annotation> annotation() {
        return annotation;
    }

    /** Returns the supported parameters, for exceptions. */
    String parameters() {
        return parameters;
    }

    @Override
    public String toString() {
        return '@' + annotation.getSimpleName();
    }
}
