import { randomUUID } from "node:crypto";
import { textFor } from "./draft.ts";
import { type AcceptedMessage, shownAttributes } from "./journal.ts";
import { type Signer, stringToSign } from "./signing.ts";
import type { Subscription } from "./subscriptions.ts";

/** What is posted to an endpoint. */
export interface Letter {
  readonly type: "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation";
  readonly messageId: string;
  readonly topicArn: string;
  /** What it holds in memory, in bytes. */
  readonly size: number;
  /** Letters of one group reach an endpoint one after the other. */
  readonly group: string | undefined;
  /** Made when it is needed, so that what waits does not wait in several copies. */
  write(subscription: Subscription): Promise<string>;
}

/**
 * Writes letters in the envelope that SNS documents for HTTP endpoints, signed.
 * @param publicUrl where subscribers reach this endpoint, without a slash at its end; known once it listens
 */
export function createEnvelopes(signer: Signer, publicUrl: () => string) {
  const urlOf = (query: Record<string, string>) => `${publicUrl()}/?${new URLSearchParams(query)}`;

  async function sealed(
    envelope: { readonly Type: string; readonly [field: string]: unknown },
    signatureVersion: string,
    rest: Record<string, unknown>,
  ): Promise<string> {
    const signed = {
      ...envelope,
      SignatureVersion: signatureVersion,
      Signature: await signer.sign(stringToSign(envelope), signatureVersion),
      SigningCertURL: publicUrl() + signer.certificatePath,
      ...rest,
    };
    return JSON.stringify(signed, undefined, 2);
  }

  return {
    notification(message: AcceptedMessage, signatureVersion: string): Letter {
      return {
        type: "Notification",
        messageId: message.messageId,
        topicArn: message.topicArn,
        size: message.size,
        group: message.sequenceNumber === undefined ? undefined : message.groupId,
        async write(subscription) {
          const text = textFor(subscription.protocol, message);
          if (subscription.settings.rawMessageDelivery) return text;
          const envelope = {
            Type: "Notification",
            MessageId: message.messageId,
            SequenceNumber: message.sequenceNumber,
            TopicArn: message.topicArn,
            Subject: message.subject,
            Message: text,
            Timestamp: message.acceptedAt,
          };
          return sealed(envelope, signatureVersion, {
            UnsubscribeURL: urlOf({ Action: "Unsubscribe", SubscriptionArn: subscription.arn }),
            MessageAttributes: message.attributes.size === 0 ? undefined : shownAttributes(message),
          });
        },
      };
    },

    /** Asks an endpoint to confirm, or tells it that it was unsubscribed and how to undo that. */
    confirmation(
      type: "SubscriptionConfirmation" | "UnsubscribeConfirmation",
      subscription: Subscription,
      given: { token: string; signatureVersion: string; at: string },
    ): Letter {
      const { arn, topicArn } = subscription;
      const messageId = randomUUID();
      const text =
        type === "SubscriptionConfirmation"
          ? `You have chosen to subscribe to the topic ${topicArn}.\nTo confirm the subscription, visit ` +
            "the SubscribeURL included in this message."
          : `You have chosen to deactivate subscription ${arn}.\nTo cancel this operation and restore ` +
            "the subscription, visit the SubscribeURL included in this message.";
      return {
        type,
        messageId,
        topicArn,
        size: text.length,
        group: undefined,
        write: () =>
          sealed(
            {
              Type: type,
              MessageId: messageId,
              Token: given.token,
              TopicArn: topicArn,
              Message: text,
              SubscribeURL: urlOf({
                Action: "ConfirmSubscription",
                TopicArn: topicArn,
                Token: given.token,
              }),
              Timestamp: given.at,
            },
            given.signatureVersion,
            {},
          ),
      };
    },
  };
}

export type Envelopes = ReturnType<typeof createEnvelopes>;
