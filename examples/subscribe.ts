// Subscribes an endpoint or a queue to the topic, with a filter policy on the message attributes.
//
//   TOPIC_ARN=arn:aws:sns:… AWS_REGION=eu-west-1 node subscribe.ts https https://shop.example.com/paid
//   TOPIC_ARN=arn:aws:sns:… AWS_REGION=eu-west-1 node subscribe.ts sqs arn:aws:sqs:…:paid-invoices
//
// COLLECTION narrows it to the invoices of one collection. A queue also needs a policy that lets the topic
// send to it.
import { SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";

const [protocol = "", endpoint = ""] = process.argv.slice(2);
const { TOPIC_ARN, COLLECTION } = process.env;

// Attributes that the relay sends: id, type, source, invoiceType, collection, and replay on a replay.
const filterPolicy = {
  type: ["invoice.paid"],
  invoiceType: ["Live"],
  ...(COLLECTION === undefined ? {} : { collection: [COLLECTION] }),
};

const { SubscriptionArn } = await new SNSClient({}).send(
  new SubscribeCommand({
    TopicArn: TOPIC_ARN,
    Protocol: protocol,
    Endpoint: endpoint,
    ReturnSubscriptionArn: true,
    Attributes: {
      FilterPolicy: JSON.stringify(filterPolicy),
      FilterPolicyScope: "MessageAttributes",
      ...(protocol === "sqs" ? { RawMessageDelivery: "true" } : {}),
    },
  }),
);
process.stdout.write(`${SubscriptionArn}\n`);
