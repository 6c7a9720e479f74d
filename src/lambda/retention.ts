import { passDoor } from "./pass-receiver.ts";

/** Makes the log's partitions that are due, and drops what is older than RETENTION. */
export const handler = passDoor((passes) => [passes.partitions, passes.retention]);
