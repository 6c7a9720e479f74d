/**
 * Loaded before the program (`node --import`): sends this process a signal when it passes a step for the nth
 * time. Set by the environment: `FAULTS_STEP`, `FAULTS_SIGNAL` (SIGKILL or SIGSTOP), `FAULTS_PASSING` (from
 * 1).
 */
import { writeSync } from "node:fs";
import { watchSteps } from "../../src/kit/step.ts";

const { FAULTS_STEP, FAULTS_SIGNAL = "SIGKILL", FAULTS_PASSING = "1" } = process.env;
let passed = 0;
watchSteps((name) => {
  if (name !== FAULTS_STEP) return;
  passed += 1;
  if (passed !== Number(FAULTS_PASSING)) return;
  writeSync(1, `at step ${name}\n`);
  process.kill(process.pid, FAULTS_SIGNAL);
});
