package io.kcp.netty;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.kcp.core.conversation.Kcp;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.stats.SessionEventListener;
import io.kcp.netty.smux.SmuxHandler;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Verifies the GraalVM reachability metadata of kcp-netty, kcp-streams and kcp-core without building a native image. Every type that the
 * metadata names must exist, and every reflective lookup found in the bytecode must be covered by the metadata.
 */
@Tag("jdk")
class ReachabilityMetadataTest {

    private static final Pattern TYPE = Pattern.compile("\"type(?:Reached)?\": \"([^\"]+)\"");
    private static final Pattern ENTRY = Pattern.compile("\\{\\s*\"condition\": \\{\"typeReached\": \"([^\"]+)\"},"
        + "\\s*\"type\": \"([^\"]+)\"(,\\s*\"allPublicMethods\": true)?\\s*}");

    private static final JavaClasses NETTY = classesOf(KcpHandler.class);
    private static final JavaClasses STREAMS = classesOf(SmuxHandler.class);
    private static final JavaClasses CORE = classesOf(Kcp.class);

    /** Returns the classes of a module, from its folder or, if it has been packaged, from its jar. */
    private static JavaClasses classesOf(Class<?> oneOfThem) {
        try {
            Path place = Path.of(oneOfThem.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(place)) {
                return new ClassFileImporter().importPath(place);
            }
            try (JarFile jar = new JarFile(place.toFile())) {
                return new ClassFileImporter().importJar(jar);
            }
        } catch (IOException | URISyntaxException missing) {
            throw new AssertionError(missing);
        }
    }

    private static String metadata(String module) throws IOException {
        String path = "/META-INF/native-image/io.kcp/" + module + "/reachability-metadata.json";
        try (InputStream in = KcpHandler.class.getResourceAsStream(path)) {
            assertThat(in).as(path).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Set<String> entries(String module, boolean withMethods) throws IOException {
        Set<String> types = new TreeSet<>();
        Matcher entry = ENTRY.matcher(metadata(module));
        while (entry.find()) {
            if ((entry.group(3) != null) == withMethods) {
                types.add(entry.group(2));
            }
        }
        return types;
    }

    @Test
    void rulesCoverTheMainClassesOfAllModules() {
        assertThat(NETTY.contain(KcpHandler.class)).isTrue();
        assertThat(STREAMS.contain(SmuxHandler.class)).isTrue();
        assertThat(NETTY.contain(ReachabilityMetadataTest.class)).isFalse();
        assertThat(CORE.contain(Kcp.class)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kcp-netty", "kcp-streams"})
    void everyTypeInTheMetadataExists(String module) throws Exception {
        int types = 0;
        Matcher type = TYPE.matcher(metadata(module));
        while (type.find()) {
            assertThat(Class.forName(type.group(1), false, KcpHandler.class.getClassLoader())).isNotNull();
            types++;
        }
        assertThat(entries(module, true).size() + entries(module, false).size()).as("entries").isPositive().isEqualTo(types / 2);
    }

    /** Netty uses reflection to determine which methods of a handler can be skipped. */
    @Test
    void metadataListsEveryHandlerWithItsPublicMethods() throws Exception {
        assertListsHandlers("kcp-netty", NETTY, DefaultKcpHandler.class);
        assertListsHandlers("kcp-streams", STREAMS, SmuxHandler.class);
    }

    private static void assertListsHandlers(String module, JavaClasses classes, Class<?> oneOfThem) throws IOException {
        Set<String> handlers = classes.stream().filter(type -> type.isAssignableTo(ChannelHandler.class))
            .filter(type -> !type.isInterface() && !Modifier.isAbstract(type.reflect().getModifiers())).map(JavaClass::getName)
            .collect(Collectors.toCollection(TreeSet::new));
        assertThat(handlers).contains(oneOfThem.getName());
        assertThat(entries(module, true)).isEqualTo(handlers);
    }

    @Test
    void metadataListsTheOnlyTypeLookedUpByName() throws Exception {
        List<String> lookups = NETTY.stream().flatMap(type -> type.getMethodCallsFromSelf().stream())
            .filter(call -> call.getTargetOwner().isEquivalentTo(Class.class) && call.getName().equals("forName"))
            .map(call -> call.getOriginOwner().getName()).toList();
        assertThat(lookups).containsExactly(SessionEventListener.class.getName());
        assertThat(entries("kcp-netty", false)).containsExactly("jdk.jfr.Event");
        assertThat(entries("kcp-streams", false)).isEmpty();
    }

    private static ArchRule looksNothingUp() {
        DescribedPredicate<JavaMethodCall> byReflection = DescribedPredicate.describe("look up members, services or resources", call ->
            call.getTargetOwner().isEquivalentTo(Class.class) && call.getName().matches("get(Declared)?(Method|Field|Constructor)s?")
                || call.getTargetOwner().isEquivalentTo(Class.class) && call.getName().startsWith("getResource")
                || call.getTargetOwner().isAssignableTo(ClassLoader.class) || call.getTargetOwner().isEquivalentTo(ServiceLoader.class)
                || call.getTargetOwner().isEquivalentTo(Proxy.class));
        return noClasses().should().callMethodWhere(byReflection);
    }

    @Test
    void noOtherLookupsHappenAtRunTime() {
        looksNothingUp().check(NETTY);
        looksNothingUp().check(STREAMS);
        looksNothingUp().check(CORE);
        noClasses().should().callMethod(Class.class, "forName", String.class).check(CORE);
        noClasses().should().callMethod(Class.class, "forName", String.class, boolean.class, ClassLoader.class).check(CORE);
        noClasses().should().dependOnClassesThat(resideInAnyPackage("java.lang.reflect..")).check(CORE);
        noClasses().should().dependOnClassesThat(resideInAnyPackage("java.lang.reflect..")).check(NETTY);
        noClasses().should().dependOnClassesThat(resideInAnyPackage("java.lang.reflect..")).check(STREAMS);
    }

    /** A native image registers the JDK's algorithms automatically when it finds a call to a {@code getInstance} method. */
    @Test
    void ciphersAreObtainedThroughTheJdkFactoriesOnly() {
        noClasses().should().callMethodWhere(target(owner(resideInAnyPackage("java.security")))
            .and(target(nameMatching("addProvider|insertProviderAt|getProvider")))).check(CORE);
        assertThat(CORE.stream().flatMap(type -> type.getMethodCallsFromSelf().stream())
            .filter(call -> call.getTargetOwner().getPackageName().equals("javax.crypto") && call.getName().equals("getInstance"))
            .map(call -> call.getTargetOwner().getSimpleName()).distinct()).containsExactlyInAnyOrder("Cipher", "Mac");
    }

    @Test
    void onlyExceptionsAreSerializable() {
        ArchRule onlyExceptions = noClasses().that().areNotAssignableTo(Throwable.class).and().areNotEnums().and()
            .areNotAnonymousClasses().should().implement(Serializable.class);
        onlyExceptions.check(NETTY);
        onlyExceptions.check(STREAMS);
    }
}
