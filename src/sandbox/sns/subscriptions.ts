import { randomBytes, randomUUID } from "node:crypto";
import { invalidParameter, SnsError } from "./sns-error.ts";
import type { SubscriptionSettings } from "./subscription-attributes.ts";

const MOST_SUBSCRIPTIONS = 10_000;
const MOST_TOKENS = 20_000;

export interface Subscription {
  readonly arn: string;
  readonly topicArn: string;
  readonly protocol: "http" | "https";
  readonly endpoint: string;
  settings: SubscriptionSettings;
  confirmed: boolean;
  confirmationWasAuthenticated: boolean;
  /** Whether an Unsubscribe that nobody signed is refused. */
  authenticateOnUnsubscribe: boolean;
}

/** Who listens to which topic, who has confirmed it, and the tokens that confirm it. */
export function createSubscriptions() {
  const byArn = new Map<string, Subscription>();
  const byTopic = new Map<string, Map<string, Subscription>>();
  const deletedOf = new Map<string, number>();
  const byToken = new Map<string, Subscription>();

  function put(subscription: Subscription): void {
    byArn.set(subscription.arn, subscription);
    const ofTopic = byTopic.get(subscription.topicArn) ?? new Map<string, Subscription>();
    byTopic.set(subscription.topicArn, ofTopic.set(subscription.arn, subscription));
  }

  const ofTopic = (topicArn: string) => [...(byTopic.get(topicArn)?.values() ?? [])];

  return {
    /** @throws SnsError `SubscriptionLimitExceeded` */
    add(wanted: Pick<Subscription, "topicArn" | "protocol" | "endpoint" | "settings">): Subscription {
      if (byArn.size >= MOST_SUBSCRIPTIONS) {
        throw new SnsError("SubscriptionLimitExceeded", "The account already owns the most subscriptions.");
      }
      const subscription = {
        ...wanted,
        arn: `${wanted.topicArn}:${randomUUID()}`,
        confirmed: false,
        confirmationWasAuthenticated: false,
        authenticateOnUnsubscribe: false,
      };
      put(subscription);
      return subscription;
    },

    /** A new token that confirms this subscription, or brings it back once it is deleted. */
    tokenFor(subscription: Subscription): string {
      const token = randomBytes(144).toString("hex");
      byToken.set(token, subscription);
      for (const oldest of byToken.keys()) {
        if (byToken.size <= MOST_TOKENS) break;
        byToken.delete(oldest);
      }
      return token;
    },

    /**
     * Confirms by token; doing it again changes nothing.
     * @throws SnsError `InvalidParameter` for a token that was not made for this topic.
     */
    confirm(topicArn: string, token: string, by: { signed: boolean; authenticate: boolean }): Subscription {
      const subscription = byToken.get(token);
      if (subscription?.topicArn !== topicArn) throw invalidParameter("Token");
      if (!subscription.confirmed) {
        subscription.confirmed = true;
        subscription.confirmationWasAuthenticated = by.signed;
        subscription.authenticateOnUnsubscribe = by.signed && by.authenticate;
      }
      put(subscription);
      return subscription;
    },

    delete(subscription: Subscription): void {
      subscription.confirmed = false;
      byArn.delete(subscription.arn);
      byTopic.get(subscription.topicArn)?.delete(subscription.arn);
      deletedOf.set(subscription.topicArn, (deletedOf.get(subscription.topicArn) ?? 0) + 1);
    },

    deleteTopic(topicArn: string): void {
      for (const { arn } of ofTopic(topicArn)) byArn.delete(arn);
      for (const [token, { topicArn: of }] of byToken) if (of === topicArn) byToken.delete(token);
      byTopic.delete(topicArn);
      deletedOf.delete(topicArn);
    },

    find(arn: string): Subscription | undefined {
      return byArn.get(arn);
    },

    list(): Subscription[] {
      return [...byArn.values()];
    },

    ofTopic,

    countsOf(topicArn: string): { confirmed: number; pending: number; deleted: number } {
      const all = ofTopic(topicArn);
      const confirmed = all.filter((subscription) => subscription.confirmed).length;
      return { confirmed, pending: all.length - confirmed, deleted: deletedOf.get(topicArn) ?? 0 };
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;
