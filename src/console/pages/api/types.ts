import type { Status as ReadStatus } from "../../../operate/status.ts";
import type { Timeline as ReadTimeline } from "../../../operate/timeline.ts";

/** A server's type as it arrives: times are ISO 8601 text. */
export type Wire<Type> = Type extends Date
  ? string
  : Type extends object
    ? { [Key in keyof Type]: Wire<Type[Key]> }
    : Type;

export type Status = Wire<ReadStatus>;
export type Timeline = Wire<ReadTimeline> & { meaning: string[] };
export type TimelineEntry = Timeline["entries"][number];
