import type { Replay } from "../api/types.ts";

/** Where its events go, in words; "" where there is nothing to say. */
export const targetWords = ({ kind, target }: Pick<Replay, "kind" | "target">): string => {
  if (kind !== "events") return "the provider";
  return target.kind === "other_topic" ? target.topicArn : target.kind === "file" ? "a file" : "their topics";
};
