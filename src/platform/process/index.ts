export { failpoint } from "./failpoint.ts";
export { programVersion } from "./program-version.ts";
export { backOffMs, OneForAll, Turns, within } from "./waiting.ts";
