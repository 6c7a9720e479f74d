import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { operations } from "../../../src/operations/list/list.ts";
import { newId } from "../../../src/platform/values/ids.ts";
import { ADMIN, type AdminApi, adminApi } from "../../support/admin.ts";
import { expectGolden } from "../../support/golden.ts";
import { addConfirmation, wholeDatabase } from "../../support/log-rows.ts";

const ID = "3f1c6a52-1b1e-4c55-9d0a-6f2f6a2b8c11";
const cursor = (...fields: string[]) => Buffer.from(JSON.stringify(fields)).toString("base64url");

/** Ends of a path that no GET is meant by, those that Postgres could not take included. */
const GETS = `
400 /invoices? id=1 id=%ff from=yesterday from=2026-13-01 verdict=great cursor=x limit=100000
400 /invoices? reference=%00 collection=a%00b email=payer1%40example.com dryRun=true
400 /invoices? cursor=${cursor("2026", "x", "y")}
400 /callbacks? verdict=great from=today invoiceId=7 limit=0 cursor=%00 source=%00
400 /callbacks? from=0000-01-01T00:00:00Z cursor=${cursor("99999-99-99 99", ID, "")}
400 / callbacks/%00 invoices/%00 invoices/%ff invoices/${ID}?dryRun=true status?dryRun=true
400 /dead-letters? source=%00 collection=a%00b
400 / audit?before=99999999999999999999
400 /dead-letters? from=0000-01-01T00:00:00Z from=0001-01-01T00:00%2B14:00 to=9999-12-31T23:59-00:01
400 / audit?limit=0x10 reports/payments?from=2026-10-01&to=2026-10-02&collection=%00
400 /certificates/calendar? from=2026-10-02&to=2026-10-01 from=9999-12-31&to=9999-12-31 from=x&to=2026-01-01
400 /certificates/calendar? from=2020-01-01&to=2026-01-01
404 /callbacks/ ${newId()} ${ID} ffffffff-ffff-7fff-bfff-ffffffffffff 00000000-0000-7000-8000-000000000000
404 / invoices/${ID}/evidence nothing certificates/${ID}`;

const POSTS: [status: number, path: string, body?: unknown][] = [
  [400, "/replays", { kind: "everything" }],
  [400, "/replays", { kind: "events", target: { kind: "file", path: "/etc/passwd" } }],
  [400, "/replays", { kind: "events", filters: { invoiceIds: ["1; drop table"] } }],
  [400, "/replays", { kind: "events", filters: { source: "a\0b" } }],
  [400, "/replays", { kind: "confirmations", filters: { collection: "\0" }, dryRun: true }],
  [400, "/replays", { kind: "callbacks", filters: { from: "0000-01-01T00:00:00Z" } }],
  [409, "/replays", { kind: "confirmations", filters: { refused: true } }],
  [400, "/dead-letters/retry", {}],
  [400, "/dead-letters/retry", { ids: [ID], filters: {} }],
  [400, "/dead-letters/retry", { filters: { source: "a\0b" } }],
  [400, "/pause", { work: "everything" }],
  [400, "/pause", { work: "confirm", reason: "half an \ud83d" }],
  [404, "/pause", { work: "publish", source: "nobody" }],
  [400, "/alarms/close", { alarms: [{ name: "invoice_anomaly" }], reason: "a\0b" }],
  [400, "/alarms/close", { alarms: [{ name: "silent_process", subject: "\ud800" }] }],
  [400, "/invoices/1/erase"],
  [400, `/invoices/${ID}/erase?dryRun=true`],
  [404, `/replays/${ID}/cancel`],
  [404, "/nothing", {}],
  [409, "/certify", { from: "2026-11-01", to: "2026-11-02" }],
  [
    409,
    "/replays",
    { kind: "events", target: { kind: "other_topic", topicArn: "arn:aws:sns:us-east-1:000000000000:any" } },
  ],
];

