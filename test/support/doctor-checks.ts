import { type Check, doctor } from "../../src/runtime/doctor.ts";

/** All that `doctor` says. */
export async function doctorChecks(environment: Record<string, string | undefined>): Promise<Check[]> {
  const checks: Check[] = [];
  for await (const check of doctor(environment)) checks.push(check);
  return checks;
}
