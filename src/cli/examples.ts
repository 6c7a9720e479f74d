import type { Command } from "commander";
import { SOME_ID as ID } from "../operate/operations/fields.ts";
import { apiExamples } from "./commands/api.ts";

/**
 * The lines that help shows of each command, by what stands after `invoice-relay`; a parent shows its children's.
 * What is left out takes nothing, or an id.
 */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  dev: ["", "--database postgres://localhost/relay"],
  demo: ["", "--database postgres://localhost/relay"],
  serve: ["", "--workers-only"],
  migrate: ["", "--into-shared"],
  alarms: ["", "--all --name source_failing --limit 20"],
  "alarms close": [
    'event_dead --reason "sent again by hand"',
    "source_failing --source default --reason done",
  ],
  "alarms snooze": [
    'source_failing --for 2h --reason "maintenance at the provider"',
    "certificate_gap --until 2027-11-01T08:30 --reason weekend",
  ],
  "alarms note": ['source_failing --note "ticket 4711"', 'event_dead --source default --note ""'],
  audit: ["--actor ada --from 2026-10-01", `--invoice ${ID}`],
  "callback-url": ["", "--reference ORDER-4711"],
  "callbacks list": ["--refused --from 2026-10-01", "--sender 203.0.113.7 --limit 20"],
  api: apiExamples,
  invoice: ["3f1c6a52", "ORDER-4711"],
  invoices: ["NGN 40,645.00", "--from 2026-10-01 --to 2026-10-31 --status Paid"],
  reconcile: [
    "--from 2026-10-01 --to 2026-10-31",
    '--from 2026-10-31 --to 2026-10-31 --publish --reason "callbacks were lost"',
  ],
  certify: ["--from 2026-10-01 --to 2026-10-31", "--from 2026-10-31 --to 2026-10-31 --deep --csv"],
  "certificate list": ["--result not_equal", "--from 2026-10-01 --to 2026-10-31"],
  "certificate show": [`${ID}`, `${ID} --csv`],
  "certificate verify": ["certificate.json", "certificate.json --keys keys.json"],
  "ledger verify": ["--from 2026-10-01", "--root root.json"],
  report: [
    "payments --from 2026-10-01 --to 2026-10-31 --out payments.xlsx",
    "differences --from 2026-10-01 --to 2026-10-31 --format csv",
  ],
  "replay confirmations": [
    "--from 2026-10-01 --to 2026-10-02 --dry-run",
    "--verdict unknown_invoice --reason incident",
  ],
  "replay callbacks": ["--from 2026-10-01 --dry-run", "--refused --from 2026-10-01 --reason incident"],
  "replay events": [`--invoice ${ID} --reason lost`, "--from 2026-10-01 --dry-run"],
  "replay list": ["", "--limit 5"],
  "replay resume": [`${ID}`, `${ID} --here`],
  "replay cancel": [`${ID}`, `${ID} --reason "too much"`],
  "dead list": ["--kind event", "--from 2026-10-01 --limit 20"],
  "dead retry": [`${ID} --reason fixed`, "--all --kind event --dry-run --reason fixed"],
  "dead dismiss": [`${ID} --reason "a test"`, "--to 2026-10-01 --dry-run --reason old"],
  "quarantine list": ["", "--collection Fees --from 2026-10-01"],
  "quarantine release": [`${ID} --reason "ours after all"`, "--collection Fees --dry-run --reason ours"],
  "quarantine dismiss": [`${ID} --reason "not ours"`, "--collection Fees --dry-run --reason foreign"],
  "pause confirm": ["--for 30m --reason maintenance", "--source default --until 2027-11-01T08:30 --reason x"],
  "pause publish": ["--for 2h --reason maintenance", "--source default --reason incident"],
  "resume confirm": ["", '--source default --reason "the provider is back"'],
  "resume publish": ["", '--reason "SNS is back"'],
  retention: ["--dry-run", '--reason "asked by the auditors"'],
  evidence: [`${ID}`, `${ID} --out payment.zip`],
  erase: [`${ID} --dry-run`, `${ID} --reason "asked by the payer"`],
  "collection-service": ["--port 8090", "--seed seed.json --public-url http://localhost:8090"],
  "local-sns": ["--port 4566", "--region eu-west-1 --topic payments"],
  "sandbox pay": [`${ID}`, `${ID} --twice --method USSD`],
};

function examplesOf(command: Command, path: string): string[] {
  const inner = command.commands.flatMap((one, _at, { length }) =>
    examplesOf(one, `${path} ${one.name()}`).slice(0, length === 1 ? 2 : 1),
  );
  const id = command.registeredArguments.length > 0 ? `${ID} ` : "";
  const own = EXAMPLES[path] ?? (inner.length > 0 ? undefined : [id, `${id}--json`]);
  return own?.map((rest) => `invoice-relay ${path} ${rest}`.trim()) ?? inner.slice(0, 2);
}

/** Ends the help of the command, and of each inside of it, with its examples. */
export function addExamples(command: Command, path = command.name()): void {
  const lines = examplesOf(command, path);
  command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`);
  for (const inner of command.commands) addExamples(inner, `${path} ${inner.name()}`);
}
