package io.kcp.spring.handler;

import java.lang.annotation.Annotation;

/** Event that triggers the call of a controller method. */
enum Trigger {
    OPEN(OnOpen.class, "KcpChannel and SmuxStreamChannel"),
    MESSAGE(OnMessage.class,
        "KcpChannel, SmuxStreamChannel and one of ByteBuf, byte[], String, KcpOobMessage or the type of a KcpMessageCodec bean"),
    CLOSE(OnClose.class, "KcpChannel, SmuxStreamChannel, KcpCloseReason and Throwable"),
    ERROR(OnError.class, "KcpChannel, SmuxStreamChannel and an exception");

    private final Class<? extends Annotation> annotation;
    private final String parameters;

    Trigger(Class<? extends Annotation> annotation, String parameters) {
        this.annotation = annotation;
        this.parameters = parameters;
    }

    Class<? extends Annotation> annotation() {
        return annotation;
    }

    /** Returns the supported parameters in the form in which exception messages list them. */
    String parameters() {
        return parameters;
    }

    @Override
    public String toString() {
        return '@' + annotation.getSimpleName();
    }
}
