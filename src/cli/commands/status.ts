import type { Command } from "commander";
import { countText, numberOf, plainText } from "../../kit/text.ts";
import { clock, spanText } from "../../kit/time.ts";
import { statusOperations } from "../../operate/operations/status.ts";
import { adviceOf } from "../../operate/status.ts";
import { heldWords } from "../../operate/status-meaning.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { sheet } from "../table.ts";

export const statusCommand = (context: CommandContext): Command =>
  operationCommand(context, statusOperations, "readStatus", {
    name: "status",
    text: renderStatus,
    judge: ({ needsPerson }) => needsPerson && context.fault(),
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
