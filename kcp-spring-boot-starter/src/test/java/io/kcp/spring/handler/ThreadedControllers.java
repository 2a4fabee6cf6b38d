package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.spring.KcpSessionHandlerProvider;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ConfigurableApplicationContext;

/** Runs controllers on blocking platform threads, because Java 17 has no virtual threads. */
final class ThreadedControllers implements KcpSessionHandlerProvider, DisposableBean {

    private final ThreadPoolExecutor threads = (ThreadPoolExecutor) Executors.newCachedThreadPool();
    private final ConfigurableApplicationContext context;
    private final BlockingSessions sessions;

    ThreadedControllers(ConfigurableApplicationContext context, BlockingSessions sessions) {
        this.context = context;
        this.sessions = sessions;
    }

    @Override
    public ChannelHandler handlerFor(String serverName) {
        List<ControllerBean> controllers = Arrays.stream(context.getBeanNamesForAnnotation(KcpController.class))
            .map(name -> new ControllerBean(context.getBean(name),
                Objects.requireNonNull(context.findAnnotationOnBean(name, KcpController.class)))).toList();
        ServerControllers methods = new ServerControllersBuilder(context.getBeanFactory(), controllers).build();
        int maxPending = controllers.get(0).settings().maxPending();
        List<KcpSessionCustomizer> customizers = context.getBeanProvider(KcpSessionCustomizer.class).orderedStream().toList();
        BlockingThreads blocking = new BlockingThreads(threads, sessions);
        return new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                customizers.forEach(customizer -> customizer.customize(serverName, session));
                session.pipeline().addLast(new ControllerHandler(methods, blocking, maxPending));
            }
        };
    }

    /** Returns the number of threads that handle events. */
    int busy() {
        return threads.getActiveCount();
    }

    @Override
    public void destroy() {
        threads.shutdown();
    }
}
