// Events as AWS documents them (Lambda Developer Guide), typed by hand.

interface GatewayRequest {
  method?: string;
  path: string;
  query?: string;
  headers?: Record<string, string>;
  /** As API Gateway gives it: text, or Base64 with `isBase64Encoded`. */
  body?: string;
  isBase64Encoded?: boolean;
}

/** What an HTTP API sends, payload format version 2.0. */
export function gatewayEvent(request: GatewayRequest) {
  const { method = "POST", path, query = "", headers = {}, body, isBase64Encoded = false } = request;
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: query,
    headers: {
      "content-type": "application/json",
      host: "abc123.execute-api.eu-west-1.amazonaws.com",
      "x-forwarded-for": "203.0.113.7",
      "x-webhook-id": "1b0f1f3e-6b1c-4b0e-8a51-1c0d5e1f2a3b",
      ...headers,
    },
    requestContext: {
      accountId: "123456789012",
      apiId: "abc123",
      domainName: "abc123.execute-api.eu-west-1.amazonaws.com",
      domainPrefix: "abc123",
      http: {
        method,
        path,
        protocol: "HTTP/1.1",
        sourceIp: "203.0.113.7",
        userAgent: "Tranzakt-Payment-Platform/1.0",
      },
      requestId: "JKJaXmPLvHcESHA=",
      routeKey: "$default",
      stage: "$default",
      time: "01/Nov/2026:09:00:00 +0000",
      timeEpoch: 1_793_523_600_000,
    },
    ...(body === undefined ? {} : { body }),
    isBase64Encoded,
  };
}

/** What EventBridge sends for a schedule. */
export const scheduleEvent = {
  version: "0",
  id: "53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa",
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: "123456789012",
  time: "2026-11-01T09:00:00Z",
  region: "eu-west-1",
  resources: ["arn:aws:events:eu-west-1:123456789012:rule/confirm"],
  detail: {},
};

/** What an event source mapping sends for messages of a queue. */
export const queueEvent = (bodies: readonly string[]) => ({
  Records: bodies.map((body, index) => ({
    messageId: `059f36b4-87a3-44ab-83d2-66197504${index}`,
    receiptHandle: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
    body,
    attributes: { ApproximateReceiveCount: "1", SentTimestamp: "1545082649183" },
    messageAttributes: {},
    md5OfBody: "e4e68fb7bd0e697a0ae8f1bb342846b3",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-west-1:123456789012:confirm",
    awsRegion: "eu-west-1",
  })),
});

/** What a subscription of SNS sends. */
export const topicEvent = (message: string) => ({
  Records: [
    {
      EventVersion: "1.0",
      EventSubscriptionArn: "arn:aws:sns:eu-west-1:123456789012:wake:be1d7b1c",
      EventSource: "aws:sns",
      Sns: {
        SignatureVersion: "1",
        Timestamp: "2026-11-01T09:00:00.000Z",
        Signature: "EXAMPLE",
        SigningCertUrl: "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
        MessageId: "95df01b4-ee98-5cb9-9903-4c221d41eb5e",
        Message: message,
        MessageAttributes: {},
        Type: "Notification",
        UnsubscribeUrl: "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe",
        TopicArn: "arn:aws:sns:eu-west-1:123456789012:wake",
        Subject: null,
      },
    },
  ],
});
