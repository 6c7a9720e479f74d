import { expect, vi } from "vitest";
import { failedWrite } from "../../src/platform/database/server.ts";
import { startAlarmReceiver } from "./alarm-receiver.ts";
import { runCli } from "./cli-process.ts";
import { startRelay } from "./relay.ts";

const WAIT = { interval: 200 };
const ADMIN = "drill-token-0123456789abcdef";

/** A relay over these settings that does well, and what somebody who watches it has at hand. */
export async function onCall(settings: Record<string, string | undefined>) {
  const receiver = await startAlarmReceiver();
  const environment = { ...settings, ADMIN_TOKENS: ADMIN, ALARM_WEBHOOK_URL: receiver.url };
  const relay = await startRelay(environment);
  const get = (path: string) =>
    fetch(`${relay.opsUrl}${path}`, { headers: { authorization: `Bearer ${ADMIN}` } });
  const status = async () => {
    const { code, stdout } = await runCli(["status", "--json"], environment);
    return { code, ...JSON.parse(stdout) };
  };
  const readyz = async () => (await get("/readyz")).status;
  const isOpen = async (alarm: string) =>
    (await (await get("/metrics")).text()).includes(`invoice_relay_alarms_open{alarm="${alarm}"} 1`);
  const told = (alarm: string) =>
    receiver.messages
      .flatMap(({ alarms }) => alarms.filter(({ name }) => name === alarm))
      .map(({ clearedAt }) => (clearedAt === null ? "open" : "over"));
  await vi.waitFor(async () => expect(await status()).toMatchObject({ code: 0 }), WAIT);
  return {
    relay,
    /**
     * Readiness, `status`, the admin API, the metrics, the log and the webhook say that a person is needed, and why.
     * @param code the SQLSTATE that writes fail with
     */
    async saysSo(alarm: string, code: string) {
      const why = failedWrite(Object.assign(new Error(), { code })).reason;
      const actionItems = expect.arrayContaining([
        expect.objectContaining({ severity: "critical", what: expect.stringContaining(why) }),
      ]);
      await vi.waitFor(async () => {
        expect([await readyz(), await isOpen(alarm)]).toEqual([503, true]);
        expect(await status()).toMatchObject({ code: 1, actionItems });
        expect(told(alarm)).toContain("open");
      }, WAIT);
      expect(await (await get("/admin/v1/status")).json()).toMatchObject({ needsPerson: true, actionItems });
      expect(receiver.messages.map(({ text }) => text).join()).toContain(why);
      expect(relay.lines.filter((line) => line.alarm === alarm)).toMatchObject([
        { level: "error", msg: expect.stringContaining(why) },
      ]);
    },
    /** All is well again, and whoever was told of the trouble is told of its end. */
    async clears(alarm: string) {
      await vi.waitFor(async () => {
        expect([await readyz(), await isOpen(alarm)]).toEqual([200, false]);
        expect(await status()).toMatchObject({ code: 0, needsPerson: false });
        expect(told(alarm).at(-1)).toBe("over");
      }, WAIT);
    },
  };
}
