import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runOn } from "../../faults/world/postgres-server.ts";
import { call, startTestService, type TestService } from "./service-fixture.ts";

/** Attempts under way: all ten of twenty invoices. More connections at once than a listener's queue holds are reset. */
const AT_ONCE = 200;

describe("an invoice ends in one state", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ faults: { callback: { never: true } } });
  });
  afterAll(() => service.close());

  const rows = () =>
    runOn<{ id: string }>(
      service.database.url,
      `select i.id, i.status, (select count(*)::int from collection_service.delivery d
        where d.invoice_id = i.id) as callbacks
      from collection_service.invoice i`,
    );

  it("whatever 1,000 attempts to pay and to invalidate, 200 at once, do to 100 invoices; one callback a payment", async () => {
    const ids = await Promise.all(
      Array.from({ length: 100 }, () =>
        service.create({ callBackUrl: "https://merchant.example/callbacks" }),
      ),
    );
    const attempts = Array.from({ length: 1_000 }, (_, nth) => ({
      id: ids[Math.floor(nth / 10)] ?? "",
      how: (["page", "invalidate", "control"] as const)[(nth + Math.floor(nth / 10)) % 3] ?? "page",
    }));
    const attempt = async ({ id, how }: (typeof attempts)[number]) => {
      if (how === "invalidate") {
        const { status } = await service.api("POST", `/api/v1/invoices/${id}/invalidate`);
        return { id, won: status === 200, to: "Invalidated", status };
      }
      if (how === "control") {
        const { status } = await service.control("POST", `/invoices/${id}/pay`);
        return { id, won: status === 200, to: "Paid", status };
      }
      const response = await fetch(`${service.url}/pay/${id}`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ method: "Card" }),
      });
      await response.text();
      return { id, won: response.status === 303, to: "Paid", status: response.status };
    };
    const outcomes: Awaited<ReturnType<typeof attempt>>[] = [];
    const left = attempts.values();
    const payer = async () => {
      for (const one of left) outcomes.push(await attempt(one));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, payer));

    const winners = outcomes.filter((outcome) => outcome.won);
    expect(new Set(winners.map((winner) => winner.id)).size).toBe(100);
    expect(winners).toHaveLength(100);
    expect(new Set(outcomes.filter((outcome) => !outcome.won).map((outcome) => outcome.status))).toEqual(
      new Set([409, 412]),
    );
    const ended = new Map((await rows()).map((row) => [row.id, row]));
    for (const { id, to } of winners)
      expect(ended.get(id)).toEqual({ id, status: to, callbacks: to === "Paid" ? 1 : 0 });
    expect(new Set(winners.map((winner) => winner.to)).size).toBe(2);
  });

  it("and an expired one can neither be paid nor invalidated, in any way", async () => {
    const id = await service.create();
    await service.control("POST", `/invoices/${id}/expire`);
    expect((await service.control("POST", `/invoices/${id}/pay`)).status).toBe(412);
    expect((await service.api("POST", `/api/v1/invoices/${id}/invalidate`)).status).toBe(412);
    const posted = await call(`${service.url}/pay/${id}`, "POST", "method=Card", {
      "content-type": "application/x-www-form-urlencoded",
    });
    expect(posted.status).toBe(409);
    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data).toMatchObject({ status: "Invalidated", paymentDate: null });
  });
});
