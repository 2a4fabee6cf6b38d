package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

    @Test
    void readsEveryKindOfValue() {
        Map<String, Object> object = Json.parseObject(
            " {\"a\": [1, -2.5e3, true, false, null], \"b\" : {\"c\":\"x\\\"\\\\\\n\\u00e9\"}, \"d\":[], \"e\":{}} ");
        assertThat(object.keySet()).containsExactly("a", "b", "d", "e");
        assertThat(object.get("a")).isEqualTo(Arrays.asList(1.0, -2500.0, true, false, null));
        assertThat(object.get("b")).isEqualTo(Map.of("c", "x\"\\\né"));
        assertThat(object.get("d")).isEqualTo(List.of());
        assertThat(object.get("e")).isEqualTo(Map.of());
    }

    @Test
    void readsWhatItWrites() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("text", "tab\t quote\" slash\\ line\n bell\u0007 µ");
        object.put("numbers", List.of(1.0, 0.25, -1e-3, 123456789.0));
        object.put("nothing", null);
        object.put("nested", List.of(Map.of("x", List.of()), Map.of("y", Map.of("z", true))));
        String text = Json.write(object);
        assertThat(Json.parse(text)).isEqualTo(object);
    }

    @Test
    void whatIsNoNumberIsWrittenAsNull() {
        assertThat(Json.write(Double.NaN)).isEqualTo("null\n");
        assertThat(Json.write(Double.POSITIVE_INFINITY)).isEqualTo("null\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[1,]", "{\"a\"}", "{\"a\":}", "tru", "\"abc", "1 2", "--1", "{a:1}", "\"\\u12"})
    void refusesWhatIsNoJson(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Json.parse(text));
    }
}
