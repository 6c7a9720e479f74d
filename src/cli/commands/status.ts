import type { Command } from "commander";
import { clock, spanText } from "../../kit/time.ts";
import { adviceOf, heldWords } from "../../operate/status-meaning.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { type Look, plainText, table } from "../terminal-text.ts";

/** The first thing to look at when on call; exit code 1 when a person is needed. */
export const statusCommand = (context: CommandContext): Command =>
  operationCommand(context, "readStatus", {
    name: "status",
    text: (status) => renderStatus(status, context),
    judge: ({ needsPerson }) => needsPerson && context.fault(),
  });

export const alarmsCommand = (context: CommandContext): Command =>
  operationCommand(context, "listAlarms", {
    name: "alarms",
    options: { name: "name <alarm>" },
    text({ total, items }, { all }) {
      if (total === 0) return all === undefined ? "No alarm is open." : "No alarm was ever raised.";
      const more = total > items.length ? `\n\n${total - items.length} more; see --limit.` : "";
      return `${renderAlarms(items)}${more}`;
    },
  });

export const auditCommand = (context: CommandContext): Command =>
  operationCommand(context, "readAuditLog", {
    name: "audit",
    options: {
      invoiceId: "invoice <id>",
      actor: "actor <name>",
      subject: "subject <name>",
      before: "before <id>",
    },
    text: ({ entries }) =>
      entries.length === 0
        ? "Nothing has been changed by hand."
        : table(
            ["at", "who", "what", "which", "why"],
            entries.map(({ at, actor, action, subject, detail }) => [
              at,
              actor,
              action,
              subject,
              typeof detail.reason === "string" ? detail.reason : null,
            ]),
          ),
  });

type Status = ResultOf<"readStatus">;

/** What rendering needs of the context. */
interface Painter {
  paint(look: Look, text: string): string;
}

/** The status at a glance: one sentence, what to do, what is open, and the numbers. */
function renderStatus(status: Status, painter: Painter): string {
  const { sentence, needsPerson, needs, alarms, openAlarms, held } = status;
  const lines = [painter.paint(needsPerson ? "bad" : "good", plainText(sentence))];
  const section = (title: string, contents: readonly string[]) => {
    if (contents.length > 0) lines.push("", painter.paint("title", title), ...contents);
  };
  section(
    "To do",
    needs.flatMap((need, index) => [
      `  ${index + 1}. ${plainText(need.what)}`,
      `     ${plainText(adviceOf(need))}`,
    ]),
  );
  const more = openAlarms.reduce((sum, { count }) => sum + count, 0) - alarms.length;
  section(
    "Open alarms",
    alarms.length === 0
      ? []
      : [renderAlarms(alarms), ...(more > 0 ? [`  and ${more} more: invoice-relay alarms`] : [])],
  );
  section(
    "Paused, refused or backing off",
    held.map((one) => `  ${plainText(heldWords(one))}`),
  );
  section("Work", numbersOf(status));
  section("Proof", proofOf(status));
  section("Processes", processesOf(status));
  return lines.join("\n");
}

function numbersOf({ backlog, dead, quarantined, lastCallbackAt, at }: Status): string[] {
  const open = backlog.confirmations
    .filter(({ state }) => state === "due" || state === "claimed")
    .reduce((sum, { count }) => sum + count, 0);
  const unsent = backlog.outbox.filter(({ state }) => state === "due" || state === "claimed");
  const events = unsent.reduce((sum, { count }) => sum + count, 0);
  const heldBack = backlog.outbox.find(({ state }) => state === "held")?.count ?? 0;
  const age = (seconds: number) => (seconds > 0 ? `, the oldest for ${spanText(seconds * 1_000)}` : "");
  return fields([
    [
      "last callback",
      lastCallbackAt === null
        ? "none yet; the provider calls what callback-url prints"
        : ago(lastCallbackAt, at),
    ],
    ["confirmations open", `${number(open)}${age(backlog.oldestConfirmationSeconds)}`],
    ["events to be sent", `${number(events)}${age(backlog.oldestEventSeconds)}`],
    ["Test events held", heldBack === 0 ? null : number(heldBack)],
    ["dead letters", `${number(dead.confirmations)} confirmations, ${number(dead.events)} events`],
    ["quarantined", number(quarantined)],
  ]);
}

function proofOf({ settings, sweeps, certificates, at }: Status): string[] {
  const off = (settings.sources ?? []).filter(({ reconciliation }) => reconciliation !== "on");
  return fields([
    ...off.map(({ name, reconciliation }): [string, string] => [
      `reconciling ${name}`,
      reconciliation === "none" ? "off: COLLECTION_IDS is none" : "off: COLLECTION_IDS is not set",
    ]),
    ...sweeps.map(({ collectionId, finishedAt, missing, lastError }): [string, string] => {
      const read =
        finishedAt === null
          ? "not read yet"
          : `read ${ago(finishedAt, at)}, ${number(missing)} without an event`;
      return [`list of ${collectionId}`, lastError === null ? read : `${read}; now: ${plainText(lastError)}`];
    }),
    ...certificates.map(({ source, day, result, gaps }): [string, string] => [
      `certificate of ${source}`,
      `${result.replace("_", " ")}, payments before ${day}${gaps > 0 ? `, ${number(gaps)} gaps` : ""}`,
    ]),
  ]);
}

function processesOf({ processes, versions, at }: Status): string[] {
  const seen = processes.map(({ host, pid, version, http, workers, seenAt, lives }): [string, string] => {
    const does = [...(http ? ["callbacks"] : []), ...(workers ? ["workers"] : [])].join(" and ");
    const said = lives ? "alive" : "SILENT: seen";
    return [`${host} ${pid}`, `${does || "idle"}, version ${version}, ${said} ${ago(seenAt, at)}`];
  });
  return fields([
    ...seen,
    ...(seen.length === 0 ? [["serve", "no running process"] as Field] : []),
    ["this program", versions.program],
    ["PostgreSQL", `${versions.postgres}, schema ${versions.schema}`],
  ]);
}

type Field = [name: string, value: string | null];

function fields(given: readonly Field[]): string[] {
  const shown = given.filter(([, value]) => value !== null);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `  ${plainText(name).padEnd(width)}  ${value}`);
}

const number = (value: number): string => value.toLocaleString("en-US");

const ago = (then: Date, now: Date): string => `${spanText(Math.max(0, +now - +then))} ago (${clock(then)})`;

/** Each alarm: since when it is open, its name, its detail, and what to do. */
function renderAlarms(alarms: ResultOf<"listAlarms">["items"]): string {
  return alarms
    .map(({ name, source, subject, detail, raisedAt, clearedAt, times, action }) => {
      const about = [source === "" ? null : `source ${source}`, subject === source ? null : subject];
      const often = times > 1 ? `, ${times.toLocaleString("en-US")} times` : "";
      const until = clearedAt === null ? "" : ` to ${clock(clearedAt)}`;
      return [
        `  ${name}  ${about.filter((part) => part !== null && part !== "").join(", ")}`,
        `    ${clearedAt === null ? "since " : ""}${clock(raisedAt)}${until}${often}: ${detail}`,
        ...(clearedAt === null ? [`    ${action}`] : []),
      ]
        .map((line) => plainText(line))
        .join("\n");
    })
    .join("\n");
}
