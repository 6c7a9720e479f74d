import { z } from "zod";
import { invoicePaidSchema } from "./invoice-paid.ts";

/** Further properties are allowed: a newer relay may add some within version 1. */
export function invoicePaidJsonSchema(): Record<string, unknown> {
  return {
    $id: invoicePaidSchema.shape.dataschema.value,
    ...z.toJSONSchema(invoicePaidSchema, { target: "draft-2020-12", io: "input" }),
  };
}

const attribute = (description: string) => ({ type: "string", description });

/** The SNS message attributes, which filter policies match. They hold no personal data. */
const attributes = {
  type: "object",
  properties: {
    id: attribute("The event's id."),
    type: attribute("`invoice.paid`."),
    source: attribute("`urn:invoice-relay:<source>`."),
    invoiceType: attribute("`Live` or `Test`."),
    collection: attribute("The name of the invoice's collection."),
    replay: attribute("Only on a replay: the replay's id."),
    traceparent: attribute(
      "Only while the relay traces: the W3C trace context of this message, for its consumer to continue. A " +
        "replay has its own.",
    ),
  },
  required: ["id", "type", "source", "invoiceType"],
};

/** The AsyncAPI 3 document of what the relay publishes. */
export function asyncApiDocument(): Record<string, unknown> {
  // AsyncAPI's own schema format is JSON Schema draft 7.
  const { $schema: _, ...payload } = z.toJSONSchema(invoicePaidSchema, { target: "draft-7", io: "input" });
  return {
    asyncapi: "3.0.0",
    info: {
      title: "invoice-relay",
      version: "1.0.0",
      description:
        "An `invoice.paid` event for every invoice that the provider confirms as paid, published " +
        "to Amazon SNS at least once, each copy with the same id.",
    },
    defaultContentType: "application/json",
    channels: {
      invoiceEvents: {
        address: null,
        title: "The SNS topic",
        description:
          "The topic in SNS_TOPIC_ARN, standard or FIFO. On a FIFO topic the message group is the " +
          "invoice's " +
          "id. Events of Test invoices go to the topic in SNS_TEST_TOPIC_ARN.",
        messages: { invoicePaid: { $ref: "#/components/messages/invoicePaid" } },
      },
    },
    operations: {
      publishInvoicePaid: {
        action: "send",
        channel: { $ref: "#/channels/invoiceEvents" },
        messages: [{ $ref: "#/channels/invoiceEvents/messages/invoicePaid" }],
      },
    },
    components: {
      messages: {
        invoicePaid: {
          name: "invoice.paid",
          title: "An invoice was paid",
          contentType: "application/json",
          headers: attributes,
          payload,
        },
      },
    },
  };
}
