// An HTTP endpoint behind an SNS subscription that books each paid invoice once, in its own Postgres.
//
//   TOPIC_ARN=arn:aws:sns:… DATABASE_URL='jdbc:postgresql://…' PORT=3000 java -cp "$JARS" Consumer.java
//
// Needs Java 17, jackson-databind and the PostgreSQL JDBC driver. The topic signs with SHA-256
// (SignatureVersion 2); leave raw message delivery off: without the envelope there is no signature. For a
// local SNS set SNS_ORIGIN to its address.

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

public class Consumer {
  static final String TOPIC_ARN = System.getenv("TOPIC_ARN");
  static final String DATABASE_URL = System.getenv("DATABASE_URL");
  static final Map<String, String> ENVIRONMENT = System.getenv();
  static final String SNS_ORIGIN =
      ENVIRONMENT.getOrDefault("SNS_ORIGIN", "https://sns." + TOPIC_ARN.split(":")[3] + ".amazonaws.com");
  static final Duration MAX_AGE = Duration.ofHours(1);
  static final int MAX_BYTES = 1024 * 1024;
  static final ObjectMapper JSON = new ObjectMapper();
  // It follows no redirects: they would lead away from SNS.
  static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  /**
   * Not an event of ours, now or later: answered 400. Whatever else goes wrong is answered 500 and comes
   * again.
   */
  static class Refused extends Exception {
    Refused(String why) {
      super(why);
    }
  }

