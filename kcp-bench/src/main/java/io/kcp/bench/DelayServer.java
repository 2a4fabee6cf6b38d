package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerChannel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Records how long messages were under way. */
@Command(name = "server", description = "Records how long messages were under way.", mixinStandardHelpOptions = true)
final class DelayServer implements Callable<Integer> {

    @Mixin
    DelayOptions options = new DelayOptions();

    @Option(names = "--listen", defaultValue = "0", description = "port, 0 for any")
    int port;

    @Override
    public Integer call() throws IOException {
        DelayRecord record = new DelayRecord();
        MultiThreadIoEventLoopGroup group = options.newGroup();
        KcpServerChannel server = options.newServer(group)
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(new DelayReceiver(options.messageBytes, record));
                }
            }).bind(new InetSocketAddress(options.host, port)).syncUninterruptibly().channel();
        JsonLine.event("ready").put("port", Objects.requireNonNull(server.localAddress(), "localAddress").getPort()).print();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals("delay")) {
                record.report().print();
            }
        }
        group.shutdownGracefully();
        return 0;
    }
}
