/**
 * Loaded before the program (`node --import`): sends this process a signal when it passes a step for the nth
 * time. Set by the environment: `FAULTS_STEP`, `FAULTS_SIGNAL` (SIGKILL or SIGSTOP), `FAULTS_PASSING` (from
 * 1).
 */
import { writeSync } from "node:fs";

const { FAULTS_STEP, FAULTS_SIGNAL = "SIGKILL", FAULTS_PASSING = "1", FAULTS_SOURCES } = process.env;
const { watchSteps } = (await import(
  `${FAULTS_SOURCES}/kit/step.ts`
)) as typeof import("../../../src/kit/step.ts");
let passed = 0;
watchSteps((name) => {
  if (name !== FAULTS_STEP) return;
  passed += 1;
  if (passed !== Number(FAULTS_PASSING)) return;
  writeSync(1, `at step ${name}\n`);
  process.kill(process.pid, FAULTS_SIGNAL);
});
