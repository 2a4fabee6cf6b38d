package io.kcp.examples;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Three network namespaces of the Linux kernel: a client and a server, which are connected by a router. The router can lose, limit and
 * translate datagrams with nftables and {@code tc}. Each namespace belongs to a process that exits when its standard input closes.
 * Therefore the kernel removes the namespaces even if this process is killed.
 */
final class KernelNetwork implements AutoCloseable {

    static final String SERVER_IPV4 = "10.79.2.2";
    static final String SERVER_IPV6 = "fd79:2::2";

    private static final String ROUTER_IPV4 = "10.79.2.1/24";
    private static final String TO_CLIENT = "toclient";
    private static final String TO_SERVER = "toserver";
    private static final int STANDARD_MTU = 1_500;
    private static final int COMMAND_SECONDS = 10;
    private static final int FIRST_NAT_PORT = 20_000;
    private static final int PORTS_PER_MAPPING = 100;

    /** A network namespace, which exists as long as its process. */
    private record Namespace(Process holder) {

        static Namespace create() throws IOException {
            Process holder = new ProcessBuilder("unshare", "--net", "sh", "-c", "echo; exec cat").redirectErrorStream(true).start();
            String line = holder.inputReader(StandardCharsets.UTF_8).readLine();
            if (line == null || !line.isEmpty()) {
                holder.destroyForcibly();
                throw new IOException("unshare --net: " + line);
            }
            return new Namespace(holder);
        }

        List<String> prefix() {
            return List.of("nsenter", "--net=/proc/" + holder.pid() + "/ns/net");
        }

