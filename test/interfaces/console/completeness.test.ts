import { describe, expect, it } from "vitest";
import { adminApi, fits, OPERATOR } from "../../support/admin.ts";
import { addCertificate } from "../../support/certificates.ts";
import type { Harness } from "../../support/relay.ts";

const COLLECTION = "6f1f6f1e-0000-4000-8000-000000000001";
const OTHER = "6f1f6f1e-0000-4000-8000-000000000002";

const tally = (count: number) => ({ count, amount: `${count}.50` });
const NONE = { count: 0, amount: "0.00" };

const add = (harness: Harness, given: Parameters<typeof addCertificate>[1]) =>
  addCertificate(harness.databaseUrl, { collections: [COLLECTION], ...given });

describe("the calendar of completeness", () => {
  it("says of each day what the newest certificate that covers it says: equal, or what is missing", async () => {
    const { harness, call } = await adminApi({ COLLECTION_IDS: COLLECTION });
    const wide = await add(harness, {
      ...{ from: "2026-10-01T00:00:00Z", to: "2026-10-04T00:00:00Z", madeAt: "2026-10-04T01:00:00Z" },
      result: "not_equal",
      days: [
        { day: "2026-10-01", paid: 3, published: 3 },
        { day: "2026-10-02", paid: 5, published: 3, missing: { count: 2, amount: "150.25" } },
        // What differs is not among the named ones.
        { day: "2026-10-03", paid: 2, published: 2, differences: 1 },
      ],
      differences: [
        { day: "2026-10-02", weight: "gap", amount: "100.25" },
        { day: "2026-10-02", weight: "gap", amount: "50" },
        { day: "2026-10-01", weight: "note", amount: null },
      ],
    });
    const ask = async () => {
      const { status, body } = await call("GET", "/certificates/calendar?from=2026-09-30&to=2026-10-04");
      expect(status, JSON.stringify(body)).toBe(200);
      fits("readCalendar", body);
      return body.days;
    };
    expect(await ask()).toMatchObject([
      { day: "2026-10-01", result: "equal", certificateId: wide, paid: tally(3), missing: { count: 0 } },
      { day: "2026-10-02", result: "not_equal", missing: { count: 2, amount: "150.25" }, differences: 0 },
      { day: "2026-10-03", result: "not_equal", missing: { count: 0 }, differences: 1 },
    ]);
    const healed = await add(harness, {
      ...{ from: "2026-10-02T00:00:00Z", to: "2026-10-03T00:00:00Z", madeAt: "2026-10-05T01:00:00Z" },
      days: [{ day: "2026-10-02", paid: 5, published: 5 }],
    });
    // A part of a day, a part of the collections, one of another source: none of them covers a day.
    await add(harness, {
      ...{ from: "2026-10-01T12:00:00Z", to: "2026-10-02T00:00:00Z", madeAt: "2026-10-06T01:00:00Z" },
      days: [],
      collections: [COLLECTION, OTHER],
    });
    await add(harness, {
      ...{ from: "2026-10-01T00:00:00Z", to: "2026-10-04T00:00:00Z", madeAt: "2026-10-06T01:00:00Z" },
      days: [],
      collections: [OTHER],
    });
    expect(await ask()).toMatchObject([
      { day: "2026-10-01", certificateId: wide },
      { day: "2026-10-02", result: "equal", certificateId: healed, missing: NONE },
      { day: "2026-10-03", certificateId: wide },
    ]);
    await add(harness, {
      ...{ from: "2026-10-03T00:00:00Z", to: "2026-10-04T00:00:00Z", madeAt: "2026-10-07T01:00:00Z" },
      result: "refused",
      days: [],
    });
    expect((await ask())[2]).toMatchObject({ day: "2026-10-03", result: "refused" });
    await harness.query("insert into source (name) values ('quiet')");
    const { body } = await call("GET", "/certificates/calendar?from=2026-10-01&to=2026-10-04&source=quiet");
    expect(body.days).toEqual([]);
  });
});

describe("a certificate", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      day: n % 2 === 0 ? "2026-10-01" : "2026-10-02",
      weight: n < 600 ? "gap" : "note",
      amount: "1",
    }));

  it("opens to its differences by name, day by day, page by page", async () => {
    const { harness, call } = await adminApi({ COLLECTION_IDS: COLLECTION });
    const id = await add(harness, {
      ...{ from: "2026-10-01T00:00:00Z", to: "2026-10-03T00:00:00Z", madeAt: "2026-10-04T01:00:00Z" },
      ...{ result: "not_equal", days: [], differences: many(1_200) },
    });
    const first = await call("GET", `/certificates/${id}?limit=500`);
    fits("showCertificate", first.body);
    expect(first.body).toMatchObject({ certificate: { id, gaps: 600 }, matching: 1_200, next: 500 });
    expect(first.body.certificate.differences).toBeUndefined();
    const second = await call("GET", `/certificates/${id}?limit=500&after=500`);
    const last = await call("GET", `/certificates/${id}?limit=500&after=1000`);
    expect(last.body).toMatchObject({ next: null });
    const all = [first, second, last].flatMap(({ body }) => body.differences);
    expect(new Set(all.map(({ invoiceId }) => invoiceId)).size).toBe(1_200);
    const day = await call("GET", `/certificates/${id}?day=2026-10-02&weight=note&limit=500`);
    expect(day.body).toMatchObject({ matching: 300, next: null });
    const none = await call("GET", `/certificates/${id}?day=2026-10-09`);
    expect(none.body).toMatchObject({ matching: 0, differences: [], next: null });
  });

  it("is listed by period, source and result", async () => {
    const { harness, call } = await adminApi({ COLLECTION_IDS: COLLECTION });
    const of = (from: string, to: string, more = {}) =>
      add(harness, { from, to, madeAt: to, days: [], ...more });
    const october = await of("2026-10-01T00:00:00Z", "2026-10-05T00:00:00Z");
    const november = await of("2026-11-01T00:00:00Z", "2026-11-05T00:00:00Z", {
      result: "refused",
      collections: [OTHER],
    });
    const list = async (query: string) => {
      const { body } = await call("GET", `/certificates?${query}`);
      fits("listCertificates", body);
      return body.certificates.map(({ id }: { id: string }) => id);
    };
    expect(await list("")).toEqual([november, october]);
    expect(await list("to=2026-10-01")).toEqual([october]);
    expect(await list("from=2026-10-04&to=2026-10-31")).toEqual([october]);
    expect(await list("from=2026-10-05&to=2026-10-31")).toEqual([]);
    expect(await list("result=refused")).toEqual([november]);
    await harness.query("insert into source (name) values ('quiet')");
    expect(await list("source=quiet")).toEqual([]);
  });
});

describe("certify and reconcile over HTTP", () => {
  it("say why the provider refuses, and a reconcile is audited with its reason", async () => {
    const { send, call } = await adminApi({ COLLECTION_IDS: COLLECTION });
    const headers = { authorization: `Bearer ${OPERATOR}` };
    const body = { from: "2026-10-01", to: "2026-10-02", reason: "drill" };
    const done = await send("POST", "/reconcile", { headers, body });
    expect(done).toMatchObject({ status: 409, body: { code: "failed" } });
    const bad = await send("POST", "/reconcile", { headers, body: { from: "x" } });
    expect(bad).toMatchObject({ status: 400, body: { error: expect.stringContaining("from") } });
    const { body: audit } = await call("GET", "/audit?action=reconcile");
    expect(audit.entries).toMatchObject([{ actor: "admin:obi", detail: { reason: "drill" } }]);
  });
});
