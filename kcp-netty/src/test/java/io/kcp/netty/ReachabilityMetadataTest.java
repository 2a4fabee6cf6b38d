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
import io.kcp.core.Kcp;
import io.kcp.netty.stats.SessionEvents;
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

/**
 * Verifies the GraalVM reachability metadata of this library and of kcp-core without building a native image. Every type that the
 * metadata names must exist, and every reflective lookup found in the bytecode must be covered by the metadata.
 */
@Tag("jdk")
class ReachabilityMetadataTest {

    private static final String METADATA = "/META-INF/native-image/io.kcp/kcp-netty/reachability-metadata.json";
    private static final Pattern TYPE = Pattern.compile("\"type(?:Reached)?\": \"([^\"]+)\"");
    private static final Pattern ENTRY = Pattern.compile("\\{\\s*\"condition\": \\{\"typeReached\": \"([^\"]+)\"},"
        + "\\s*\"type\": \"([^\"]+)\"(,\\s*\"allPublicMethods\": true)?\\s*}");

    private static final JavaClasses NETTY = classesOf(KcpHandler.class);
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

    private static String metadata() throws IOException {
        try (InputStream in = KcpHandler.class.getResourceAsStream(METADATA)) {
            assertThat(in).as(METADATA).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Set<String> entries(boolean withMethods) throws IOException {
        Set<String> types = new TreeSet<>();
        Matcher entry = ENTRY.matcher(metadata());
        while (entry.find()) {
            if ((entry.group(3) != null) == withMethods) {
                types.add(entry.group(2));
            }
        }
        return types;
    }

    @Test
    void rulesCoverTheMainClassesOfBothModules() {
        assertThat(NETTY.contain(KcpHandler.class)).isTrue();
        assertThat(NETTY.contain(ReachabilityMetadataTest.class)).isFalse();
        assertThat(CORE.contain(Kcp.class)).isTrue();
    }

    @Test
    void everyTypeInTheMetadataExists() throws Exception {
        int types = 0;
        Matcher type = TYPE.matcher(metadata());
        while (type.find()) {
            assertThat(Class.forName(type.group(1), false, KcpHandler.class.getClassLoader())).isNotNull();
            types++;
        }
        assertThat(entries(true).size() + entries(false).size()).as("entries").isPositive().isEqualTo(types / 2);
    }

    /** Netty uses reflection to determine which methods of a handler can be skipped. */
    @Test
    void metadataListsEveryHandlerWithItsPublicMethods() throws Exception {
        Set<String> handlers = NETTY.stream().filter(type -> type.isAssignableTo(ChannelHandler.class))
            .filter(type -> !type.isInterface() && !Modifier.isAbstract(type.reflect().getModifiers())).map(JavaClass::getName)
            .collect(Collectors.toCollection(TreeSet::new));
        assertThat(handlers).contains(KcpHandler.class.getName());
        assertThat(entries(true)).isEqualTo(handlers);
    }

    @Test
    void metadataListsTheOnlyTypeLookedUpByName() throws Exception {
        List<String> lookups = NETTY.stream().flatMap(type -> type.getMethodCallsFromSelf().stream())
            .filter(call -> call.getTargetOwner().isEquivalentTo(Class.class) && call.getName().equals("forName"))
            .map(call -> call.getOriginOwner().getName()).toList();
        assertThat(lookups).containsExactly(SessionEvents.class.getName());
        assertThat(entries(false)).containsExactly("jdk.jfr.Event");
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
        looksNothingUp().check(CORE);
        noClasses().should().callMethod(Class.class, "forName", String.class).check(CORE);
        noClasses().should().callMethod(Class.class, "forName", String.class, boolean.class, ClassLoader.class).check(CORE);
        noClasses().should().dependOnClassesThat(resideInAnyPackage("java.lang.reflect..")).check(CORE);
        noClasses().should().dependOnClassesThat(resideInAnyPackage("java.lang.reflect..")).check(NETTY);
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
        noClasses().that().areNotAssignableTo(Throwable.class).and().areNotEnums().and().areNotAnonymousClasses()
            .should().implement(Serializable.class).check(NETTY);
    }
}