  static byte[] fetch(String address) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(5)).build();
    var answer = HTTP.send(request, BodyHandlers.ofByteArray());
    if (answer.statusCode() != 200) throw new IOException("SNS answered " + answer.statusCode());
    return answer.body();
  }

  // --- Signature ---

  static final Map<String, List<String>> SIGNED_FIELDS =
      Map.of(
          "Notification",
          List.of("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
          "SubscriptionConfirmation",
          List.of("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"));

  static final Map<String, X509Certificate> certificates = new ConcurrentHashMap<>();
  static final Semaphore fetching = new Semaphore(16);
  static final String CERTIFICATE_PATH = "/SimpleNotificationService-[0-9a-f]{32}\\.pem";

  /** Fetched once. Forged messages that name ever other ones cost a fetch each, at most 16 at once. */
  static X509Certificate certificate(String address) throws Exception {
    var known = certificates.get(address);
    if (known != null) return known;
    fetching.acquire();
    try {
      var pem = new ByteArrayInputStream(fetch(address));
      var found = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(pem);
      certificates.put(address, found);
      return found;
    } finally {
      fetching.release();
    }
  }

  static boolean atSns(String address) {
    return address.startsWith(SNS_ORIGIN + "/");
  }

  static String text(JsonNode node, String name) throws Refused {
    var value = node.path(name);
    if (!value.isTextual()) throw new Refused("no " + name);
    return value.textValue();
  }

  /** Only what SNS signed lately, for our topic. Nothing is fetched before everything else holds. */
  static void verify(JsonNode message) throws Exception {
    if (!text(message, "TopicArn").equals(TOPIC_ARN)) throw new Refused("another topic");
    var age = Duration.between(Instant.parse(text(message, "Timestamp")), Instant.now());
    if (age.compareTo(MAX_AGE) > 0 || age.toMinutes() < -5)
      throw new Refused("signed too long ago, or in the future");
    // A setting to mend, so that nothing is lost meanwhile: SNS delivers it again.
    if (!text(message, "SignatureVersion").equals("2"))
      throw new IOException("the topic signs with SHA-1: set its attribute SignatureVersion to 2");
    var address = text(message, "SigningCertURL");
    if (!atSns(address) || !address.substring(SNS_ORIGIN.length()).matches(CERTIFICATE_PATH))
      throw new Refused("the certificate is not at SNS");
    var names = SIGNED_FIELDS.get(text(message, "Type"));
    if (names == null) throw new Refused("another type of message");
    var signed = new StringBuilder();
    for (var name : names)
      if (message.hasNonNull(name)) signed.append(name).append('\n').append(text(message, name)).append('\n');
    var signature = Base64.getDecoder().decode(text(message, "Signature"));
    var certificate = certificate(address);
    certificate.checkValidity();
    var verifier = Signature.getInstance("SHA256withRSA");
    verifier.initVerify(certificate.getPublicKey());
    verifier.update(signed.toString().getBytes(StandardCharsets.UTF_8));
    if (!verifier.verify(signature)) throw new Refused("forged");
  }

  // --- Parse ---

  record Paid(UUID eventId, UUID invoiceId, BigDecimal amount, String payer) {}

  static Paid parse(JsonNode message) throws Exception {
    var event = JSON.readTree(text(message, "Message"));
    if (!text(event, "type").equals("invoice.paid")
        || !text(event, "dataschema").equals("urn:invoice-relay:schema:invoice.paid:v1"))
      throw new Refused("an event of another type or version");
    var data = event.path("data");
    // Money is text, so that no digit is lost: BigDecimal, never double.
    return new Paid(
        UUID.fromString(text(event, "id")),
        UUID.fromString(text(data, "invoiceId")),
        new BigDecimal(text(data, "amount")),
        data.path("payer").path("name").textValue());
  }

  // --- Once only ---

  static final String TABLES =
      """
      create table if not exists handled_event
        (event_id uuid primary key, handled_at timestamptz not null default clock_timestamp());
      create table if not exists booking (invoice_id uuid primary key, amount numeric not null, payer text)
      """;

  static int update(Connection connection, String statement, Object... values) throws SQLException {
    try (var prepared = connection.prepareStatement(statement)) {
      for (int index = 0; index < values.length; index += 1) prepared.setObject(index + 1, values[index]);
      return prepared.executeUpdate();
    }
  }

  /**
   * The event's id and what the handler writes commit together: both are there, or neither. A copy that comes
   * at the same time waits at the insert. Closing a connection without a commit rolls back.
   */
  static String handle(Paid paid) throws SQLException {
    try (var connection = DriverManager.getConnection(DATABASE_URL)) {
      connection.setAutoCommit(false);
      var claim = "insert into handled_event (event_id) values (?) on conflict do nothing";
      if (update(connection, claim, paid.eventId) == 0) return "duplicate";
      update(connection, "insert into booking values (?, ?, ?)", paid.invoiceId, paid.amount, paid.payer);
      connection.commit();
      return "handled";
    }
  }

  // --- HTTP ---

  static int receive(byte[] body) throws Exception {
    try {
      var message = JSON.readTree(body);
      verify(message);
      if (text(message, "Type").equals("SubscriptionConfirmation")) {
        var address = text(message, "SubscribeURL");
        if (!atSns(address)) throw new Refused("the address to confirm at is not at SNS");
        fetch(address);
        return 204;
      }
      var paid = parse(message);
      System.out.println(handle(paid) + " " + paid.invoiceId + " " + paid.amount);
      return 204;
    } catch (Refused
        | JsonProcessingException
        | GeneralSecurityException
        | DateTimeException
        | IllegalArgumentException error) {
      System.err.println("refused: " + error.getMessage());
      return 400;
    }
  }

  static void answer(HttpExchange exchange) throws IOException {
    int status = 500; // SNS delivers it again.
    try (exchange) {
      try {
        var body = exchange.getRequestBody().readNBytes(MAX_BYTES + 1);
        status = body.length > MAX_BYTES ? 413 : receive(body);
      } catch (Exception error) {
        System.err.println(error.getMessage());
      }
      exchange.sendResponseHeaders(status, -1);
    }
  }

  public static void main(String[] words) throws Exception {
    try (var connection = DriverManager.getConnection(DATABASE_URL)) {
      update(connection, TABLES);
    }
    int port = Integer.parseInt(ENVIRONMENT.getOrDefault("PORT", "3000"));
    var server = HttpServer.create(new InetSocketAddress(port), 0);
    server.createContext("/", Consumer::answer);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.start();
    System.out.println("listening on " + server.getAddress().getPort());
  }
}
