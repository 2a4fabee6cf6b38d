package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.kcp.spring.KcpServers;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.system.JavaVersion;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;
import tools.jackson.databind.json.JsonMapper;

/** Tests that an application with an incorrectly declared controller does not start, and reports the method and the remedy. */
@Timeout(60)
@Tag("jdk")
class InvalidControllersTest {

    private static ApplicationContextRunner runner(Class<?>... beans) {
        return LiveServer.runner(beans)
            .withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class, KcpControllerAutoConfiguration.class));
    }

    private static void fails(ApplicationContextRunner runner, String problem, String remedy) {
        runner.run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new InvalidControllerFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription()).isEqualTo(problem + '.');
            assertThat(analysis.getAction()).isEqualTo(remedy + '.');
        });
    }

    @KcpController
    static class UnknownParameter {

        @OnMessage
        void onMessage(String message, int number) {
        }
    }

    @Test
    void unsupportedParameterIsRejected() {
        fails(runner(UnknownParameter.class),
            "Parameter 2 of @OnMessage UnknownParameter.onMessage(String, int) has an unsupported type, int",
            "Supported parameters are KcpChannel, SmuxStreamChannel and one of ByteBuf, byte[], String, KcpOobMessage or the type of a "
                + "KcpMessageCodec bean");
    }

    @KcpController
    static class TwoMessages {

        @OnMessage
        void onMessage(String message, KcpChannel session, ByteBuf again) {
        }
    }

    @Test
    void repeatedParameterIsRejected() {
        fails(runner(TwoMessages.class), "Parameter 3 of @OnMessage TwoMessages.onMessage(String, KcpChannel, ByteBuf) repeats "
            + "another parameter", "Supported parameters are KcpChannel, SmuxStreamChannel and one of ByteBuf, byte[], String, "
            + "KcpOobMessage or the type of a KcpMessageCodec bean");
    }

    @KcpController
    static class NoMessage {

        @OnMessage
        void onMessage(KcpChannel session) {
        }
    }

    @Test
    void missingMessageParameterIsRejected() {
        fails(runner(NoMessage.class), "@OnMessage NoMessage.onMessage(KcpChannel) has no parameter for the message",
            "Add one of type ByteBuf, byte[], String, KcpOobMessage or the type of a KcpMessageCodec bean");
    }

    @KcpController
    static class OpenWithMessage {

        @OnOpen
        void onOpen(String message) {
        }
    }

    @Test
    void onOpenWithMessageIsRejected() {
        fails(runner(OpenWithMessage.class), "Parameter 1 of @OnOpen OpenWithMessage.onOpen(String) has an unsupported type, "
            + "java.lang.String", "Supported parameters are KcpChannel and SmuxStreamChannel");
    }

    @KcpController
    static class WithStream {

        @OnMessage
        void onMessage(SmuxStreamChannel stream, String message) {
        }
    }

    @Test
    void streamParameterWithoutSmuxIsRejected() {
        fails(runner(WithStream.class), "@OnMessage WithStream.onMessage(SmuxStreamChannel, String) has a parameter of type "
            + "SmuxStreamChannel, but sessions of the KCP server \"server\" have no streams",
            "Set the property smux of the server to 1 or 2, or use KcpChannel");
    }

    @KcpController
    static class WithOob {

        @OnMessage
        void onMessage(KcpOobMessage message) {
        }
    }

    @KcpController
    static class ReturnsOob {

        @OnMessage
        KcpOobMessage onMessage(ByteBuf message) {
            return new KcpOobMessage(message);
        }
    }

    @Test
    void outOfBandMessagesWithSmuxAreRejected() {
        String problem = " uses out-of-band messages, but sessions of the KCP server \"server\" are divided into streams, which have none";
        String remedy = "Remove the property smux of the server, or the method";
        String[] smux = {"kcp.server.smux=2", "kcp.server.mode=stream"};
        fails(runner(WithOob.class).withPropertyValues(smux), "@OnMessage WithOob.onMessage(KcpOobMessage)" + problem, remedy);
        fails(runner(ReturnsOob.class).withPropertyValues(smux), "@OnMessage ReturnsOob.onMessage(ByteBuf)" + problem, remedy);
    }

    @KcpController
    static class CloseWithNarrowCause {

        @OnClose
        void onClose(Exception cause) {
        }
    }

    @Test
    void onCloseWithExceptionSubtypeIsRejected() {
        fails(runner(CloseWithNarrowCause.class), "Parameter 1 of @OnClose CloseWithNarrowCause.onClose(Exception) has an "
            + "unsupported type, java.lang.Exception",
            "Supported parameters are KcpChannel, SmuxStreamChannel, KcpCloseReason and Throwable");
    }

    @KcpController
    static class CloseWithAnswer {

        @OnClose
        String onClose() {
            return "";
        }
    }

    @Test
    void onCloseWithReturnValueIsRejected() {
        fails(runner(CloseWithAnswer.class), "@OnClose CloseWithAnswer.onClose() returns a value, but the session is closed",
            "Make the method void");
    }

    @KcpController
    static class TwoStrings {

        @OnMessage
        void one(String message) {
        }

        @OnMessage
        void other(byte[] message) {
        }
    }

    @Test
    void twoMethodsForAllMessagesAreRejected() {
        runner(TwoStrings.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("Several methods accept the same messages: [")
            .hasStackTraceContaining("@OnMessage TwoStrings.one(String)").hasStackTraceContaining("@OnMessage TwoStrings.other(byte[])"));
    }

    @KcpController
    static class TwoOob {

        @OnMessage
        void one(KcpOobMessage message) {
        }

        @OnMessage
        void other(KcpOobMessage message) {
        }
    }

    @Test
    void twoMethodsForOobMessagesAreRejected() {
        runner(TwoOob.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("Several methods handle out-of-band messages: [@OnMessage TwoOob."));
    }

    @KcpController
    static class TwoOpenings {

        @OnOpen
        void one() {
        }

        @OnOpen
        void other() {
        }
    }

    @Test
    void twoOnOpenMethodsAreRejected() {
        fails(runner(TwoOpenings.class), "@KcpController TwoOpenings has 2 @OnOpen methods, whose order is undefined",
            "Merge them into one method");
    }

    @KcpController
    static class Nothing {
    }

    @Test
    void controllerWithoutMethodsIsRejected() {
        fails(runner(Nothing.class), "@KcpController Nothing has no annotated method",
            "Annotate a method with @OnOpen, @OnMessage, @OnClose or @OnError, or remove @KcpController");
    }

    @KcpController
    static class StaticMethod {

        @OnMessage
        static void onMessage(String message) {
        }
    }

    @Test
    void staticMethodIsRejected() {
        fails(runner(StaticMethod.class), "@OnMessage StaticMethod.onMessage(String) is static", "Make it an instance method");
    }

    @KcpController
    static class ReturnsFuture {

        @OnMessage
        Future<String> onMessage(String message) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void futureWithoutCallbackIsRejected() {
        fails(runner(ReturnsFuture.class), "@OnMessage ReturnsFuture.onMessage(String) returns a type that cannot be encoded, "
            + "java.util.concurrent.Future", "Return ByteBuf, byte[], String, KcpOobMessage, void, a type that a KcpMessageCodec bean "
                + "encodes, or a CompletionStage or Netty Future of these");
    }

    @KcpController
    static class ReturnsAnyFuture {

        @OnMessage
        CompletionStage<?> onMessage(String message) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void rawFutureIsRejected() {
        fails(runner(ReturnsAnyFuture.class), "@OnMessage ReturnsAnyFuture.onMessage(String) returns a future without a type argument",
            "Add one, for example CompletionStage<String>");
    }

    // ---- codecs

    record Point(int x, int y) {
    }

    @KcpController
    static class Points {

        @OnMessage
        void onMessage(Point point) {
        }
    }

    /** Never called. */
    static class Codec<T> implements KcpMessageCodec<T> {

        @Override
        public T decode(ByteBuf message) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void encode(T message, ByteBuf out) {
            throw new UnsupportedOperationException();
        }
    }

    static class PointCodec extends Codec<Point> {
    }

    static class OtherPointCodec extends Codec<Point> {
    }

    static class NumberCodec extends Codec<Number> {
    }

    @Test
    void typeWithoutCodecIsRejected() {
        fails(runner(Points.class), "No KcpMessageCodec bean decodes the messages of [@OnMessage Points.onMessage(Point)] "
            + "(there is no such bean)", "Declare a bean of type KcpMessageCodec<Point>, or of a common supertype; or accept ByteBuf, "
                + "byte[] or String");
    }

    @Test
    void typeWithUnrelatedCodecsIsRejected() {
        runner(Points.class).withBean("numbers", NumberCodec.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("(existing beans: [\"numbers\" for Number])"));
    }

    @Test
    void typeWithTwoCodecsIsRejected() {
        fails(runner(Points.class).withBean("one", PointCodec.class).withBean("other", OtherPointCodec.class),
            "Several KcpMessageCodec beans can decode the messages of [@OnMessage Points.onMessage(Point)]: [\"one\" for Point, "
                + "\"other\" for Point]", "Keep one of them, or change the parameter types to exactly the type of one of them");
    }

    @Test
    void codecWithoutTypeIsRejected() {
        fails(runner(Points.class).withBean("codec", Codec.class), "The KcpMessageCodec bean \"codec\" does not declare its type",
            "Declare the return type of its @Bean method, or its class, as KcpMessageCodec<YourType>");
    }

    @KcpController
    static class AnswersPoints {

        @OnMessage
        Point onMessage(String message) {
            return new Point(0, 0);
        }
    }

    @Test
    void returnTypeWithTwoCodecsIsRejected() {
        fails(runner(AnswersPoints.class).withBean("one", PointCodec.class).withBean("other", OtherPointCodec.class),
            "@OnMessage AnswersPoints.onMessage(String) returns a type that several KcpMessageCodec beans encode: [\"one\" for Point, "
                + "\"other\" for Point]", "Keep one of them, or return ByteBuf");
    }

    sealed interface Shape {
        record Square(int side) implements Flat, Regular {
        }

        record Circle(int radius) implements Flat {
        }
    }

    sealed interface Flat extends Shape {
    }

    sealed interface Regular extends Shape {
    }

    static class ShapeCodec extends Codec<Shape> {
    }

    @KcpController
    static class Shapes {

        @OnMessage
        void flat(Flat shape) {
        }

        @OnMessage
        void regular(Regular shape) {
        }
    }

    @Test
    void subtypeMatchedEquallyByTwoMethodsIsRejected() {
        runner(Shapes.class).withBean(ShapeCodec.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("@OnMessage Shapes.flat(Flat)").hasStackTraceContaining("@OnMessage Shapes.regular(Regular)")
            .hasStackTraceContaining("Several methods accept " + Shape.Square.class.getTypeName()
                + ", and none has the most specific parameter type: [")
            .hasStackTraceContaining("Keep one of them, or add a method for exactly that type."));
    }

    @KcpController
    static class OneShape {

        @OnMessage
        void flat(Shape.Circle shape) {
        }
    }

    @KcpController
    static class SameShape {

        @OnMessage
        void again(Shape.Circle shape) {
        }
    }

    @Test
    void sameTypeInTwoControllersIsRejected() {
        runner(OneShape.class, SameShape.class).withBean(ShapeCodec.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("@OnMessage OneShape.flat(Circle)").hasStackTraceContaining("@OnMessage SameShape.again(Circle)"));
    }

    @KcpController
    static class TwoErrors {

        @OnError
        void one(IllegalStateException failure) {
        }

        @OnError
        void other(KcpChannel session, IllegalStateException failure) {
        }
    }

    @Test
    void sameExceptionInTwoErrorMethodsIsRejected() {
        runner(TwoErrors.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("Several methods accept java.lang.IllegalStateException, and none has the most specific"));
    }

    // ---- beans

    @KcpController
    static class Prototype extends Controller {
    }

    static class Controller {

        @OnMessage
        void onMessage(String message) {
        }
    }

    @Test
    void prototypeControllerIsRejected() {
        fails(runner().withBean("prototype", Prototype.class, Prototype::new, definition -> definition.setScope("prototype")),
            "The @KcpController bean \"prototype\" is not a singleton, but one bean serves all sessions",
            "Remove its @Scope, and keep the state of a session in channel attributes");
    }

    @KcpController(server = "gmae")
    static class Misspelled extends Controller {
    }

    @Test
    void controllerOfUnknownServerIsRejected() {
        fails(runner().withBean("misspelled", Misspelled.class), "The @KcpController bean \"misspelled\" serves a KCP server named "
            + "\"gmae\", which is not configured", "Use one of [server], or configure kcp.servers.gmae.port");
    }

    @KcpController(maxPending = 0)
    static class NonePending extends Controller {
    }

    @Test
    void maxPendingZeroIsRejected() {
        fails(runner(NonePending.class), "The attribute maxPending of @KcpController NonePending is 0", "Set it to 1 or more");
    }

    @KcpController(execution = KcpExecution.EVENT_LOOP)
    static class OnEventLoop {

        @OnOpen
        void onOpen() {
        }
    }

    @KcpController
    static class Anywhere extends Controller {
    }

    @Test
    void differentExecutionsAreRejected() {
        fails(runner(OnEventLoop.class, Anywhere.class), "The controllers of the KCP server \"server\" differ in their execution: "
            + "[@KcpController OnEventLoop, @KcpController Anywhere] use [EVENT_LOOP, AUTO]",
            "Set the attribute execution of @KcpController to the same value for all of them");
    }

    @KcpController(execution = KcpExecution.VIRTUAL_THREADS)
    static class OnVirtualThreads extends Controller {
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void virtualThreadsOnOldJavaAreRejected() {
        fails(runner(OnVirtualThreads.class), "[@KcpController OnVirtualThreads] requires virtual threads, which Java "
            + JavaVersion.getJavaVersion() + " does not support",
            "Run on Java 21 or later, or set the attribute execution to AUTO");
    }

    @KcpController
    static class PrivateMethod {

        @OnMessage
        private void onMessage(String message) {
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Proxied {

        @Bean
        PrivateMethod proxied() {
            ProxyFactory factory = new ProxyFactory(new PrivateMethod());
            factory.setProxyTargetClass(true);
            return (PrivateMethod) factory.getProxy();
        }
    }

    @Test
    void privateMethodOfProxyIsRejected() {
        runner(Proxied.class).run(context -> {
            assertThat(context).getFailure().hasStackTraceContaining("@OnMessage PrivateMethod.onMessage(String) cannot be called: ");
            assertThat(new InvalidControllerFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
                .isEqualTo("Make it public or package-private.");
        });
    }

    // ---- JSON

    @KcpController(json = Point.class)
    static class JsonPoints {

        @OnMessage
        void onMessage(Point point) {
        }
    }

    @Test
    void jsonWithoutMapperIsRejected() {
        fails(runner(JsonPoints.class), "@KcpController(json = Point.class) needs exactly one JsonMapper bean, or a primary one",
            "Add spring-boot-starter-jackson to the dependencies, declare a JsonMapper bean, or mark one as @Primary");
    }

    @KcpController(json = Point.class)
    static class JsonOfSomethingElse {

        @OnMessage
        void onMessage(Shape.Circle circle) {
        }
    }

    @Test
    void jsonTypeThatMethodsDoNotAcceptIsRejected() {
        fails(runner(JsonOfSomethingElse.class).withBean(JsonMapper.class), "Messages are JSON of type Point, which some of [@OnMessage "
            + "JsonOfSomethingElse.onMessage(Circle)] do not accept", "Set the attribute json of @KcpController to a common supertype");
    }

    @Test
    void differentJsonTypesAreRejected() {
        runner(JsonPoints.class, JsonShapes.class).withBean(JsonMapper.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("The controllers of one server use different JSON types: "));
    }

    @KcpController(json = Shape.class)
    static class JsonShapes {

        @OnOpen
        void onOpen() {
        }
    }

    @Test
    void jsonWithoutJacksonIsRejected() {
        fails(runner(JsonPoints.class).withClassLoader(new FilteredClassLoader("tools.jackson")), "@KcpController(json = "
            + "Point.class) needs Jackson, which is not on the class path", "Add spring-boot-starter-jackson to the dependencies");
    }

    // ---- valid declarations

    @Test
    void noControllersMeansNoHandler() {
        runner().withClassLoader(new FilteredClassLoader("tools.jackson")).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("No bean handles the sessions of the KCP server \"server\""));
    }

    @Test
    void controllersWithoutServerAreIgnored() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class,
            KcpControllerAutoConfiguration.class)).withUserConfiguration(Misspelled.class, UnknownParameter.class)
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(KcpServers.class));
    }

    @Test
    void failureAnalyzerIsRegistered() {
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class,
            SpringFactoriesLoader.FailureHandler.handleMessage((message, failure) -> { }));
        assertThat(analyzers).hasAtLeastOneElementOfType(InvalidControllerFailureAnalyzer.class);
    }
}
