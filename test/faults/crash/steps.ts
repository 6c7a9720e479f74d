/** What has to happen for a step to be passed. */
export type Drive =
  /** Nothing more than its start. */
  | "start"
  /** A callback for a paid invoice. */
  | "callback"
  /** A paid invoice that nobody tells of. */
  | "sweep"
  /** `replay` of what was published. */
  | "replay"
  /** A certificate of today. */
  | "certificate"
  | "retention"
  | "partitions"
  | "migrate";

export interface Step {
  name: string;
  drive: Drive;
  /** It lies between the request to SNS and the mark of its acceptance: a copy is all right there, and only there. */
  mayCopy?: true;
}

/**
 * Every step that the program names, in the order of the path; a test holds the list against the sources. Before and
 * after each commit, each call out and each acknowledgement.
 */
export const STEPS: readonly Step[] = [
  { name: "callback read", drive: "callback" },
  { name: "callback recorded", drive: "callback" },
  { name: "callback answered", drive: "callback" },
];
