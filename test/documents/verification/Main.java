// As main.mjs.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class Main {
  public static void main(String[] arguments) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] texts = line.split("\t", -1);
      byte[][] fields = new byte[texts.length][];
      for (int i = 0; i < texts.length; i++) fields[i] = Base64.getDecoder().decode(texts[i]);
      Map<String, List<String>> lists = new LinkedHashMap<>();
      for (int i = 2; i < fields.length; i += 2) {
        lists.computeIfAbsent(text(fields[i]), name -> new ArrayList<>()).add(text(fields[i + 1]));
      }
      Map<String, String> joined = new HashMap<>();
      lists.forEach((name, values) -> joined.put(name, String.join(", ", values)));
      joined.put("x-none", null);
      joined.put(null, "HTTP/1.1 200 OK"); // as in HttpURLConnection
      boolean answer = Gatehouse.isFromGatehouse(text(fields[0]), joined, fields[1]);
      boolean other = Gatehouse.isFromGatehouse(text(fields[0]), lists, fields[1]);
      System.out.println(answer == other ? String.valueOf(answer) : "mixed");
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
