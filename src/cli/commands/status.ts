import { type Command, Option } from "commander";
import { z } from "zod";
import { usageError } from "../../kit/errors.ts";
import { countText, numberOf, plainText } from "../../kit/text.ts";
import { clock, spanText } from "../../kit/time.ts";
import { name } from "../../operate/operations/fields.ts";
import { readValue } from "../../operate/operations/operation.ts";
import { adviceOf } from "../../operate/status.ts";
import { heldWords } from "../../operate/status-meaning.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { noneText, timeAfter, timeValue } from "../option-values.ts";
import { sheet, table } from "../table.ts";

export const statusCommand = (context: CommandContext): Command =>
  operationCommand(context, "readStatus", {
    name: "status",
    text: renderStatus,
    judge: ({ needsPerson }) => needsPerson && context.fault(),
  });

export const auditCommand = (context: CommandContext): Command =>
  operationCommand(context, "readAuditLog", {
    name: "audit",
    options: {
      invoiceId: "invoice <id>",
      actor: "actor <name>",
      subject: "subject <name>",
      before: "before <entry>",
    },
    text: ({ entries }, given) =>
      entries.length === 0
        ? noneText(
            given,
            "Nothing has been changed by hand.",
            "Nothing in the audit log matches these filters. Without them, invoice-relay audit shows who " +
              "changed what.",
          )
        : table(entries, {
            at: "at",
            who: "actor",
            what: "action",
            which: "subject",
            why: ({ detail: { reason } }) => (typeof reason === "string" ? reason : null),
          }),
  });

type Status = ResultOf<"readStatus">;

function renderStatus(status: Status): string {
  const { sentence, needs, openAlarms, held } = status;
  const lines = [plainText(sentence)];
  const section = (title: string, contents: readonly string[]) => {
    if (contents.length > 0) lines.push("", title, ...contents);
  };
  section(
    "To do",
    needs.flatMap((need, index) => [
      `  ${index + 1}. ${plainText(need.what)}${sinceWords(need)}`,
      `     ${plainText(adviceOf(need))}`,
    ]),
  );
  section("Open alarms", sheet(openAlarms.map((group) => [group.name, groupWords(group)])));
  section(
    "Paused, refused or backing off",
    held.map((one) => `  ${plainText(heldWords(one))}`),
  );
  section("Work", numbersOf(status));
  section("Proof", proofOf(status));
  section("Processes", processesOf(status));
  return lines.join("\n");
}

/** Since when, unless its words say it already. */
function sinceWords({ what, oldestAt, newestAt }: Status["needs"][number]): string {
  if (oldestAt === null || what.includes(clock(oldestAt))) return "";
  const isOne = newestAt === null || +newestAt === +oldestAt;
  return isOne
    ? `, since ${clock(oldestAt)}`
    : `, the oldest ${clock(oldestAt)}, the newest ${clock(newestAt)}`;
}

function groupWords({ title, severity, subject, oldestAt, ...group }: Status["openAlarms"][number]): string {
  const snoozed =
    group.snoozedUntil === null ? "" : `; ${group.snoozed} snoozed until ${clock(group.snoozedUntil)}`;
  const about = subject ? ` (${subject})` : "";
  return `${severity}, since ${clock(oldestAt)}: ${title}${about}${snoozed}`;
}

function numbersOf({ backlog, waiting, dead, quarantined, lastCallbackAt, at }: Status): string[] {
  const open = backlog.confirmations
    .filter(({ state }) => state === "due" || state === "claimed")
    .reduce((sum, { count }) => sum + count, 0);
  const unsent = backlog.outbox.filter(({ state }) => state === "due" || state === "claimed");
  const events = unsent.reduce((sum, { count }) => sum + count, 0);
  const heldBack = backlog.outbox.find(({ state }) => state === "held")?.count ?? 0;
  const age = (seconds: number) => (seconds > 0 ? `, the oldest for ${spanText(seconds * 1_000)}` : "");
  const asked = waiting.reduce((sum, { count }) => sum + count, 0);
  const later = Math.max(0, open - asked);
  const unanswered = `${age(backlog.oldestConfirmationSeconds)}${later > 0 ? `; ${countText(later)} of them to be asked again later` : ""}`;
  return sheet([
    [
      "last callback",
      lastCallbackAt === null
        ? "none yet; the provider calls what callback-url prints"
        : ago(lastCallbackAt, at),
    ],
    ["confirmations open", `${countText(open)}${unanswered}`],
    ["events to be sent", `${countText(events)}${age(backlog.oldestEventSeconds)}`],
    ["Test events held", heldBack === 0 ? null : countText(heldBack)],
    ["dead letters", `${numberOf(dead.confirmations, "confirmation")}, ${numberOf(dead.events, "event")}`],
    ["quarantined", countText(quarantined)],
  ]);
}

