package io.kcp.spring.client;

import io.kcp.spring.KcpClientCustomizer;
import io.kcp.spring.KcpClientFactory;
import io.kcp.spring.properties.ClientSettings;
import io.kcp.spring.properties.KcpClientProperties;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.DnsServerAddressStreamProviders;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;

/** Auto-configuration for a {@link KcpClientFactory} that uses the {@code kcp.client} properties. */
@AutoConfiguration
@EnableConfigurationProperties(KcpClientProperties.class)
public final class KcpClientAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(KcpClientFactory.class)
    NettyKcpClientFactory kcpClientFactory(KcpClientProperties properties, ObjectProvider<KcpClientCustomizer> customizers,
        ObjectProvider<SslBundles> bundles) {
        ClientSettings settings = new ClientSettings(properties);
        return new NettyKcpClientFactory(settings, customizers.orderedStream().toList(), settings.tls(bundles.getIfAvailable()));
    }

    /** Configures Netty's DNS resolver, which does not block event loops. Other customizers may set a different resolver. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DnsAddressResolverGroup.class)
    static class Names {

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        KcpClientCustomizer kcpClientNames(ObjectProvider<DnsServerAddressStreamProvider> servers) {
            // Defers creating the resolver until the first session is opened, because creating it reads the name server configuration of
            // the machine.
            SingletonSupplier<KcpDnsResolverGroup> names = SingletonSupplier.of(() ->
                new KcpDnsResolverGroup(servers.getIfAvailable(DnsServerAddressStreamProviders::platformDefault)));
            return bootstrap -> bootstrap.resolver(names.obtain());
        }
    }
}
