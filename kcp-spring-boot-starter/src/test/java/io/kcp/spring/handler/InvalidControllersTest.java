package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpOobMessage;
import io.kcp.spring.KcpServers;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
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

/** Controllers that cannot work fail the start, with a message that says which method and what to do. */
@Timeout(60)
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
    void aParameterThatNothingIsKnownFor() {
        fails(runner(UnknownParameter.class),
            "Parameter 2 of @OnMessage UnknownParameter.onMessage(String, int) is of a type that it cannot take, int",
            "It may take KcpChannel and one of ByteBuf, byte[], String, KcpOobMessage or the type of a KcpMessageCodec bean");
    }

    @KcpController
    static class TwoMessages {

        @OnMessage
        void onMessage(String message, KcpChannel session, ByteBuf again) {
        }
    }

    @Test
    void aMethodThatTakesTheMessageTwice() {
        fails(runner(TwoMessages.class), "Parameter 3 of @OnMessage TwoMessages.onMessage(String, KcpChannel, ByteBuf) is one too many of "
            + "its kind", "It may take KcpChannel and one of ByteBuf, byte[], String, KcpOobMessage or the type of a KcpMessageCodec bean");
    }

    @KcpController
    static class NoMessage {

        @OnMessage
        void onMessage(KcpChannel session) {
        }
    }

    @Test
    void aMethodThatTakesNoMessage() {
        fails(runner(NoMessage.class), "@OnMessage NoMessage.onMessage(KcpChannel) takes no message",
            "Add a parameter for it: ByteBuf, byte[], String, KcpOobMessage or the type of a KcpMessageCodec bean");
    }

    @KcpController
    static class OpenWithMessage {

        @OnOpen
        void onOpen(String message) {
        }
    }

    @Test
    void anOpeningThatTakesAMessage() {
        fails(runner(OpenWithMessage.class), "Parameter 1 of @OnOpen OpenWithMessage.onOpen(String) is of a type that it cannot take, "
            + "java.lang.String", "It may take KcpChannel");
    }

    @KcpController
    static class CloseWithNarrowCause {

        @OnClose
        void onClose(Exception cause) {
        }
    }

    @Test
    void aCloseThatTakesSomeCausesOnly() {
        fails(runner(CloseWithNarrowCause.class), "Parameter 1 of @OnClose CloseWithNarrowCause.onClose(Exception) is of a type that it "
            + "cannot take, java.lang.Exception", "It may take KcpChannel, KcpCloseReason and Throwable");
    }

    @KcpController
    static class CloseWithAnswer {

        @OnClose
        String onClose() {
            return "";
        }
    }

    @Test
    void aCloseThatAnswers() {
        fails(runner(CloseWithAnswer.class), "@OnClose CloseWithAnswer.onClose() returns a value, and there is nobody left to send it to",
            "Make it void");
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
    void twoMethodsForEveryMessage() {
        runner(TwoStrings.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("Each message could go to any of [")
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
    void twoMethodsForOutOfBandMessages() {
        runner(TwoOob.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("Out-of-band messages have more than one method: [@OnMessage TwoOob."));
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
    void twoOpeningsInNoOrder() {
        fails(runner(TwoOpenings.class), "@KcpController TwoOpenings has 2 @OnOpen methods, in no order", "Make one of them");
    }

    @KcpController
    static class Nothing {
    }

    @Test
    void aControllerWithoutMethods() {
        fails(runner(Nothing.class), "@KcpController Nothing has no method that is called for anything",
            "Put @OnOpen, @OnMessage, @OnClose or @OnError on some, or take @KcpController away");
    }

    @KcpController
    static class StaticMethod {

        @OnMessage
        static void onMessage(String message) {
        }
    }

    @Test
    void aStaticMethod() {
        fails(runner(StaticMethod.class), "@OnMessage StaticMethod.onMessage(String) is static", "Make it a method of the bean");
    }

    @KcpController
    static class ReturnsFuture {

        @OnMessage
        Future<String> onMessage(String message) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void aFutureThatDoesNotTellWhenItIsDone() {
        fails(runner(ReturnsFuture.class), "@OnMessage ReturnsFuture.onMessage(String) returns a type that cannot be written, "
            + "java.util.concurrent.Future", "It may return ByteBuf, byte[], String, KcpOobMessage, void, what a KcpMessageCodec bean "
                + "writes, or a CompletionStage or Netty Future of these");
    }

    @KcpController
    static class ReturnsAnyFuture {

        @OnMessage
        CompletionStage<?> onMessage(String message) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void aFutureOfAnything() {
        fails(runner(ReturnsAnyFuture.class), "@OnMessage ReturnsAnyFuture.onMessage(String) returns a future of what it does not say",
            "Give it a type argument, CompletionStage<String> say");
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

    /** Reads nothing. */
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
    void aTypeWithoutCodec() {
        fails(runner(Points.class), "There is no KcpMessageCodec bean that reads the messages of [@OnMessage Points.onMessage(Point)] "
            + "(there is none at all)", "Declare a bean of type KcpMessageCodec<Point>, or of a common supertype of all; or take ByteBuf, "
                + "byte[] or String");
    }

    @Test
    void aTypeWithCodecsOfOtherTypesOnly() {
        runner(Points.class).withBean("numbers", NumberCodec.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("(there are those named [\"numbers\" of Number])"));
    }

    @Test
    void aTypeWithTwoCodecs() {
        fails(runner(Points.class).withBean("one", PointCodec.class).withBean("other", OtherPointCodec.class),
            "More than one KcpMessageCodec bean could read the messages of [@OnMessage Points.onMessage(Point)]: [\"one\" of Point, "
                + "\"other\" of Point]", "Keep one of them, or have the methods take the type of one of them itself");
    }

    @Test
    void aCodecOfItDoesNotSayWhat() {
        fails(runner(Points.class).withBean("codec", Codec.class), "The KcpMessageCodec bean \"codec\" does not say for which type it is",
            "Declare its @Bean method, or its class, as a KcpMessageCodec<YourType>");
    }

    @KcpController
    static class AnswersPoints {

        @OnMessage
        Point onMessage(String message) {
            return new Point(0, 0);
        }
    }

    @Test
    void anAnswerThatTwoCodecsWrite() {
        fails(runner(AnswersPoints.class).withBean("one", PointCodec.class).withBean("other", OtherPointCodec.class),
            "@OnMessage AnswersPoints.onMessage(String) returns what more than one KcpMessageCodec bean writes: [\"one\" of Point, "
                + "\"other\" of Point]", "Keep one of them, or return ByteBuf");
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
    void aKindThatTwoMethodsTakeEquallyWell() {
        runner(Shapes.class).withBean(ShapeCodec.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("@OnMessage Shapes.flat(Flat)").hasStackTraceContaining("@OnMessage Shapes.regular(Regular)")
            .hasStackTraceContaining("none is the closest for " + Shape.Square.class.getTypeName()
                + ". Keep one of them, or add one for that type itself."));
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
    void twoControllersForTheSameType() {
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
    void twoErrorMethodsForTheSameException() {
        runner(TwoErrors.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("none is the closest for java.lang.IllegalStateException"));
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
    void aControllerOfEachSession() {
        fails(runner().withBean("prototype", Prototype.class, Prototype::new, definition -> definition.setScope("prototype")),
            "The @KcpController bean \"prototype\" is not a singleton, but serves all sessions",
            "Take its @Scope away, and keep what belongs to a session in its attributes");
    }

    @KcpController(server = "gmae")
    static class Misspelled extends Controller {
    }

    @Test
    void aControllerOfAServerThatDoesNotExist() {
        fails(runner().withBean("misspelled", Misspelled.class), "The @KcpController bean \"misspelled\" is for a KCP server named "
            + "\"gmae\", which does not exist", "Use one of [server], or configure kcp.servers.gmae.port");
    }

    @KcpController(maxPending = 0)
    static class NonePending extends Controller {
    }

    @Test
    void aControllerThatMayNotHaveMessages() {
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
    void controllersThatDisagreeWhereToRun() {
        fails(runner(OnEventLoop.class, Anywhere.class), "The controllers of the KCP server \"server\" disagree where to run: "
            + "[@KcpController OnEventLoop, @KcpController Anywhere] say [EVENT_LOOP, AUTO]",
            "Set the attribute execution of @KcpController to the same for all of them");
    }

    @KcpController(execution = KcpExecution.VIRTUAL_THREADS)
    static class OnVirtualThreads extends Controller {
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void virtualThreadsOnAnOldJava() {
        fails(runner(OnVirtualThreads.class), "[@KcpController OnVirtualThreads] is to run on virtual threads, which Java "
            + JavaVersion.getJavaVersion() + " does not have",
            "Run on Java 21 or later, or set its attribute execution to AUTO");
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
    void aPrivateMethodOfAProxy() {
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
    void jsonWithoutMapper() {
        fails(runner(JsonPoints.class), "@KcpController(json = Point.class) needs one JsonMapper bean",
            "Add spring-boot-starter-jackson to the dependencies, or declare a JsonMapper bean, or mark one as @Primary");
    }

    @KcpController(json = Point.class)
    static class JsonOfSomethingElse {

        @OnMessage
        void onMessage(Shape.Circle circle) {
        }
    }

    @Test
    void jsonOfAnotherTypeThanMethodsTake() {
        fails(runner(JsonOfSomethingElse.class).withBean(JsonMapper.class), "Messages are JSON of Point, which not all of [@OnMessage "
            + "JsonOfSomethingElse.onMessage(Circle)] take", "Set the attribute json of @KcpController to a common supertype");
    }

    @Test
    void controllersThatDisagreeWhatIsInTheJson() {
        runner(JsonPoints.class, JsonShapes.class).withBean(JsonMapper.class).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("The controllers of one server disagree what their messages are: "));
    }

    @KcpController(json = Shape.class)
    static class JsonShapes {

        @OnOpen
        void onOpen() {
        }
    }

    @Test
    void jsonWithoutJackson() {
        fails(runner(JsonPoints.class).withClassLoader(new FilteredClassLoader("tools.jackson")), "@KcpController(json = "
            + "Point.class) needs Jackson, which is not on the class path", "Add spring-boot-starter-jackson to the dependencies");
    }

    // ---- what is no mistake

    @Test
    void withoutControllersThereIsNoHandler() {
        runner().withClassLoader(new FilteredClassLoader("tools.jackson")).run(context -> assertThat(context).getFailure()
            .hasStackTraceContaining("Nothing handles the sessions of the KCP server \"server\""));
    }

    @Test
    void controllersWithoutServerAreNotLookedAt() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class,
            KcpControllerAutoConfiguration.class)).withUserConfiguration(Misspelled.class, UnknownParameter.class)
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(KcpServers.class));
    }

    @Test
    void theAnalyzerIsRegistered() {
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class,
            SpringFactoriesLoader.FailureHandler.handleMessage((message, failure) -> { }));
        assertThat(analyzers).hasAtLeastOneElementOfType(InvalidControllerFailureAnalyzer.class);
    }
}
