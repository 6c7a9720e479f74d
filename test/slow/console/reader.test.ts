import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_TOKENS } from "./console-world.ts";
import { type FullHouse, fillHouse } from "./full-house.ts";
import { Operator } from "./operator.ts";
import { openStand, type Stand } from "./stand.ts";

let stand: Stand;
let house: FullHouse;
beforeAll(async () => {
  stand = await openStand();
  house = await fillHouse(stand.world);
});
afterAll(() => stand?.close());

/** What an operator presses, by the page where it stands. */
const REFUSED: [path: string, buttons: string[]][] = [
  ["attention/dead", ["Retry", "Dismiss"]],
  ["attention/quarantine", ["Release", "Dismiss"]],
  ["attention/anomalies", ["Ask again", "Close"]],
  ["attention/refused", ["Read again"]],
  ["completeness", ["Certify", "Reconcile"]],
  ["replays/new", ["Dry run"]],
  ["settings", ["Pause asking the provider of default", "Resume sending to the topics of default"]],
];

/** The same, as a program posts it. */
const posts = (): [path: string, body: object][] => [
  ["/dead-letters/retry", { ids: [house.deadConfirmation] }],
  ["/dead-letters/dismiss", { filters: {} }],
  ["/quarantine/release", { ids: house.quarantined }],
  ["/quarantine/dismiss", { filters: {} }],
  ["/replays", { kind: "events", filters: {} }],
  ["/replays", { kind: "events", filters: {}, dryRun: true }],
  ["/reconcile", { from: house.gapDay, to: house.gapDay }],
  ["/certify", { from: house.gapDay, to: house.gapDay }],
  ["/pause", { work: "confirm", reason: "x", until: new Date(Date.now() + 60_000).toISOString() }],
  ["/resume", { work: "publish" }],
  [`/invoices/${house.paid[0]}/ask`, {}],
  [`/invoices/${house.paid[0]}/publish`, {}],
  [`/invoices/${house.paid[0]}/erase`, {}],
  ["/retention", { dryRun: false }],
];

describe("whoever may read only", () => {
  it("is shown nothing that acts, and everything else", async () => {
    const reader = await Operator.arrive(stand.browser, stand.world);
    await reader.signIn("read");
    for (const [path, buttons] of REFUSED) {
      await reader.open(path);
      await reader.settle();
      for (const name of buttons)
        expect(await reader.page.getByRole("button", { name, exact: true }).count(), `${path}: ${name}`).toBe(
          0,
        );
      expect(await reader.page.locator("main input[type=checkbox]").count(), path).toBe(0);
    }
    await reader.open("attention/dead");
    await reader.page.getByRole("row").filter({ hasText: "order-refused" }).waitFor();
    expect(reader.complaints).toEqual([]);
    await reader.leave();
  });

  it("is refused with 403 when it is posted by hand, by cookie and by token, and nothing changes", async () => {
    const { world } = stand;
    const reader = await Operator.arrive(stand.browser, world);
    await reader.signIn("read");
    const changes = "select count(*)::int as n from audit_entry where actor like '%ruth%'";
    const acts = await world.query(changes);
    const { csrfToken } = (await reader.page.evaluate(
      "fetch('/admin/v1/session').then((response) => response.json())",
    )) as { csrfToken: string };
    for (const [path, body] of posts()) {
      const byCookie = await reader.page.evaluate(`fetch("/admin/v1${path}", {
        method: "POST",
        headers: { "content-type": "application/json", "x-csrf-token": ${JSON.stringify(csrfToken)} },
        body: ${JSON.stringify(JSON.stringify(body))},
      }).then((response) => response.status)`);
      expect(byCookie, `${path} by cookie`).toBe(403);
      const byToken = await fetch(`${world.url}/admin/v1${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${ADMIN_TOKENS.read}` },
        body: JSON.stringify(body),
      });
      expect(byToken.status, `${path} by token`).toBe(403);
    }
    expect(await world.query(changes)).toEqual(acts);
    await reader.leave();
  });

  it("is not signed in at all with a wrong token, and signed out when asked", async () => {
    const stranger = await Operator.arrive(stand.browser, stand.world);
    await stranger.open("attention/dead");
    await stranger.write(stranger.page.getByLabel("Admin token"), "a-wrong-token-0123456789abc");
    await stranger.press(stranger.page.getByRole("button", { name: "Sign in" }));
    await stranger.page.getByRole("alert").waitFor();
    expect(await stranger.page.getByText("order-refused").count()).toBe(0);
    await stranger.signIn("read");
    await stranger.press(stranger.page.getByRole("button", { name: "Sign out" }));
    await stranger.page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    expect(await stranger.page.evaluate("fetch('/admin/v1/status').then(({ status }) => status)")).toBe(401);
    await stranger.leave();
  });
});
