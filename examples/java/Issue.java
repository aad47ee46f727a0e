// Issue an invoice with Java 17 or newer, without libraries: java Issue.java invoice.xml
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public final class Issue {
    // The standard library has no JSON reader. With /b64 the CFDI has no character that JSON escapes.
    private static final String ROUTE = "/cfdi33/issue/v4/b64";

    public static void main(String[] arguments) throws Exception {
        byte[] xml = Base64.getEncoder().encode(Files.readAllBytes(Path.of(arguments[0])));
        String answer = post(ROUTE, xml);
        String message = member(answer, "message");
        // 307: this invoice was stamped before, for instance by a request whose answer was lost. `data` is its stamp.
        if (!member(answer, "status").equals("success") && !message.startsWith("307")) {
            System.err.println(message + " " + member(answer, "messageDetail"));
            System.exit(1);
        }
        String uuid = member(answer, "uuid");
        System.out.println(uuid + " " + member(answer, "fechaTimbrado"));
        Files.write(Path.of(uuid + ".xml"), Base64.getDecoder().decode(member(answer, "cfdi")));
    }

    private static String post(String route, byte[] xml) throws Exception {
        String boundary = UUID.randomUUID().toString();
        String head = "--" + boundary + "\r\n"
                + "Content-Disposition: form-data; name=\"xml\"; filename=\"invoice.xml\"\r\n\r\n";
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(head.getBytes(StandardCharsets.UTF_8));
        body.write(xml);
        body.write(("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
        String url = System.getenv().getOrDefault("TIMBRA_URL", "http://127.0.0.1:8080");
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + route))
                .header("Authorization", "Bearer " + System.getenv("TIMBRA_TOKEN"))
                .header("Content-Type", "multipart/form-data; boundary=" + boundary)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    /** Returns a text of the answer, with its escapes; empty when it is null or absent. */
    private static String member(String answer, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"").matcher(answer);
        return found.find() ? found.group(1) : "";
    }
}
