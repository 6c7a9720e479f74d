import { createFifo, type Fifo } from "./fifo.ts";
import { invalidParameter, SnsError } from "./sns-error.ts";
import { topicAttribute, topicAttributeRefusal } from "./topic-attributes.ts";

const MOST_TOPICS = 10_000;
const NAME = /^[A-Za-z0-9_-]{1,256}$/;

export interface Topic {
  readonly arn: string;
  /** Only what was set: what is missing has the default of SNS. */
  readonly attributes: Map<string, string>;
  /** There for FIFO topics only. */
  readonly fifo: Fifo | undefined;
}

/** The account and region that topics are made in. */
export interface Place {
  readonly region: string;
  readonly accountId: string;
}

const partitionOf = (region: string) =>
  region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";

export function createTopics(place: Place, now: () => number) {
  const topics = new Map<string, Topic>();
  const prefix = `arn:${partitionOf(place.region)}:sns:${place.region}:${place.accountId}:`;

  return {
    /**
     * Makes a topic, or gives the one that is there.
     * @throws SnsError `InvalidParameter` for a name or attribute that SNS refuses, or attributes other than
     *   those it was made with.
     */
    create(name: string, attributes: ReadonlyMap<string, string>): Topic {
      const fifo = attributes.get("FifoTopic") === "true";
      if (
        name.endsWith(".fifo") !== fifo ||
        name.length > 256 ||
        !NAME.test(fifo ? name.slice(0, -5) : name)
      ) {
        throw invalidParameter("Topic Name");
      }
      for (const [attribute, value] of attributes) {
        const refusal = topicAttributeRefusal({ name: attribute, value }, fifo, "Attributes Reason: ");
        if (refusal !== undefined) throw refusal;
      }
      const arn = prefix + name;
      const existing = topics.get(arn);
      if (existing !== undefined) {
        if ([...attributes].some(([key, value]) => topicAttribute(existing.attributes, key) !== value)) {
          throw invalidParameter("Attributes Reason: Topic already exists with different attributes");
        }
        return existing;
      }
      if (topics.size >= MOST_TOPICS) {
        throw new SnsError("TopicLimitExceeded", "The account already owns the most topics that it may.");
      }
      const topic = {
        arn,
        attributes: new Map(attributes),
        fifo: fifo ? createFifo({ now }) : undefined,
      };
      topics.set(arn, topic);
      return topic;
    },

    find(arn: string): Topic | undefined {
      return topics.get(arn);
    },

    /**
     * @throws SnsError `InvalidParameter` for what is no topic ARN of this region, `NotFound` for a topic
     *   that is not there.
     */
    get(arn: string | undefined): Topic {
      checkTopicArn(arn, place.region);
      const topic = topics.get(arn);
      if (topic === undefined) throw new SnsError("NotFound", "Topic does not exist");
      return topic;
    },

    /** Deleting what is not there succeeds, as in SNS. */
    delete(arn: string | undefined): void {
      checkTopicArn(arn, place.region);
      topics.delete(arn);
    },

    list(): Topic[] {
      return [...topics.values()];
    },
  };
}

export type Topics = ReturnType<typeof createTopics>;

function checkTopicArn(arn: string | undefined, region: string): asserts arn is string {
  if (arn === undefined || arn === "") {
    throw invalidParameter("TopicArn Reason: no value for required parameter");
  }
  const parts = arn.split(":");
  if (parts.length < 6) {
    throw invalidParameter(`TopicArn Reason: An ARN must have at least 6 elements, not ${parts.length}`);
  }
  if (parts.length > 6) throw invalidParameter("Topic Name");
  if (parts[0] !== "arn" || parts[2] !== "sns" || parts[3] !== region) throw invalidParameter("TopicArn");
}
