import { installTools } from "../ops/tools.ts";

/** Before the slow tests: what they judge and package with is there. */
export const setup = installTools;