it("a request that cannot be meant is refused, with what is wrong, and changes nothing", async () => {
  const { harness, call } = await adminApi();
  const before = await wholeDatabase(harness);
  const said: string[] = [];
  const asked: [method: string, status: number, path: string, body?: unknown][] = [
    ...[...GETS.matchAll(/^(\d+) (\S+) (.*)$/gm)].flatMap(([, status, path = "", ends = ""]) =>
      ends.split(" ").map((end): [string, number, string] => ["GET", Number(status), path + end]),
    ),
    ...POSTS.map((post) => ["POST", ...post] as [string, number, string, unknown]),
  ];
  for (const [method, status, path, body] of asked) {
    const answer = await call(method, path, body);
    const line = `${method} ${path} ${JSON.stringify(body) ?? ""}`;
    expect({ line, status: answer.status }, answer.body.error).toEqual({ line, status });
    said.push(`${line}\n  ${answer.body.error}`);
  }
  expect(await wholeDatabase(harness)).toEqual(before);
  await expectGolden("admin-api-refusals", said.join("\n"));
});

/** A POST as some client sends it: the body as it is, and this type or none. */
async function post(
  { relay }: AdminApi,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  type?: string,
) {
  const answer = await fetch(`${relay.url}/admin/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN}`, ...(type !== undefined && { "content-type": type }) },
    body,
  });
  return answer.status;
}

it("a body that is not read is refused by every operation: a dry run is never carried out for real", async () => {
  const api = await adminApi();
  await addConfirmation(api.harness);
  const before = await wholeDatabase(api.harness);
  const [dry, form] = ['{"dryRun":true}', "application/x-www-form-urlencoded"];
  for (const { path } of [...operations.filter(({ method }) => method === "post"), { path: "/session" }])
    for (const [body, type] of [
      [dry, form],
      [dry, "text/plain"],
      [dry, "application/merge-patch+json"],
      [dry, "application/json; charset=latin1"],
      ["dryRun=true", form],
      [new TextEncoder().encode(dry), undefined],
    ] as const)
      expect([await post(api, path.replaceAll(/\{\w+\}/g, ID), body, type), path]).toEqual([415, path]);
  const headers = { authorization: `Bearer ${ADMIN}`, "content-encoding": "zstd2" };
  expect((await api.send("POST", "/retention", { headers, body: {} })).status).toBe(415);
  expect(await wholeDatabase(api.harness)).toEqual(before);
});

it("a body may be left out: then all of it has its defaults", async () => {
  const api = await adminApi();
  const id = await addConfirmation(api.harness);
  const authorization = `Bearer ${ADMIN}`;
  for (const headers of [{ authorization }, { authorization, "content-type": "application/json" }])
    expect((await api.send("POST", `/invoices/${id}/erase`, { headers })).status).toBe(200);
});

it("a replay goes to a topic of REPLAY_TOPIC_ARNS and nowhere else, also when it is resumed; it may be cancelled", async () => {
  const [other, mine] = ["other", "mine"].map((name) => `arn:aws:sns:us-east-1:000000000000:${name}`);
  const { harness, call } = await adminApi({ REPLAY_TOPIC_ARNS: mine });
  const start = (topicArn = "", dryRun = false) =>
    call("POST", "/replays", { kind: "events", target: { kind: "other_topic", topicArn }, dryRun });
  for (const dryRun of [true, false]) expect((await start(other, dryRun)).status).toBe(409);
  expect(await harness.query("select from replay")).toEqual([]);
  expect((await start(mine)).status).toBe(200);
  const id = randomUUID();
  await harness.query(
    `insert into replay (id, kind, state, filters, target, rate, matching, requested_by, requested_at, finished_at)
     values ($1, 'events', 'failed', '{}', $2, 1, 1, 'cli:x', now(), now())`,
    [id, { kind: "other_topic", topicArn: other }],
  );
  expect((await call("POST", `/replays/${id}/resume`, {})).status).toBe(409);
  expect(await harness.query("select state from replay where id = $1", [id])).toEqual([{ state: "failed" }]);
  expect((await call("POST", `/replays/${id}/cancel`, {})).status).toBe(200);
});
