// Books each paid invoice once, in its own Postgres, from an SQS queue subscribed with raw message delivery.
//
//   mvn dependency:copy-dependencies
//   QUEUE_URL=https://sqs.… AWS_REGION=eu-west-1 DATABASE_URL='jdbc:postgresql://…' java -cp 'target/dependency/*' Consumer.java
//
// Nothing has to be verified: the queue's policy lets nobody but the topic write to it. A message is deleted after
// the commit; one that fails comes back after the visibility timeout, and ends in the dead-letter queue.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.UUID;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;

public class Consumer {
  static final String QUEUE_URL = System.getenv("QUEUE_URL");
  static final String DATABASE_URL = System.getenv("DATABASE_URL");

  static final String TABLES = """
      create table if not exists handled_event
        (event_id uuid primary key, handled_at timestamptz not null default clock_timestamp());
      create table if not exists booking (invoice_id uuid primary key, amount numeric not null, payer text)""";

  // The event's id and what the handler writes commit together. A copy waits at the insert, and books nothing.
  static final String BOOK = """
      with claimed as (
        insert into handled_event (event_id) values (?) on conflict do nothing returning event_id)
      insert into booking select ?, ?, ? from claimed""";

  static void handle(Connection database, String body) throws Exception {
    JsonNode event = new ObjectMapper().readTree(body);
    if (!event.path("type").asText().equals("invoice.paid")
        || !event.path("dataschema").asText().equals("urn:invoice-relay:schema:invoice.paid:v1"))
      throw new IllegalArgumentException("an event of another type or version");
    JsonNode data = event.path("data");
    // Money is text, so that no digit is lost: BigDecimal, never double.
    BigDecimal amount = new BigDecimal(data.path("amount").asText());
    UUID invoiceId = UUID.fromString(data.path("invoiceId").asText());
    try (var book = database.prepareStatement(BOOK)) {
      book.setObject(1, UUID.fromString(event.path("id").asText()));
      book.setObject(2, invoiceId);
      book.setBigDecimal(3, amount);
      book.setString(4, data.path("payer").path("name").asText(null));
      System.out.println((book.executeUpdate() == 1 ? "handled " : "duplicate ") + invoiceId + " " + amount);
    }
  }

  public static void main(String[] words) throws Exception {
    try (SqsClient sqs = SqsClient.create();
        Connection database = DriverManager.getConnection(DATABASE_URL)) {
      database.createStatement().execute(TABLES);
      while (database.isValid(5)) {
        var asked = sqs.receiveMessage(r -> r.queueUrl(QUEUE_URL).maxNumberOfMessages(10).waitTimeSeconds(20));
        for (Message message : asked.messages()) {
          try {
            handle(database, message.body());
            sqs.deleteMessage(r -> r.queueUrl(QUEUE_URL).receiptHandle(message.receiptHandle()));
          } catch (Exception error) {
            System.err.println("not handled: " + error);
          }
        }
      }
    }
  }
}
