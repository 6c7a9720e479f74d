import { passHandler } from "./pass-handler.ts";

/** Creates the log's next partitions, and drops what is older than RETENTION. */
export const handler = passHandler((passes) => [[passes.partitions, passes.retention]]);
