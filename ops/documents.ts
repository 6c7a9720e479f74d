import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stringify } from "yaml";
import { z } from "zod";
import { ALARM_NAMES, ALARMS } from "../src/alarms/alarm-definitions.ts";
import { CommandContext } from "../src/cli/command-context.ts";
import { createProgram, helpOf } from "../src/cli/program.ts";
import { METRICS } from "../src/kit/metrics.ts";
import { formatOf } from "../src/kit/setting-formats.ts";
import {
  SERVE_REQUIRES,
  SETTING_NAMES,
  type SettingName,
  settingsSchema,
  TO_FILL_IN,
} from "../src/kit/settings.ts";
import { ALERTS } from "./prometheus/alerts.ts";

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
  "ops/prometheus/rules.yml": prometheusRules,
  "src/cli/help.json": () => `${JSON.stringify(helpOf(program), null, 2)}\n`,
};

/** The runbook as it stands, with those sections that are made from lists made anew. */
function runbook(): string {
  const text = readFileSync(join(root, "docs/operations.md"), "utf8");
  const sections: Record<string, string> = {
    "Alerts of Prometheus": ALERTS.map(
      ({ alert, severity, summary, todo }) =>
        `### ${alert}\n\n${summary} **Severity:** ${severity}.\n\n**Do:** ${todo}`,
    ).join("\n\n"),
    Alarms: [
      "Each is a line at error level with `alarm=<name>`, a count, and a row in `alarm` that closes when it is over.",
      ...ALARM_NAMES.map((name) => {
        const { severity, means, ends, todo } = ALARMS[name];
        return `### ${name}\n\n${means}\n\n**Severity:** ${severity}. **Ends:** ${ends}\n\n**Do:** ${todo}`;
      }),
    ].join("\n\n"),
    Metrics: `All of \`/metrics\`, for each process. What is counted in Postgres is the same in every process: take \`max\`, not \`sum\`. A
receiver with no more than [its role](database-roles.md) may not count it and leaves it out.
While Postgres is away these values stay as they were, and \`invoice_relay_database_values_age_seconds\` grows. What Node
says of the process (\`process_…\`, \`nodejs_…\`) is named as everywhere.

| Metric | Kind | Labels | What it is | What it says |
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
  return `# What Prometheus should tell people of invoice-relay, made by \`npm run documents\`. Scrape it under the job name
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

Settings come from the environment; \`--settings <file>\` adds those of a file like \`.env.example\`, where
the environment wins. All that is missing or wrong is listed at once, with exit code 2, before anything
starts. A name in that file which is no setting is refused, with the likely one, and so is a
line that sets nothing.
\`invoice-relay doctor\` checks them against the world.

Durations are written \`500ms\`, \`20s\`, \`10m\`, \`6h\`, \`35d\`; lists are separated by commas. Plain
http is accepted for loopback addresses only. AWS credentials are found as every AWS SDK finds them; they are
no settings of ours.
With \`SOURCES_FILE\` the settings of one merchant account stand in that file, and not here: [an example](../examples/sources.json).
Of each account \`name\`, \`collectionApiUrl\`, \`collectionApiKey\`, \`callbackTokens\` and \`snsTopicArn\` are needed. A secret is
written \`env:NAME\`, or as it is. \`doctor\` names accounts that share a key or a collection.

| Setting | What it is for | Value | Default |
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
  return `# Every setting of invoice-relay; docs/settings.md says more. Copy it, fill in what has no #
# in front (serve needs those, doctor COLLECTION_IDS, and the console ADMIN_TOKENS), then:
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
