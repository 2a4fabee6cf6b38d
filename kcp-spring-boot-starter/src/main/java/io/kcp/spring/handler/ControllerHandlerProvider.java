package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.packet.PacketCodec;
import io.kcp.netty.packet.PacketFormat;
import io.kcp.netty.smux.SmuxTotals;
import io.kcp.netty.smux.SmuxVersion;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServers;
import io.kcp.spring.KcpSessionHandlerProvider;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.system.JavaVersion;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Provides the session handler that calls the controllers of the application. */
final class ControllerHandlerProvider implements KcpSessionHandlerProvider, SmartInitializingSingleton {

    private static final Log LOG = LogFactory.getLog(KcpController.class);

    private final ConfigurableApplicationContext context;
    private final BlockingSessions sessions;

    ControllerHandlerProvider(ConfigurableApplicationContext context, BlockingSessions sessions) {
        this.context = context;
        this.sessions = sessions;
    }

    @Override
    public @Nullable ChannelHandler handlerFor(String serverName) {
        List<ControllerBean> controllers = controllersOf(serverName);
        if (controllers.isEmpty()) {
            return null;
        }
        ServerControllers methods = new ServerControllersBuilder(context.getBeanFactory(), controllers).build();
        if (!methods.takesMessages()) {
            LOG.warn("No controller of the KCP server \"" + serverName + "\" has an @OnMessage method (controllers: " + controllers
                + "), so messages from its peers are dropped. Add an @OnMessage method; it may be empty if the peers send nothing.");
        }
        BlockingThreads threads = onVirtualThreads(serverName, controllers)
            ? new BlockingThreads(new VirtualThreadTaskExecutor("kcp-" + serverName + '-'), sessions) : null;
        int maxPending = maxPending(controllers);
        KcpServers servers = context.getBeanProvider(KcpServers.class).getIfAvailable();
        KcpServer server = servers == null ? null : servers.find(serverName);
        PacketFormat packets = server == null ? null : server.packets();
        SmuxVersion smux = server == null ? null : server.smux();
        SmuxTotals totals = server == null ? null : server.smuxTotals();
        if (smux == null) {
            refuse(controllers, MethodSignature::needsStreams, " has a parameter of type SmuxStreamChannel, but sessions of the KCP server"
                + " \"" + serverName + "\" have no streams", "Set the property smux of the server to 1 or 2, or use KcpChannel");
        } else {
            refuse(controllers, MethodSignature::needsOob, " uses out-of-band messages, but sessions of the KCP server \"" + serverName
                + "\" are divided into streams, which have none", "Remove the property smux of the server, or the method");
        }
        if (server != null && server.usesTls()) {
            refuse(controllers, MethodSignature::needsOob, " uses out-of-band messages, which TLS does not protect, but sessions of the KCP"
                + " server \"" + serverName + "\" use TLS", "Remove the property ssl.bundle of the server, or the method");
        }
        Consumer<Channel> handling = channel -> {
            if (packets != null) {
                channel.pipeline().addLast("packets", new PacketCodec(packets));
            }
            channel.pipeline().addLast("controllers", new ControllerHandler(methods, threads, maxPending));
        };
        List<KcpSessionCustomizer> customizers =
            context.getBeanProvider(KcpSessionCustomizer.class).orderedStream().toList();
        return new ControllerInitializer(session -> {
            customizers.forEach(customizer -> customizer.customize(serverName, session));
            if (smux == null || totals == null) {
                handling.accept(session);
            } else {
                StreamsHandler.addTo(session, smux, totals, handling);
            }
        });
    }

    private static void refuse(List<ControllerBean> controllers, Predicate<MethodSignature> invalid, String problem, String remedy) {
        for (ControllerBean controller : controllers) {
            for (MethodSignature signature : controller.signatures()) {
                if (invalid.test(signature)) {
                    throw new InvalidControllerException(signature + problem, remedy);
                }
            }
        }
    }

