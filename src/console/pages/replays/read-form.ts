import type { ReplayRequest } from "../api/types.ts";
import { momentOf } from "../kit/input-time.ts";
import type { ReplayKind } from "./replay-words.ts";

/** What is filled in, as it stands in the fields. */
export interface Draft {
  kind: ReplayKind;
  /** Of inputs of type datetime-local. */
  from: string;
  to: string;
  invoiceIds: string;
  collection: string;
  verdict: NonNullable<NonNullable<ReplayRequest["filters"]>["verdict"]> | "";
  source: string;
  refused: boolean;
  /** "" for the topics of the settings. */
  topicArn: string;
  rate: string;
}

export const EMPTY: Draft = {
  kind: "events",
  from: "",
  to: "",
  invoiceIds: "",
  collection: "",
  verdict: "",
  source: "",
  refused: false,
  topicArn: "",
  rate: "",
};

/** The request's body, without reason and dryRun. */
export function requestOf(draft: Draft): ReplayRequest {
  const ids = draft.invoiceIds.split(/[\s,;]+/).filter(Boolean);
  const [from, to] = [momentOf(draft.from), momentOf(draft.to)];
  const filters = {
    ...(from !== null && { from: from.toISOString() }),
    ...(to !== null && { to: to.toISOString() }),
    ...(ids.length > 0 && { invoiceIds: ids }),
    ...(draft.collection !== "" && { collection: draft.collection }),
    ...(draft.verdict !== "" && { verdict: draft.verdict }),
    ...(draft.source !== "" && { source: draft.source }),
    ...(draft.kind === "callbacks" && draft.refused && { refused: true }),
  };
  return {
    kind: draft.kind,
    filters,
    ...(draft.kind === "events" &&
      draft.topicArn !== "" && { target: { kind: "other_topic" as const, topicArn: draft.topicArn } }),
    ...(draft.rate !== "" && { rate: Number(draft.rate) }),
  };
}
