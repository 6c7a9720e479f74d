import type { PlannedItem, ReplayPlan } from "../../../replay/plan-replay.ts";
import type { Replay as StoredReplay } from "../../../replay/replay.ts";
import type { Refusal } from "../../../replay/replay-rows.ts";
import type { Wire } from "../api/types.ts";

export type Replay = Wire<StoredReplay>;
export type Plan = Wire<ReplayPlan>;
export type Planned = Wire<PlannedItem>;

export interface ShownReplay {
  replay: Replay;
  refusals: Wire<Refusal>[];
}

/** Where its events go, in words; "" where there is nothing to say. */
export const targetWords = ({ kind, target }: Pick<Replay, "kind" | "target">): string => {
  if (kind !== "events") return "the provider";
  return target.kind === "other_topic" ? target.topicArn : target.kind === "file" ? "a file" : "their topics";
};