    /**
     * Initializer that adds the controllers to each session. It is a named class, because log lines and exceptions contain the class
     * name.
     */
    static final class ControllerInitializer extends ChannelInitializer<KcpChannel> {

        private final Consumer<KcpChannel> action;

        ControllerInitializer(Consumer<KcpChannel> action) {
            this.action = action;
        }

        @Override
        protected void initChannel(KcpChannel session) {
            action.accept(session);
        }
    }

    private List<ControllerBean> controllersOf(String serverName) {
        List<ControllerBean> controllers = new ArrayList<>();
        for (String name : controllerNames()) {
            String server = settings(name).server();
            if (server.isEmpty() || server.equals(serverName)) {
                if (!context.isSingleton(name)) {
                    throw new InvalidControllerException("The @KcpController bean \"" + name + "\" is not a singleton, but one bean "
                        + "serves all sessions", "Remove its @Scope, and keep the state of a session in channel attributes");
                }
                controllers.add(new ControllerBean(context.getBean(name), settings(name)));
            }
        }
        controllers.sort((one, other) -> AnnotationAwareOrderComparator.INSTANCE.compare(one.bean(), other.bean()));
        return controllers;
    }

    @Override
    public boolean hasHandlers() {
        return !controllerNames().isEmpty();
    }

    private List<String> controllerNames() {
        return Arrays.asList(context.getBeanNamesForAnnotation(KcpController.class));
    }

    private KcpController settings(String beanName) {
        return Objects.requireNonNull(context.findAnnotationOnBean(beanName, KcpController.class));
    }

    private boolean onVirtualThreads(String serverName, List<ControllerBean> controllers) {
        List<KcpExecution> executions = controllers.stream().map(controller -> controller.settings().execution()).distinct().toList();
        if (executions.size() > 1) {
            throw new InvalidControllerException("The controllers of the KCP server \"" + serverName + "\" differ in their execution: "
                + controllers + " use " + executions, "Set the attribute execution of @KcpController to the same value for all of them");
        }
        if (executions.contains(KcpExecution.VIRTUAL_THREADS) && JavaVersion.getJavaVersion().isOlderThan(JavaVersion.TWENTY_ONE)) {
            throw new InvalidControllerException(controllers + " requires virtual threads, which Java "
                + JavaVersion.getJavaVersion() + " does not support", "Run on Java 21 or later, or set the attribute execution to AUTO");
        }
        return executions.contains(KcpExecution.VIRTUAL_THREADS)
            || executions.contains(KcpExecution.AUTO) && Threading.VIRTUAL.isActive(context.getEnvironment());
    }

    private static int maxPending(List<ControllerBean> controllers) {
        int least = Integer.MAX_VALUE;
        for (ControllerBean controller : controllers) {
            int maxPending = controller.settings().maxPending();
            if (maxPending < 1) {
                throw new InvalidControllerException("The attribute maxPending of " + controller + " is " + maxPending,
                    "Set it to 1 or more");
            }
            least = Math.min(least, maxPending);
        }
        return least;
    }

    /**
     * Prevents the application from starting if a controller names a server that is not configured, because the name is probably
     * misspelled.
     */
    @Override
    public void afterSingletonsInstantiated() {
        KcpServers servers = context.getBeanProvider(KcpServers.class).getIfAvailable();
        List<String> names = servers == null ? List.of()
            : StreamSupport.stream(servers.spliterator(), false).map(KcpServer::name).toList();
        for (String bean : names.isEmpty() ? List.<String>of() : controllerNames()) {
            String server = settings(bean).server();
            if (!server.isEmpty() && !names.contains(server)) {
                throw new InvalidControllerException("The @KcpController bean \"" + bean + "\" serves a KCP server named \"" + server
                    + "\", which is not configured", "Use one of " + names + ", or configure kcp.servers." + server + ".port");
            }
        }
    }
}
