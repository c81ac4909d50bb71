import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Gatehouse {
  /** @param headers names and values; a value is a String, or a List as in HttpHeaders.map() and Spring's HttpHeaders */
  static boolean isFromGatehouse(String secret, Map<String, ?> headers, byte[] body) {
    String timestamp = header(headers, "webhook-timestamp");
    if (!timestamp.matches("[0-9]{10}")) return false;
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > 300) return false;
    byte[] expected;
    try {
      byte[] key = secret.startsWith("whsec_")
          ? Base64.getDecoder().decode(secret.substring(6))
          : secret.getBytes(StandardCharsets.UTF_8);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((header(headers, "webhook-id") + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    } catch (GeneralSecurityException | IllegalArgumentException e) { // the secret is empty or not base64
      return false;
    }
    for (String given : header(headers, "webhook-signature").split(",? +")) {
      if (MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected)) return true;
    }
    return false;
  }

  private static String header(Map<String, ?> headers, String name) {
    return headers.entrySet().stream()
        .filter(entry -> name.equalsIgnoreCase(entry.getKey()) && entry.getValue() != null)
        .map(Map.Entry::getValue)
        .flatMap(value -> value instanceof Collection ? ((Collection<?>) value).stream() : Stream.of(value))
        .map(String::valueOf)
        .collect(Collectors.joining(" "));
  }
}
