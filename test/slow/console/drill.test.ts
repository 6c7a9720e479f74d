import { setTimeout as wait } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { ADMIN, isTold, WAIT } from "../../journeys/drill.ts";
import { launchChromium } from "../../sandbox/provider/chromium.ts";
import "../../support/side-by-side.ts";
import { Operator } from "./operator.ts";
import { buildConsole } from "./stand.ts";
import { TROUBLES, type Trouble } from "./troubles.ts";

const MINUTE_MS = 60_000;
/** With FULL_COUNTS a quarter of an hour is waited for; else everything in the tables becomes as old. */
const LATER_MS = 14 * MINUTE_MS;
const IS_WAITED = process.env.FULL_COUNTS === "1";

let browser: Browser;
beforeAll(async () => {
  await buildConsole();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  process.stdout.write(`${table()}\n`);
});

/** What was said, by trouble: printed at the end. */
const told: Record<string, Told[]> = {};

interface Told {
  after: string;
  status: string;
  console: string;
  /** Those that are open. */
  alarms: string;
  /** The first line of the last message. */
  webhook: string;
}

it.concurrent.each(Object.entries(TROUBLES))(
  "%s: told from the first minute to the end, never green meanwhile",
  async (name, begin) => {
    const trouble = await begin();
    const { watch, alarm, metric, says, statusSays = says } = trouble;
    const person = await Operator.arrive(browser, { url: trouble.consoleUrl ?? `${watch.relay.opsUrl}` });
    await person.signIn("operate", ADMIN);
    await inConsole(person, /^All is well/);

    const lines: Told[] = [];
    told[name] = lines;
    const look = async (moment: string) => {
      const open = await trouble.around.query<{ name: string }>(
        "select distinct name from alarm where cleared_at is null order by name",
      );
      lines.push({
        after: moment,
        status: firstLine(await watch.status()),
        console: (await headline(person)).replace(/ (As of|What is below) .*/, ""),
        alarms: open.map((alarm) => alarm.name).join(", "),
        webhook: watch.receiver.messages.at(-1)?.text.split("\n")[0] ?? "",
      });
      await person.keep(`drill-${name}-${moment}`.replaceAll(/\W+/g, "-"));
    };
    await trouble.strike();
    const struckAt = performance.now();
    const until = (ms: number) => wait(Math.max(0, struckAt + ms - performance.now()));
    await until(15_000);
    await look("15 s");
    await until(MINUTE_MS);
    await inConsole(person, says[0]);
    await vi.waitFor(async () => expect(firstLine(await watch.status())).toMatch(statusSays[0]), WAIT);
    await look("1 min");
    if (alarm !== null) await isTold(watch, alarm);
    if (metric !== null) await vi.waitFor(async () => expect(await watch.page()).toContain(metric), WAIT);

    if (IS_WAITED) await wait(LATER_MS);
    else {
      const before = asOf(await headline(person));
      await growOld(trouble, LATER_MS);
      // Without a relay the page knows nothing newer.
      if (statusSays === says)
        await vi.waitFor(async () => expect(asOf(await headline(person))).not.toBe(before), WAIT);
    }
    await inConsole(person, says[1]);
    await vi.waitFor(async () => expect(firstLine(await watch.status())).toMatch(statusSays[1]), WAIT);
    await look("15 min");

    const healedAt = performance.now();
    await trouble.heal();
    await inConsole(person, /^All is well/);
    await vi.waitFor(async () => expect(firstLine(await watch.status())).toMatch(/^All is well/), WAIT);
    await look(`the end, ${Math.round((performance.now() - healedAt) / 1_000)} s`);
    if (metric !== null) await vi.waitFor(async () => expect(await watch.page()).not.toContain(metric), WAIT);
    await person.leave();
  },
  ...(IS_WAITED ? [3 * LATER_MS] : []),
);

const firstLine = ({ stdout, stderr }: { stdout: string; stderr: string }) =>
  (stdout || stderr).split("\n")[0] ?? "";

/** The first line of the console, and what stands beneath it. */
const headline = async ({ page }: Operator) =>
  (await page.getByRole("region", { name: "How it does" }).innerText()).replaceAll(/\s+/g, " ");

const asOf = (says: string) => /As of [\d\w ,:.]+/.exec(says)?.[0];

const inConsole = (person: Operator, says: RegExp) =>
  vi.waitFor(async () => expect(await headline(person)).toMatch(says), WAIT);

/** Whatever the tables hold is so much older; but for what a living process says again and again. */
async function growOld({ around }: Trouble, ms: number): Promise<void> {
  const columns = await around.query<{ table: string; set: string }>(
    `select table_name as table, string_agg(format('%I = %1$I - $1', column_name), ', ') as set
     from information_schema.columns
     where data_type = 'timestamp with time zone' and table_schema = current_schema() and table_name in
       ('alarm', 'alarm_telling', 'confirmation', 'event', 'outbox', 'source', 'topic', 'relay_process')
     group by table_name`,
  );
  for (const { table, set } of columns) {
    const living = table === "relay_process" ? "where seen_at < now() - interval '20 s'" : "";
    await around.query(`update ${table} set ${set.replaceAll("$1", `interval '${ms} ms'`)} ${living}`);
  }
}

/** What every trouble said, in Markdown. */
function table(): string {
  const head = ["Trouble", "After", "`status`", "Console", "Alarms", "Webhook"];
  const rows = Object.entries(told).flatMap(([name, lines]) =>
    lines.map((line) => [name, line.after, line.status, line.console, line.alarms, line.webhook]),
  );
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
