import { expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../../src/platform/log/log.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { WakeUps } from "../../../src/platform/worker/wake-up.ts";
import { openSession, ownDatabaseUrl } from "../../support/database.ts";

const NOW = 0;
const never = new AbortController().signal;

async function setting() {
  const url = await ownDatabaseUrl();
  const process = async () => {
    const wakeUps = new WakeUps({ url: new Secret(url), log: createLogger({ level: "silent" }) });
    await wakeUps.start();
    onTestFinished(() => wakeUps.stop());
    // Whoever connects looks for work once.
    for (const signal of Object.values(wakeUps.signals)) await signal.wait(NOW, never);
    return wakeUps;
  };
  const heard: string[] = [];
  const listener = await openSession(url);
  listener.on("notification", ({ payload = "" }) => void heard.push(payload.split(" ")[1] ?? ""));
  await listener.query("listen invoice_relay");
  return { url, process, heard };
}

it("a wake-up is there at once in its own process, and comes to the others", async () => {
  const { process } = await setting();
  const [here, there] = [await process(), await process()];
  here.wake("confirm");
  expect(await here.signals.confirm.wait(NOW, never)).toBe(true);
  await vi.waitFor(async () => expect(await there.signals.confirm.wait(NOW, never)).toBe(true));
  expect(await there.signals.publish.wait(NOW, never)).toBe(false);
});

it("a wake-up is told with others in one message: a thousand at a time are two", async () => {
  const { process, heard } = await setting();
  const here = await process();
  for (let n = 0; n < 1_000; n += 1) here.wake("confirm");
  here.wake("publish");
  await vi.waitFor(() => expect(heard).toContain("publish"));
  expect(heard).toEqual(["confirm", "confirm", "publish"]);
  // Also when it follows closely, of whatever work.
  for (const work of ["confirm", "publish", "reconcile"] as const) {
    heard.length = 0;
    here.wake(work);
    await vi.waitFor(() => expect(heard).toEqual([work]));
  }
});

it("a wake-up that came while there was no connection is told once there is one", async () => {
  const { url, process, heard } = await setting();
  const here = await process();
  const other = await openSession(url);
  await other.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'invoice-relay wake-up' and datname = current_database()",
  );
  here.wake("confirm");
  here.wake("publish");
  await vi.waitFor(() => expect(heard).toContain("publish"));
});
