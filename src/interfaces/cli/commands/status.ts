import type { Command } from "commander";
import { groupWords, heldWords, recordOperations, statusOperations } from "../../../operations/index.ts";
import { withCommand } from "../../../platform/errors/index.ts";
import { clock, countText, numberOf, plainText, spanText } from "../../../platform/values/index.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { sheet } from "../table.ts";

export const statusCommand = (context: CommandContext): Command =>
  operationCommand(context, statusOperations, "readStatus", {
    name: "status",
    text: renderStatus,
    check: ({ needsPerson }) => needsPerson && context.fault(),
  });

export const retentionCommand = (context: CommandContext): Command =>
  operationCommand(context, recordOperations, "applyRetention", { name: "retention" });

export const auditCommand = (context: CommandContext): Command =>
  operationCommand(context, recordOperations, "readAuditLog", {
    name: "audit",
    options: { invoiceId: "invoice" },
  });

type Status = ResultOf<"readStatus">;

function renderStatus(status: Status): string {
  const { sentence, actionItems, openAlarms, held } = status;
  const lines = [plainText(sentence)];
  const section = (title: string, contents: readonly string[]) => {
    if (contents.length > 0) lines.push("", title, ...contents);
  };
  const entry = (
    what: string,
    { action, remedy }: Pick<Status["openAlarms"][number], "action" | "remedy">,
  ) => [`  ${plainText(what)}`, `    ${plainText(withCommand(action, remedy))}`];
  section(
    "To do",
    actionItems.flatMap((item) => entry(`${item.severity}: ${item.what}`, item)),
  );
  section(
    "Open alarms",
    openAlarms.flatMap((group) => entry(alarmWords(group), group)),
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

function alarmWords(group: Status["openAlarms"][number]): string {
  const { name, severity, count, oldestAt, newestAt } = group;
  const since = `since ${clock(oldestAt)}${count > 1 ? `, the newest ${clock(newestAt)}` : ""}`;
  return `${severity}: ${groupWords(group)}, ${since} [${name}]`;
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
        ? "none yet; callback-url prints the URL that the provider calls"
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
