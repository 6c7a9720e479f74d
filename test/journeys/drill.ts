import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, vi } from "vitest";
import { type AlarmReceiver, startAlarmReceiver } from "../support/alarm-receiver.ts";
import { type CliResult, runCli } from "../support/cli-process.ts";
import { startRelay, type TestRelay } from "../support/relay.ts";

export const WAIT = { interval: 200 };
export const ADMIN = "drill-token-0123456789abcdef";
const RUNBOOK = readFileSync(resolve(import.meta.dirname, "../../docs/operations.md"), "utf8");

type Environment = Record<string, string | undefined>;

/** What somebody on call has at hand: one look, the metrics, the webhook, and the settings for commands. */
export interface OnCall {
  environment: Environment;
  receiver: AlarmReceiver;
  relay: TestRelay;
  status(): Promise<CliResult>;
  /** GET /admin/v1/status. */
  admin(): Promise<Response>;
  /** The page of metrics. */
  page(): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A relay over these settings that does well, and somebody who watches it. */
export async function onCall(settings: Environment): Promise<OnCall> {
  const receiver = await startAlarmReceiver();
  const environment = { ...settings, ADMIN_TOKENS: ADMIN, ALARM_WEBHOOK_URL: receiver.url };
  const watch: OnCall = {
    environment,
    receiver,
    relay: await startRelay(environment),
    status: () => runCli(["status"], environment),
    admin: () =>
      fetch(`${watch.relay.opsUrl}/admin/v1/status`, { headers: { authorization: `Bearer ${ADMIN}` } }),
    page: async () => await (await fetch(`${watch.relay.opsUrl}/metrics`)).text(),
    stop: () => watch.relay.stop(),
    async start() {
      watch.relay = await startRelay(environment);
    },
  };
  await vi.waitFor(async () => expect((await watch.status()).code).toBe(0), WAIT);
  await vi.waitFor(async () => expect(await watch.page()).toContain("invoice_relay_quarantined 0"), WAIT);
  return watch;
}

/** What shows a trouble on the page of metrics: a line, or what a rule asks. */
export type Sign = string | ((page: string) => boolean);

const isOn = (page: string, sign: Sign) => (typeof sign === "string" ? page.includes(sign) : sign(page));

/** `status`, the admin API and the metrics say that a person is needed, and why. */
export async function saysSo(watch: OnCall, says: RegExp, sign: Sign): Promise<void> {
  await vi.waitFor(async () => {
    const { code, stdout } = await watch.status();
    expect(stdout).toMatch(says);
    expect(code).toBe(1);
    expect(isOn(await watch.page(), sign)).toBe(true);
  }, WAIT);
  expect(await (await watch.admin()).json()).toMatchObject({
    needsPerson: true,
    sentence: expect.stringContaining("A person is needed"),
  });
}

const told = ({ receiver }: OnCall) => receiver.messages.map(({ text }) => text).join("\n");

/** People are told of it, with what to do and where; the runbook has a section about it. */
export async function isTold(watch: OnCall, alarm: string): Promise<void> {
  await vi.waitFor(
    () =>
      expect(told(watch)).toMatch(
        new RegExp(`(CRITICAL|WARNING): .*\\(${alarm}: .*What to do: .* https?://`),
      ),
    WAIT,
  );
  hasRunbook(alarm);
}

/** The runbook has this heading, and says there what to do. */
export function hasRunbook(heading: string): void {
  expect(RUNBOOK).toMatch(new RegExp(`^### ${heading}\\n(?:(?!\\n#)[^])+\\*\\*Do:\\*\\*`, "m"));
}

/** All is well again, and whoever was told of the trouble is told of its end. */
export async function clears(watch: OnCall, alarm: string | null, sign: Sign): Promise<void> {
  await vi.waitFor(async () => {
    const { code, stdout } = await watch.status();
    expect(stdout).toMatch(/^All is well/);
    expect(code).toBe(0);
    expect(isOn(await watch.page(), sign)).toBe(false);
  }, WAIT);
  if (alarm !== null)
    await vi.waitFor(() => expect(told(watch)).toMatch(new RegExp(`OVER: .*\\(${alarm}: `)), WAIT);
}
