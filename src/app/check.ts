/**
 * One thing that was looked at. With a warning it works, but deserves a look; a fault keeps `serve` from some
 * or all of its work.
 */
export interface Check {
  about: string;
  state: "ok" | "warning" | "fault";
  /** Plain words; no secret is ever part of them. */
  says: string;
  /** Of a fault: the other side does not answer, and on this side all may be well. */
  away?: boolean;
}