function proofOf({ settings, sweeps, certificates, unproven, at }: Status): string[] {
  const off = (settings.sources ?? []).filter(({ reconciliation }) => reconciliation !== "on");
  return sheet([
    ...off.map(({ name, reconciliation }) => [
      `reconciling ${name}`,
      reconciliation === "none" ? "off: COLLECTION_IDS is none" : "off: COLLECTION_IDS is not set",
    ]),
    ...sweeps.map(({ collectionId, finishedAt, missing, lastError }) => {
      const found =
        missing === 0 ? "nothing missing" : `${countText(missing)} had no event and were asked for`;
      const read = finishedAt === null ? "not read yet" : `read ${ago(finishedAt, at)}, ${found}`;
      return [`list of ${collectionId}`, lastError === null ? read : `${read}; now: ${lastError}`];
    }),
    ...certificates.map(({ source, day, result, gaps }) => [
      `daily certificate of ${source}`,
      `${result.replace("_", " ")}, payments before ${day}${gaps > 0 ? `, ${numberOf(gaps, "gap")}` : ""}`,
    ]),
    ...unproven.map(({ source, days, firstDay, lastDay, certificateId }) => [
      `NOT PROVEN of ${source}`,
      `${numberOf(days, "day")}, ${firstDay} to ${lastDay}, by certificate ${certificateId}`,
    ]),
  ]);
}

function processesOf({ processes, versions, at }: Status): string[] {
  const seen = processes.map(({ host, pid, version, http, workers, seenAt, lives }) => {
    const does = [...(http ? ["callbacks"] : []), ...(workers ? ["workers"] : [])].join(" and ");
    const said = lives ? "alive" : "SILENT: seen";
    return [`${host} ${pid}`, `${does || "idle"}, version ${version}, ${said} ${ago(seenAt, at)}`];
  });
  return sheet([
    ...seen,
    ...(seen.length === 0 ? [["serve", "no running process"]] : []),
    ["this program", versions.program],
    ["PostgreSQL", `${versions.postgres}, schema ${versions.schema}`],
  ]);
}

const ago = (then: Date, now: Date): string => `${spanText(Math.max(0, +now - +then))} ago (${clock(then)})`;

export const alarmsCommand = (context: CommandContext): Command =>
  operationCommand(context, "listAlarms", {
    name: "alarms",
    options: { name: "name <alarm>" },
    text({ total, items }, { all, ...filters }) {
      const none = all === undefined ? "No alarm is open." : "No alarm was ever raised.";
      if (total === 0) return noneText(filters, none, "No alarm matches these filters.");
      const more = total > items.length ? `\n\n${total - items.length} more; see --limit.` : "";
      return `${renderAlarms(items)}${more}`;
    },
  })
    .addCommand(changeAlarms(context, "closeAlarms", "close", "closed; what lasts is raised again"))
    .addCommand(
      changeAlarms(context, "snoozeAlarms", "snooze", "snoozed; what lasts then is told again", withUntil),
    )
    .addCommand(
      changeAlarms(context, "noteAlarms", "note", "noted", (command) =>
        command.requiredOption("--note <text>", "what to note; empty takes it away; no personal data"),
      ),
    )
    .addCommand(
      operationCommand(context, "testAlarms", {
        name: "test",
        text: ({ problem }) =>
          problem === null
            ? "ALARM_WEBHOOK_URL took a test message."
            : `ALARM_WEBHOOK_URL took no message: ${problem}.`,
        judge: ({ taken }) => !taken && context.fault(),
      }),
    );

const withUntil = (command: Command): Command =>
  command
    .option("--until <time>", "when it is told again", timeValue)
    .addOption(
      new Option("--for <duration>", "for so long, such as 30m or 2h")
        .argParser(timeAfter)
        .conflicts("until"),
    );

const which = z.object({ source: name().optional(), subject: name(1_000).optional() });

function changeAlarms(
  context: CommandContext,
  id: "closeAlarms" | "snoozeAlarms" | "noteAlarms",
  verb: string,
  done: string,
  extend = (command: Command) => command,
): Command {
  return operationCommand(context, id, {
    name: verb,
    without: ["alarms", "until", "note"],
    extend: (made) =>
      extend(
        made
          .argument("<alarm>", "its name, such as pause_standing")
          .option("--source <name>", "only this source's")
          .option("--subject <name>", "only the one about this, as alarms lists it"),
      ),
    input({ source, subject, for: end, until = end, ...given }, [alarm]) {
      if (id === "snoozeAlarms" && until === undefined)
        throw usageError("Say until when: --for 2h, or --until 2026-11-01T08:30.");
      return { ...given, alarms: [{ name: alarm, ...readValue(which, { source, subject }) }], until };
    },
    text: ({ count }) =>
      count === 0
        ? "No such alarm is open: nothing was changed. invoice-relay alarms lists those that are."
        : `${numberOf(count, "alarm")} ${done}.`,
    judge: ({ count }) => count === 0 && context.notFound(),
  });
}

function renderAlarms(alarms: ResultOf<"listAlarms">["items"]): string {
  return alarms
    .map(({ name, severity, source, subject, detail, raisedAt, clearedAt, times, action, ...alarm }) => {
      const about = [source === "" ? null : `source ${source}`, subject === source ? null : subject];
      const often = times > 1 ? `, ${times.toLocaleString("en-US")} times` : "";
      const until = clearedAt === null ? "" : ` to ${clock(clearedAt)}`;
      return [
        `  ${name}  ${severity}, ${about.filter((part) => part !== null && part !== "").join(", ")}`,
        `    ${clearedAt === null ? "since " : ""}${clock(raisedAt)}${until}${often}: ${detail}`,
        ...(clearedAt === null ? [`    ${action}`] : []),
        ...(alarm.snoozedUntil === null ? [] : [`    snoozed until ${clock(alarm.snoozedUntil)}`]),
        ...(alarm.note === null ? [] : [`    note: ${alarm.note}`]),
      ]
        .map((line) => plainText(line))
        .join("\n");
    })
    .join("\n");
}
