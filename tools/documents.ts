import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stringify } from "yaml";
import { z } from "zod";
import { ALERTS } from "../deploy/prometheus/alerts.ts";
import { CommandContext } from "../src/interfaces/cli/command-context.ts";
import { createProgram, helpOf } from "../src/interfaces/cli/program.ts";
import { ALARM_NAMES, ALARMS } from "../src/platform/alarms/alarm-definitions.ts";
import { formatOf } from "../src/platform/config/setting-formats.ts";
import {
  SERVE_REQUIRES,
  SETTING_NAMES,
  type SettingName,
  settingsSchema,
  TO_FILL_IN,
} from "../src/platform/config/settings.ts";
import { METRICS } from "../src/platform/metrics/metrics.ts";

// What `npm run documents` makes from the lists of settings, alarms, metrics and alerts. CI runs it, and
// nothing may differ.

const root = resolve(import.meta.dirname, "..");

const silent = { write: () => undefined };
const program = await createProgram(
  new CommandContext({ environment: {}, stdout: silent, stderr: silent, signals: process }),
);

/** The documents by their path. */
const documents: Readonly<Record<string, () => string>> = {
  "docs/settings.md": settingsDocument,
  ".env.example": exampleFile,
  "docs/operations.md": runbook,
  "deploy/prometheus/rules.yml": prometheusRules,
};

/** The runbook as it stands, with those sections that are made from lists made anew. */
function runbook(): string {
  const text = readFileSync(join(root, "docs/operations.md"), "utf8");
  const sections: Record<string, string> = {
    Commands: `In a checkout, \`npm run --silent relay -- <command>\` runs what messages and documents write as
\`invoice-relay <command>\`. Every command has \`--help\` and \`--json\`, which covers errors too. Exit codes: 0 done, 1 a
finding or a fault, 2 wrong usage, 3 not found, 4 the database or the provider is away.

| Command | Use |
|---|---|
${Object.entries(helpOf(program))
  .map(([term, description]) => `| \`${term.replace(" [options]", "")}\` | ${description} |`)
  .join("\n")}

HTTP: \`/callbacks/{token}[/{reference}]\`, \`/healthz\` (the process is alive), \`/readyz\` (it can record callbacks),
\`/metrics\`, \`/console\`, \`/admin/v1/…\` and \`/.well-known/invoice-relay-keys.json\`.`,
    "Alerts of Prometheus": ALERTS.map(
      ({ alert, severity, summary, todo }) =>
        `### ${alert}\n\n${summary} **Severity:** ${severity}.\n\n**Do:** ${todo}`,
    ).join("\n\n"),
    Alarms: [
      "Each alarm has a log line at error level with `alarm=<name>`, a counter, and a row in `alarm` that closes when it ends.",
      ...ALARM_NAMES.map((name) => {
        const { severity, means, ends, todo } = ALARMS[name];
        return `### ${name}\n\n${means}\n\n**Severity:** ${severity}. **Ends:** ${ends}\n\n**Do:** ${todo}`;
      }),
    ].join("\n\n"),
    Metrics: `Each process serves these at \`/metrics\`, beside Node's own (\`process_…\`, \`nodejs_…\`). Counts of rows in Postgres
are the same in every process: use \`max\`, not \`sum\`.
While Postgres is away these values stay as they were, and \`invoice_relay_database_values_age_seconds\` grows.

| Metric | Kind | Labels | Value | Meaning |
|---|---|---|---|---|
${Object.values(METRICS).map(metricRow).join("\n")}`,
  };
  return Object.entries(sections).reduce(
    (made, [title, content]) =>
      made.replace(new RegExp(`(?<=^## ${title}\\n\\n)[\\s\\S]*?(?=\\n\\n## )`, "m"), () => content),
    text,
  );
}

const metricRow = ({ name, kind, labelNames, help, says }: (typeof METRICS)[keyof typeof METRICS]): string =>
  `| \`${name}\` | ${kind} | ${labelNames.map((label) => `\`${label}\``).join(", ")} | ${help} | ${says} |`;

function prometheusRules(): string {
  const rules = ALERTS.map(({ alert, expr, for: after, severity, summary, heading }) => ({
    alert,
    expr,
    ...(after === undefined ? {} : { for: after }),
    labels: { severity },
    annotations: { summary, runbook: `docs/operations.md#${heading ?? alert.toLowerCase()}` },
  }));
  return `# Alerts of invoice-relay for Prometheus, made by \`npm run documents\`. Scrape it under the job name
# \`invoice-relay\`; every alert has a heading in docs/operations.md, and a test shows each of them firing and clearing.
${stringify({ groups: [{ name: "invoice-relay", rules }] }, { lineWidth: 0 })}`;
}

function settingsDocument(): string {
  const rows = describeSettings().map(({ name, meaning, kind, standard, required, toFillIn }) => {
    const value = required
      ? "**required by `serve`**"
      : toFillIn
        ? "**fill it in**; `doctor` fails without"
        : standard
          ? `\`${standard}\``
          : "";
    return `| \`${name}\` | ${meaning.replaceAll("|", "\\|")} | ${kind} | ${value} |`;
  });
  return `# Settings

For people who configure the relay. Settings come from the environment; \`--settings <file>\` adds those of a file like
\`.env.example\`, and the environment wins. A command lists all missing and wrong settings at once and exits with code 2.
It refuses unknown names and lines that set nothing. \`invoice-relay doctor\` tries the settings.

Durations are written \`500ms\`, \`20s\`, \`10m\`, \`6h\`, \`35d\`; commas separate the entries of a list. Plain http is accepted for
loopback addresses only. The AWS SDK finds credentials in its usual way.

\`SOURCES_FILE\` describes several merchant accounts ([an example](../examples/sources.json)); their settings are then in that
file and not here. Each needs \`name\`, \`collectionApiUrl\`, \`collectionApiKey\`, \`callbackTokens\` and \`snsTopicArn\`. A
secret is written \`env:NAME\` or as it is. \`doctor\` names accounts that share a key or a collection.

| Setting | Purpose | Value | Default |
|---|---|---|---|
${rows.join("\n")}
`;
}

function exampleFile(): string {
  const entries = describeSettings().map(({ name, meaning, standard, toFillIn }) => {
    // Without it nobody can sign in to the console.
    const line = toFillIn || name === "ADMIN_TOKENS" ? `${name}=` : `# ${name}=${standard ?? ""}`;
    return `# ${meaning}\n${line}\n`;
  });
  return `# Every setting of invoice-relay; docs/settings.md explains them. Copy this file and fill in each line without
# a # (serve needs them; doctor needs COLLECTION_IDS, and the console ADMIN_TOKENS). Then run:
# invoice-relay --settings .env doctor

${entries.join("\n")}`;
}

function describeSettings() {
  const required: readonly SettingName[] = SERVE_REQUIRES;
  return SETTING_NAMES.map((name) => {
    const schema: z.ZodType = settingsSchema.shape[name];
    const { kind, secret } = formatOf(schema) ?? { kind: "text", secret: false };
    return {
      name,
      kind: secret ? `${kind}; **secret**` : kind,
      meaning: schema.description ?? "",
      standard: schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : null,
      required: required.includes(name),
      toFillIn: TO_FILL_IN.includes(name),
    };
  });
}

for (const [path, make] of Object.entries(documents)) writeFileSync(join(root, path), make());
