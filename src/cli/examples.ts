import type { Command } from "commander";
import { SOME_ID as ID } from "../operate/operations/fields.ts";
import { apiExamples } from "./commands/api.ts";

/**
 * What help shows after the name of each command, of a group after those of its commands. What is left out takes
 * nothing, or an id.
 */
const EXAMPLES: Readonly<Record<string, string | readonly string[]>> = {
  dev: "--database postgres://localhost/relay",
  demo: "--database postgres://localhost/relay",
  serve: "--workers-only",
  migrate: "--into-shared",
  alarms: "--all --name source_failing --limit 20",
  "alarms close": 'event_dead --reason "sent again by hand"',
  "alarms snooze": 'source_failing --for 2h --reason "maintenance at the provider"',
  "alarms note": 'source_failing --note "ticket 4711"',
  audit: "--actor ada --from 2026-10-01",
  "callback-url": "--reference ORDER-4711",
  "callbacks list": "--refused --from 2026-10-01",
  api: apiExamples,
  invoice: "3f1c6a52",
  invoices: "NGN 40,645.00",
  reconcile: "--from 2026-10-01 --to 2026-10-31",
  certify: "--from 2026-10-01 --to 2026-10-31",
  "certificate list": "--result not_equal",
  "certificate show": `${ID} --csv`,
  "certificate verify": "certificate.json",
  report: "payments --from 2026-10-01 --to 2026-10-31 --out payments.xlsx",
  "replay confirmations": "--from 2026-10-01 --to 2026-10-02 --dry-run",
  "replay callbacks": "--from 2026-10-01 --dry-run",
  "replay events": `--invoice ${ID} --reason lost`,
  "replay list": "--limit 5",
  "replay resume": `${ID} --here`,
  "replay cancel": `${ID} --reason "too much"`,
  "dead list": "--kind event",
  "dead retry": `${ID} --reason fixed`,
  "dead dismiss": `${ID} --reason "a test"`,
  "quarantine list": "--collection Fees --from 2026-10-01",
  "quarantine release": `${ID} --reason "ours after all"`,
  "quarantine dismiss": `${ID} --reason "not ours"`,
  "pause confirm": "--for 30m --reason maintenance",
  "pause publish": "--for 2h --reason maintenance",
  "resume confirm": '--source default --reason "the provider is back"',
  "resume publish": '--reason "SNS is back"',
  retention: "--dry-run",
  evidence: `${ID} --out payment.zip`,
  erase: `${ID} --dry-run`,
  "collection-service": "--port 8090",
  "local-sns": "--port 4566",
  "sandbox pay": `${ID} --twice --method USSD`,
};

function examplesOf(command: Command, path: string): string[] {
  const inner = command.commands.flatMap((one) => examplesOf(one, `${path} ${one.name()}`));
  const id = command.registeredArguments.length > 0 ? ID : "";
  const own = EXAMPLES[path] ?? (inner.length > 0 ? [] : id);
  return [...[own].flat().map((rest) => `invoice-relay ${path} ${rest}`.trim()), ...inner];
}

/** Ends the help of the command, and of each inside of it, with its examples. */
export function addExamples(command: Command, path = command.name()): void {
  const lines = examplesOf(command, path).map((line) => `  ${line}`);
  command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  for (const inner of command.commands) addExamples(inner, `${path} ${inner.name()}`);
}
