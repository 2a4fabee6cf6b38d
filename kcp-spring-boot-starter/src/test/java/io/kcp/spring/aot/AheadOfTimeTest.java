package io.kcp.spring.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.spring.EchoClient;
import io.kcp.spring.KcpServers;
import io.kcp.spring.properties.KcpServerProperties;
import io.kcp.test.ChildProcess;
import io.netty.channel.ChannelHandler;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * Processes an application ahead of time, as Boot's build plugins do for a native image, compiles the generated sources and starts the
 * result on the JVM. No native image is built; its metadata is checked instead.
 */
@Timeout(180)
@Tag("jdk")
class AheadOfTimeTest {

    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final String NO_WEB = "-Dspring.main.web-application-type=none";
    @TempDir
    private static Path folder;
    private static String metadata;

    @BeforeAll
    static void processAheadOfTime() throws Exception {
        // Conditions are evaluated now, so the port must be set. In a child process, because the processor sets system properties.
        String classes = folder.resolve("classes").toString();
        try (ChildProcess processor = ChildProcess.java("-Dkcp.server.port=0", NO_WEB, "-cp", CLASS_PATH,
            "org.springframework.boot.SpringApplicationAotProcessor", AotApplication.class.getName(),
            folder.resolve("sources").toString(), classes, classes, "io.kcp.test", "aot")) {
            assertThat(processor.exitCode(120)).as(() -> String.join("\n", processor.lines())).isZero();
        }
        List<String> arguments = new ArrayList<>(List.of("-d", folder.resolve("classes").toString(), "-proc:none", "-nowarn", "-cp",
            folder.resolve("classes") + File.pathSeparator + CLASS_PATH));
        try (Stream<Path> sources = Files.walk(folder.resolve("sources"))) {
            sources.filter(source -> source.toString().endsWith(".java")).forEach(source -> arguments.add(source.toString()));
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(new String[0]))).isZero();
        metadata = Files.readString(folder.resolve("classes/META-INF/native-image/io.kcp.test/aot/reachability-metadata.json"));
    }

    @Test
    @Tag("slow")
    void applicationProcessedAheadOfTimeStartsAndAnswers() throws Exception {
        try (ChildProcess process = ChildProcess.java("-Dspring.aot.enabled=true", "-Dkcp.server.port=0", NO_WEB, "-cp",
            folder.resolve("classes") + File.pathSeparator + CLASS_PATH, AotApplication.class.getName())) {
            int port = Integer.parseInt(process.await("port ", 60));
            assertThat(process.lines()).as("log of the AOT mode").anyMatch(said -> said.contains("AOT"));
            try (EchoClient client = new EchoClient(port)) {
                assertThat(client.ask("{\"kind\":\"AotApplication$Word$Said\",\"text\":\"hi\"}"))
                    .contains("\"text\":\"hi\"").contains("\"name\":\"server\"");
            }
        }
    }

    private static boolean names(String type) {
        return metadata.contains('"' + type + '"');
    }

    @Test
    void metadataContainsPropertiesControllerMethodsAndMessages() {
        for (Class<?> type : List.of(KcpServerProperties.class, AotApplication.Controller.class, AotApplication.Word.class,
            AotApplication.Word.Said.class, AotApplication.Word.Heard.class, AotApplication.Sender.class)) {
            assertThat(names(type.getName())).as(type.getName()).isTrue();
        }
        for (String nested : List.of("KcpProperties", "KcpFecProperties", "KcpCryptProperties", "KcpTuningProperties",
            "KcpLimitsProperties", "KcpClientProperties")) {
            assertThat(names("io.kcp.spring.properties." + nested)).as(nested).isTrue();
        }
        assertThat(metadata).contains("\"answer\"").contains("\"opened\"").contains("setPort");
    }

    @Test
    void typesInMetadataExist() {
        Matcher type = Pattern.compile("\"(io\\.kcp\\.[\\w.$]+)\"").matcher(metadata);
        Set<String> missing = new TreeSet<>();
        while (type.find()) {
            String name = type.group(1);
            boolean generated = Files.exists(folder.resolve("classes/" + name.replace('.', '/') + ".class"));
            if (!generated && KcpServers.class.getClassLoader().getResource(name.replace('.', '/') + ".class") == null) {
                missing.add(name);
            }
        }
        assertThat(missing).isEmpty();
    }

    private static Set<String> channelHandlers() throws Exception {
        Path classes = Path.of(KcpServers.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(classes)) {
            return files.map(file -> classes.relativize(file).toString()).filter(file -> file.endsWith(".class"))
                .map(file -> file.substring(0, file.length() - ".class".length()).replace(File.separatorChar, '.'))
                .filter(AheadOfTimeTest::isHandler).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static boolean isHandler(String name) {
        try {
            Class<?> type = Class.forName(name, false, KcpServers.class.getClassLoader());
            return ChannelHandler.class.isAssignableFrom(type) && !type.isInterface() && !Modifier.isAbstract(type.getModifiers());
        } catch (ClassNotFoundException | LinkageError notHere) {
            return false;
        }
    }

    /** Netty looks up by reflection which methods of a handler it may skip. */
    @Test
    void allChannelHandlersAreRegisteredForReflection() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories").load(RuntimeHintsRegistrar.class).stream()
            .filter(registrar -> registrar.getClass().getName().startsWith("io.kcp."))
            .forEach(registrar -> registrar.registerHints(hints, null));
        Set<String> handlers = channelHandlers();
        assertThat(handlers).isNotEmpty().allSatisfy(handler -> {
            assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(handler))
                .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)).accepts(hints);
            assertThat(names(handler)).as(handler).isTrue();
        });
        assertThat(hints.reflection().typeHints().map(hint -> hint.getType().getName())).containsExactlyInAnyOrderElementsOf(handlers);
    }

    /** Spring adds hints for all classes in these files, so the names must be correct. */
    @Test
    void factoriesFilesNameExistingClasses() throws Exception {
        for (String file : List.of("META-INF/spring.factories", "META-INF/spring/aot.factories")) {
            Properties factories = new Properties();
            URI own = KcpServers.class.getProtectionDomain().getCodeSource().getLocation().toURI();
            try (var in = own.resolve(file).toURL().openStream()) {
                factories.load(in);
            } catch (IOException missing) {
                throw new UncheckedIOException(file, missing);
            }
            for (Object names : factories.values()) {
                for (String name : names.toString().split(",")) {
                    assertThat(Class.forName(name).getDeclaredConstructor()).isNotNull();
                }
            }
        }
    }
}
