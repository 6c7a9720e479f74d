import { randomBytes, randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { migrateToLatest } from "../../src/database/migrate.ts";
import { Secret } from "../../src/kit/secret.ts";
import { dayOf } from "../../src/kit/time.ts";
import { type DebianCluster, newCluster } from "../faults/world/debian-cluster.ts";
import { makeDatabase, onDatabase, runOn } from "../faults/world/postgres-server.ts";
import { runCli } from "../support/cli-process.ts";
import { EVENTS } from "../support/events.ts";
import { eventually, toEqual, toMatchObject } from "../support/eventually.ts";
import { surroundings, TOKEN } from "../support/relay.ts";
import { startRelayProcess } from "../support/relay-process.ts";
import { emptyCollection, invoiceAnswer, unpaidAnswer } from "../support/scripted-provider.ts";

/** By how much each clock steps; CLOCK_STEPS=all has each make all of them. */
const STEPS = { Postgres: ["+1d"], "the relay": ["-10m"] };
const ALL = ["+2m", "-2m", "+10m", "-10m", "+1h", "-1h", "+1d", "-1d", "+40d", "-40d"];

/** What G11 allows, in ms. */
const SOON = { timeout: 30_000 };

const COLLECTION = "c0113c70-0000-4000-8000-00000000000a";

/** A time of day that can be set while the processes run that have it. */
interface SettableClock {
  /** For these processes: Debian's libfaketime, which leaves the monotonic clock alone. */
  readonly environment: Readonly<Record<string, string>>;
  /** @param by from the true time, such as `-10m` or `+1d`; read within a second. */
  set(by: string): Promise<void>;
}

async function settableClock(folder: string): Promise<SettableClock> {
  const file = join(folder, "clock");
  const set = (by: string) => writeFile(file, by, { mode: 0o644 });
  await set("+0");
  return {
    set,
    environment: {
      LD_PRELOAD: "/usr/$LIB/faketime/libfaketimeMT.so.1",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_DISABLE_SHM: "1",
    },
  };
}

let folder: string;
let cluster: DebianCluster;
let serverUrl: string;
let clocks: Record<"Postgres" | "the relay", SettableClock>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "invoice-relay-clocks-"));
  await chmod(folder, 0o711);
  const own = await mkdtemp(join(folder, "relay-"));
  clocks = { Postgres: await settableClock(folder), "the relay": await settableClock(own) };
  const password = randomBytes(18).toString("base64url");
  cluster = await newCluster(join(folder, "server"), password, clocks.Postgres.environment);
  await cluster.start();
  serverUrl = `postgres://postgres:${password}@127.0.0.1:${cluster.port}/postgres`;
});
afterAll(async () => {
  if (await cluster.isRunning()) await cluster.stop("immediate");
  await rm(folder, { recursive: true, force: true });
});

/** A relay over a database whose clock can be set, as its own can; served for days, with an empty list. */
async function atWork() {
  const name = await makeDatabase(serverUrl);
  const url = onDatabase(serverUrl, name);
  const { db, close } = connect(new Secret(url), { max: 1 });
  await migrateToLatest(db, "relay");
  await close();
  const query = <Row extends object>(text: string) => runOn<Row & Record<string, unknown>>(url, text);
  await query("insert into source (name, first_served_at) values ('default', now() - interval '5 days')");
  const around = await surroundings();
  around.provider.otherwise(emptyCollection("Term 1"));
  const environment = around.environment({
    DATABASE_URL: url,
    COLLECTION_IDS: COLLECTION,
    CONFIRM_RATE_PER_SECOND: "50",
    RECONCILE_INTERVAL: "5s",
    ...clocks["the relay"].environment,
  });
  const relay = await startRelayProcess(environment);
  const ids: string[] = [];
  const pay = async (...paidAfter: "unpaid"[]) => {
    const id = randomUUID();
    ids.push(id);
    const paid = invoiceAnswer(id, { collectionName: "Term 1" });
    around.provider.invoice(id, ...paidAfter.map(() => unpaidAnswer(id, { collectionName: "Term 1" })), paid);
    const body = JSON.stringify({ data: { id } });
    expect((await fetch(`${relay.url}/callbacks/${TOKEN}`, { method: "POST", body })).status).toBe(200);
  };
  const published = async () =>
    (await query<{ id: string }>(`select invoice_id as id from ${EVENTS} where state = 'published'`))
      .map(({ id }) => id)
      .sort();
  onTestFinished(async () => {
    await relay.end("SIGTERM");
    await runOn(serverUrl, `drop database ${name} with (force)`);
  });
  return { environment, pay, published, query, ids: () => ids.toSorted() };
}

describe.each(["Postgres", "the relay"] as const)("the clock of %s steps", (whose) => {
  it.each(process.env.CLOCK_STEPS === "all" ? ALL : STEPS[whose])(
    "by %s: all is published within 30 s, and no day is certified that is not over (G10, G11)",
    async (by) => {
      const clock = clocks[whose];
      // Under way it steps there, and back again.
      await clock.set("+0");
      const { environment, pay, published, query, ids } = await atWork();
      await pay();
      await eventually(published, toEqual(ids()), SOON);

      for (const offset of [by, "+0"]) {
        await pay("unpaid");
        await pay("unpaid", "unpaid");
        await clock.set(offset);
        // Each process reads the time anew within a second or so.
        const seen = await query<{ now: Date }>("select clock_timestamp() as now");
        expect(seen).toHaveLength(1);
        await pay();
        await pay("unpaid");
        await eventually(published, toEqual(ids()), SOON);

        const today = dayOf(Date.now());
        // While Postgres' processes disagree about the time, a lease may look lost: then it is to be asked again.
        await eventually(
          async () => {
            const certify = ["certify", "--from", today, "--to", today, "--json"];
            return JSON.parse((await runCli(certify, environment)).stdout);
          },
          toMatchObject([{ result: "refused" }]),
          SOON,
        );
      }
      await eventually(
        () => query("select name from alarm where name = 'clock_stepped' group by 1"),
        toEqual([{ name: "clock_stepped" }]),
        SOON,
      );
      expect(await query("select 1 from confirmation where state <> 'done'")).toEqual([]);
      expect(
        await query("select 1 from certificate where result = 'equal' and window_to > clock_timestamp()"),
      ).toEqual([]);
    },
  );
});
