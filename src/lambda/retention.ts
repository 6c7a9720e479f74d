import { passHandler } from "./pass-handler.ts";

/** Makes the log's partitions that are due, and drops what is older than RETENTION. */
export const handler = passHandler((passes) => [passes.partitions, passes.retention]);