        /** Runs shell commands in this namespace. Fails with their output if one of them fails. */
        void run(String script) throws IOException, InterruptedException {
            List<String> command = new ArrayList<>(prefix());
            command.addAll(List.of("sh", "-e", "-c", "PATH=$PATH:/usr/sbin:/sbin\n" + script));
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException(script + ": " + output.strip());
            }
        }
    }

    private final List<Namespace> namespaces = new ArrayList<>();
    private final Namespace client;
    private final Namespace router;
    private final Namespace server;
    private int mappings;

    /**
     * Creates a network.
     *
     * @param offload {@code true} if the network devices accept GSO batches; {@code false} if the kernel splits each batch first, so that
     *                nftables sees single datagrams
     */
    KernelNetwork(boolean offload) throws IOException, InterruptedException {
        try {
            client = create();
            router = create();
            server = create();
            connect(offload);
        } catch (IOException | InterruptedException failed) {
            close();
            throw failed;
        }
    }

    private Namespace create() throws IOException {
        Namespace namespace = Namespace.create();
        namespaces.add(namespace);
        return namespace;
    }

    private void connect(boolean offload) throws IOException, InterruptedException {
        String gso = offload ? "" : " gso_max_segs 1";
        router.run("ip link set lo up\n" + device(TO_CLIENT, client, "10.79.1.1/24", "fd79:1::1/64", gso)
            + device(TO_SERVER, server, ROUTER_IPV4, "fd79:2::1/64", gso)
            + "echo 1 > /proc/sys/net/ipv4/ip_forward\necho 1 > /proc/sys/net/ipv6/conf/all/forwarding\n");
        client.run(host("10.79.1.2/24", "fd79:1::2/64", "10.79.1.1", "fd79:1::1", gso));
        server.run(host(SERVER_IPV4 + "/24", SERVER_IPV6 + "/64", "10.79.2.1", "fd79:2::1", gso));
    }

    private static String device(String name, Namespace peer, String ipv4, String ipv6, String gso) {
        return "ip link add name " + name + " type veth peer name eth0\nip link set eth0 netns " + peer.holder.pid() + "\nip link set "
            + name + gso + " up\nip address add " + ipv4 + " dev " + name + "\nip address add " + ipv6 + " nodad dev " + name + '\n';
    }

    private static String host(String ipv4, String ipv6, String gatewayIpv4, String gatewayIpv6, String gso) {
        return "ip link set lo up\nip link set eth0" + gso + " up\nip address add " + ipv4 + " dev eth0\nip address add " + ipv6
            + " nodad dev eth0\nip route add default via " + gatewayIpv4 + "\nip -6 route add default via " + gatewayIpv6 + '\n';
    }

    /** Returns the reason why this machine cannot create such networks, or {@code null} if it can. */
    static @Nullable String obstacle() throws InterruptedException {
        for (String program : List.of("unshare", "nsenter", "ip", "nft")) {
            if (!isInstalled(program)) {
                return "the program " + program + " is missing; src/interop/install-cluster.sh installs it";
            }
        }
        try (KernelNetwork network = new KernelNetwork(false)) {
            return network.isOpen() ? null : "the namespaces have gone";
        } catch (IOException refused) {
            return "network namespaces cannot be created here, which needs root: " + refused.getMessage();
        }
    }

    private static boolean isInstalled(String program) {
        String path = System.getenv("PATH") + ":/usr/sbin:/sbin";
        return List.of(path.split(":", -1)).stream().anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    private boolean isOpen() {
        return namespaces.stream().allMatch(namespace -> namespace.holder.isAlive());
    }

    /** Returns the words with which a command must begin so that it runs on the client. */
    List<String> onClient() {
        return client.prefix();
    }

    /** Returns the words with which a command must begin so that it runs on the server. */
    List<String> onServer() {
        return server.prefix();
    }

    /** Sets the MTU of both networks. */
    KernelNetwork mtu(int bytes) throws IOException, InterruptedException {
        router.run("ip link set " + TO_CLIENT + " mtu " + bytes);
        client.run("ip link set eth0 mtu " + bytes);
        return mtuOfServer(bytes);
    }

    /** Sets the MTU of the network between router and server. That of the client remains 1500, so only the router sees large datagrams. */
    KernelNetwork mtuOfServer(int bytes) throws IOException, InterruptedException {
        router.run("ip link set " + TO_SERVER + " mtu " + bytes);
        server.run("ip link set eth0 mtu " + bytes);
        return this;
    }

    /** Drops a random selection of the packets in both directions. */
    KernelNetwork lose(int percent) throws IOException, InterruptedException {
        return dropForwarded("numgen random mod 100 < " + percent);
    }

    /** Drops all packets that are longer than the given length, without an ICMP message. */
    KernelNetwork dropLongerThan(int packetBytes) throws IOException, InterruptedException {
        return dropForwarded("meta length > " + packetBytes);
    }

    /** Prevents the router from sending ICMP messages, which report that a packet is too large for the next network. */
    KernelNetwork dropIcmp() throws IOException, InterruptedException {
        router.run("nft 'add table inet quiet; add chain inet quiet output { type filter hook output priority 0; }; "
            + "add rule inet quiet output meta l4proto { icmp, ipv6-icmp } drop'");
        return this;
    }

    private KernelNetwork dropForwarded(String condition) throws IOException, InterruptedException {
        router.run("nft 'add table inet path; add chain inet path forward { type filter hook forward priority 0; }; "
            + "add rule inet path forward " + condition + " drop'");
        return this;
    }

    /**
     * Limits the rate in both directions with {@code tc}.
     *
     * @throws IOException if the kernel has no token bucket filter
     */
    KernelNetwork limitRate(int mbit, int queueMs) throws IOException, InterruptedException {
        for (String device : List.of(TO_CLIENT, TO_SERVER)) {
            router.run("tc qdisc add dev " + device + " root tbf rate " + mbit + "mbit burst " + (STANDARD_MTU * 10) + " latency " + queueMs
                + "ms");
        }
        return this;
    }

    /**
     * Translates the IPv4 address of the client to that of the router, like a home router.
     *
     * @throws IOException if the kernel cannot masquerade
     */
    KernelNetwork masquerade() throws IOException, InterruptedException {
        router.run("nft 'add table ip nat; add chain ip nat post { type nat hook postrouting priority 100; }'");
        assignPorts();
        return this;
    }

    /**
     * Discards all mappings of the NAT and gives the client another port. The kernel discards the mappings of an address when the address
     * is removed, so this method does not need the program {@code conntrack}.
     */
    void rebind() throws IOException, InterruptedException {
        assignPorts();
        router.run("ip address del " + ROUTER_IPV4 + " dev " + TO_SERVER + "\nip address add " + ROUTER_IPV4 + " dev " + TO_SERVER);
    }

    private void assignPorts() throws IOException, InterruptedException {
        int first = FIRST_NAT_PORT + PORTS_PER_MAPPING * mappings++;
        router.run("nft 'flush chain ip nat post; add rule ip nat post oifname " + TO_SERVER + " meta l4proto udp masquerade to :" + first
            + '-' + (first + PORTS_PER_MAPPING - 1) + "'");
    }

    @Override
    public void close() {
        for (Namespace namespace : namespaces) {
            namespace.holder.destroyForcibly();
        }
    }
}
