package io.kcp.spring.handler;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Finds the method whose type is the closest to that of an object. */
final class TypeRoutes {

    private final List<ControllerMethod> methods;
    private final Map<Class<?>, Optional<ControllerMethod>> known = new ConcurrentHashMap<>();

    /**
     * Creates routes; two methods for the same type, or for a kind of a sealed one, are refused.
     *
     * @param root of what they will be asked for
     */
    TypeRoutes(List<ControllerMethod> methods, Class<?> root) {
        this.methods = List.copyOf(methods);
        check(root);
        for (ControllerMethod method : this.methods) {
            check(method.payloadType());
        }
    }

    private void check(Class<?> type) {
        choose(type);
        Class<?>[] kinds = type.getPermittedSubclasses();
        if (kinds != null) {
            for (Class<?> kind : kinds) {
                check(kind);
            }
        }
    }

    boolean isEmpty() {
        return methods.isEmpty();
    }

    /**
     * Finds the method for an object.
     *
     * @return the method, null if there is none
     */
    @Nullable ControllerMethod find(Object payload) {
        Class<?> type = payload.getClass();
        Optional<ControllerMethod> method = known.get(type);
        if (method == null) {
            method = Optional.ofNullable(choose(type));
            known.put(type, method);
        }
        return method.orElse(null);
    }

    private @Nullable ControllerMethod choose(Class<?> type) {
        List<ControllerMethod> candidates = methods.stream().filter(method -> method.payloadType().isAssignableFrom(type)).toList();
        List<ControllerMethod> closest = candidates.stream().filter(candidate -> candidates.stream()
            .allMatch(other -> other.payloadType().isAssignableFrom(candidate.payloadType()))).toList();
        if (closest.size() == 1) {
            return closest.get(0);
        }
        if (candidates.isEmpty()) {
            return null;
        }
        throw new InvalidControllerException("Of " + candidates + " none is the closest for " + type.getTypeName(),
            "Keep one of them, or add one for that type itself");
    }
}
