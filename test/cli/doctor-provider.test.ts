import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli-process.ts";
import { doctorChecks } from "../support/doctor-checks.ts";
import { startHarness } from "../support/relay.ts";
import { invoiceAnswer, type Script } from "../support/scripted-provider.ts";

const about = "provider of default";

describe("doctor, where a provider answers 404", () => {
  it.each<[string, Script]>([
    ["a page in HTML", { status: 404, body: "<h1>Not Found</h1>", headers: { "content-type": "text/html" } }],
    ["nothing", { status: 404, body: "" }],
    [
      "a gateway's JSON",
      { status: 404, body: { status: 404, message: "no Route matched with those values" } },
    ],
  ])("does not take any web server's for the provider's: %s", async (_, answer) => {
    const harness = await startHarness();
    harness.provider.otherwise(answer);
    const id = randomUUID();
    for (const [environment, asked] of [
      [harness.environment(), "an invoice that does not exist"],
      [harness.environment({ COLLECTION_IDS: id }), `collection ${id}`],
    ] as const)
      expect(await doctorChecks(environment)).toContainEqual({
        about,
        state: "fault",
        says: expect.stringMatching(`^asked for ${asked}, it answers 404 as any web server does`),
      });
  });

  it("takes a bare one from a provider that knows an invoice which is stored", async () => {
    const harness = await startHarness();
    await runCli(["migrate"], { DATABASE_URL: harness.databaseUrl });
    const id = randomUUID();
    await harness.query(
      `insert into invoice (id, source, status, paid_at, asked_at, confirmed_at, digest, document)
        values ($1, 'default', 'Paid', now(), now(), now(), '', '{}')`,
      [id],
    );
    harness.provider.otherwise({ status: 404, body: "" });
    harness.provider.invoice(id, invoiceAnswer(id));
    expect(await doctorChecks(harness.environment())).toContainEqual({
      about,
      state: "ok",
      says: "it answers, and takes the key",
    });
  });
});

it.each([
  [503, "source_failing"],
  [401, "source_paused"],
])(
  "doctor says once that a provider answers %i, however many alarms and collections tell of it",
  async (status, alarm) => {
    const harness = await startHarness();
    harness.provider.otherwise({ status, body: { status, message: "Not now", errors: [] } });
    await runCli(["migrate"], { DATABASE_URL: harness.databaseUrl });
    await harness.query(
      `insert into alarm (name, source, subject, detail)
     select name, 'default', subject, '' from (values ($1, 'default'), ('sweep_failing', 'one'),
       ('certificate_failing', 'default'), ('topic_failing', $2)) as raised (name, subject)`,
      [alarm, harness.topicArn],
    );
    const checks = await doctorChecks(
      harness.environment({ COLLECTION_IDS: [randomUUID(), randomUUID(), randomUUID()].join(",") }),
    );
    const told = checks.filter(({ about: what }) => what === about || what === "status");
    // The topic answers by now, so its alarm is told.
    expect(told).toEqual([
      expect.objectContaining({ about, state: "fault" }),
      { about: "status", state: "warning", says: expect.stringContaining(harness.topicArn) },
    ]);
  },
);
