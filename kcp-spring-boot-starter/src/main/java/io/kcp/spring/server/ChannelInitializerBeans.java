package io.kcp.spring.server;

import io.kcp.netty.KcpChannel;
import io.kcp.spring.KcpSessionHandlerProvider;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/**
 * Finds the {@code ChannelInitializer<KcpChannel>} bean that initializes the sessions of a server. This is the bean whose name or
 * qualifier is the name of the server, or else the only bean that is not named after another server.
 */
final class ChannelInitializerBeans implements KcpSessionHandlerProvider {

    private static final ResolvableType TYPE = ResolvableType.forClassWithGenerics(ChannelInitializer.class, KcpChannel.class);

    private final ConfigurableListableBeanFactory beans;
    private final List<String> serverNames;

    /**
     * Creates a provider.
     *
     * @param serverNames the names of all servers
     */
    ChannelInitializerBeans(ConfigurableListableBeanFactory beans, List<String> serverNames) {
        this.beans = beans;
        this.serverNames = List.copyOf(serverNames);
    }

    /** Returns the names of all {@code ChannelInitializer<KcpChannel>} beans. */
    static String[] names(ConfigurableListableBeanFactory beans) {
        return beans.getBeanNamesForType(TYPE);
    }

    @Override
    public @Nullable ChannelHandler handlerFor(String serverName) {
        List<String> all = List.of(names(beans));
        List<String> matching = all.stream().filter(bean -> isFor(serverName, bean)).toList();
        if (matching.isEmpty()) {
            matching = all.stream().filter(bean -> serverNames.stream().noneMatch(name -> isFor(name, bean))).toList();
        }
        if (matching.size() > 1) {
            throw KcpSessionHandlerException.ambiguous(serverName, matching);
        }
        return matching.isEmpty() ? null : (ChannelHandler) beans.getBean(matching.get(0));
    }

    private boolean isFor(String serverName, String bean) {
        return BeanFactoryAnnotationUtils.isQualifierMatch(serverName::equals, bean, beans);
    }
}
