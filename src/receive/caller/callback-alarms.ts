import type { Alarm } from "../../alarms/alarms.ts";
import type { FailedCheck } from "./caller-checks.ts";

export interface CallbackTrouble {
  source: string;
  check: FailedCheck | null;
  /** The budget that was spent, such as `address_bytes`. */
  overBudget: string | null;
  /** A payer's browser signs nothing, and is no reason to call anyone. */
  isBrowser: boolean;
}

/** What a callback tells of its sender, written with it (G13). */
export function alarmsAbout({ source, check, overBudget, isBrowser }: CallbackTrouble): Alarm[] {
  const alarms: Alarm[] = [];
  if (check !== null && !isBrowser)
    alarms.push({
      name: "callback_refused",
      source,
      subject: check,
      detail:
        `Callbacks with a right token fail the check "${check}": someone forges them, or a secret or ` +
        "address changed. They are kept as refused and ask nothing; once the settings are right, run: " +
        "invoice-relay replay callbacks --refused",
    });
  if (overBudget !== null)
    alarms.push({
      name: "callbacks_over_budget",
      source,
      subject: overBudget,
      detail:
        "Callbacks come over budget: their bodies are cut, their ids are asked for in turn. If the " +
        "provider sends no more than usual, the token has leaked: set a new one in CALLBACK_TOKENS",
    });
  return alarms;
}
