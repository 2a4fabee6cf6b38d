package io.kcp.spring.handler;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Finds the controller method whose parameter type most specifically matches an object. */
final class TypeRoutes {

    private final List<ControllerMethod> methods;
    private final Map<Class<?>, Optional<ControllerMethod>> known = new ConcurrentHashMap<>();

    /**
     * Creates routes. Rejects methods that match the same type, or the same permitted subclass of a sealed type, equally well.
     *
     * @param root supertype of all objects that will be looked up
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
        Class<?>[] subclasses = type.getPermittedSubclasses();
        if (subclasses != null) {
            for (Class<?> subclass : subclasses) {
                check(subclass);
            }
        }
    }

    boolean isEmpty() {
        return methods.isEmpty();
    }

    /**
     * Finds the controller method whose parameter type most specifically matches an object.
     *
     * @return the method; null if there is none
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
        throw new InvalidControllerException("Several methods accept " + type.getTypeName()
            + ", and none has the most specific parameter type: " + candidates,
            "Keep one of them, or add a method for exactly that type");
    }
}
