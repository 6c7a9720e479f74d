/**
 * Loaded before the program (`node --import`): sends this process a signal when it passes a failpoint for the nth
 * time. Set by the environment: `FAILPOINT`, `FAILPOINT_SIGNAL` (SIGKILL or SIGSTOP), `FAILPOINT_PASSING` (from
 * 1).
 */
import { writeSync } from "node:fs";
import { watchFailpoints } from "../../src/platform/process/failpoint.ts";

const { FAILPOINT, FAILPOINT_SIGNAL = "SIGKILL", FAILPOINT_PASSING = "1" } = process.env;
let passed = 0;
watchFailpoints((name) => {
  if (name !== FAILPOINT) return;
  passed += 1;
  if (passed !== Number(FAILPOINT_PASSING)) return;
  writeSync(1, `at failpoint ${name}\n`);
  process.kill(process.pid, FAILPOINT_SIGNAL);
});
