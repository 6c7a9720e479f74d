/**
 * One thing that was looked at. A warning works, and deserves a look; a fault keeps `serve` from its work.
 */
export interface Check {
  about: string;
  state: "ok" | "warning" | "fault";
  /** Plain words; no secret is ever part of them. */
  says: string;
  /** Of a fault: something else does not answer, and all that is ours may be well. */
  away?: boolean;
}
