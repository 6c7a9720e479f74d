import type { Undelivered } from "../api/types.ts";
import { countText } from "../kit/money-text.ts";
import type { Act } from "./choosing-table.tsx";
import { type DecisionPath, decide } from "./undelivered.ts";

const counted = (count: number, one: string, many: string) =>
  count === 1 ? one : `${countText(count)} ${many}`;

function act(
  path: DecisionPath,
  words: Pick<Act<Undelivered>, "operation" | "title" | "isMain" | "says"> & {
    done: (count: number) => string;
  },
): Act<Undelivered> {
  const { done, ...shown } = words;
  return {
    ...shown,
    run: async (items, reason) => done(await decide(path, items, reason)),
    runAll: async (reason) => done(await decide(path, "all", reason)),
  };
}

export const DEAD_LETTER_ACTS: readonly Act<Undelivered>[] = [
  act("/dead-letters/retry", {
    operation: "retryDead",
    title: "Retry",
    isMain: true,
    says: (count) =>
      `${count === 1 ? "It is" : "They are"} asked or sent again from the first step. Retry once the ` +
      `cause is gone; else ${count === 1 ? "it ends" : "they end"} here again.`,
    done: (count) => `${counted(count, "A dead letter is", "dead letters are")} under way again.`,
  }),
  act("/dead-letters/dismiss", {
    operation: "dismissDead",
    title: "Dismiss",
    says: (count) =>
      `${count === 1 ? "It is" : "They are"} listed no more, and kept: certificates still name ` +
      `${count === 1 ? "it" : "them"} as missing.`,
    done: (count) => `${counted(count, "A dead letter was", "dead letters were")} dismissed.`,
  }),
];

export const QUARANTINE_ACTS: readonly Act<Undelivered>[] = [
  act("/quarantine/release", {
    operation: "releaseQuarantine",
    title: "Release",
    isMain: true,
    says: (count) =>
      `The provider is asked about ${count === 1 ? "it" : `these ${countText(count)}`} again, and what is ` +
      "still paid is published. Add the collection to COLLECTION_IDS if more of it will come.",
    done: (count) => `${counted(count, "An invoice was", "invoices were")} released.`,
  }),
  act("/quarantine/dismiss", {
    operation: "dismissQuarantine",
    title: "Dismiss",
    says: (count) =>
      `${count === 1 ? "It stays unpublished and is" : "They stay unpublished and are"} listed no more. ` +
      "For payments that are none of yours.",
    done: (count) => `${counted(count, "An invoice was", "invoices were")} dismissed.`,
  }),
];
