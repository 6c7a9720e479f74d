import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { NAMES, standHere } from "./console-environment.ts";
import { type FullHistory, fillHistory } from "./full-history.ts";
import type { Operator } from "./operator.ts";

const VERDICT = "select verdict, state from confirmation where invoice_id = $1";
const PUBLISHED = `select count(*)::int as n from event join publication on event_id = event.id
  where invoice_id = $1`;
const REASON = `select actor, detail->>'reason' as reason from audit_entry where action = $1
  order by id desc limit 1`;

/** In the order in which a person does them, who stays signed in. */
describe("by keyboard alone", () => {
  const stand = standHere();
  let history: FullHistory;
  let person: Operator;

  beforeAll(async () => {
    history = await fillHistory(stand.environment);
    await stand.environment.api("POST", "/resume", { work: "publish", reason: "The consumer is deployed." });
    person = await stand.arrive({ hand: "keyboard" });
  });

  afterEach(() => expect(person.complaints).toEqual([]));

  const audited = (action: string, reason: string) =>
    stand.environment.until(REASON, [action], [{ actor: `admin:${NAMES.operate}`, reason }]);

  it("one signs in, and a payment comes through live", async () => {
    const { environment } = stand;
    await person.signIn("operate");
    const id = await environment.invoice("live-17");
    await environment.pay(id);
    await person.page.getByText("live-17").first().waitFor();
  });

  it("one finds a payment by its reference, and opens its story", async () => {
    const { page } = person;
    await person.visit("Payments");
    await person.write(page.getByRole("searchbox"), "order-2");
    await page.keyboard.press("Enter");
    await person.press(page.getByRole("row").getByRole("link", { name: /order-2/ }));
    await page.waitForURL(`**/console/payments/${history.paid[1]}`);
    await page
      .getByText(/invoice\.paid/)
      .first()
      .waitFor();
  });

  it("one is led from a payment, and from an alarm, to where somebody decides", async () => {
    const { page } = person;
    await person.visit("Payments");
    await person.write(page.getByRole("searchbox"), "order-foreign-2");
    await page.keyboard.press("Enter");
    await person.press(page.getByRole("row").getByRole("link", { name: /order-foreign-2/ }));
    await person.press(page.getByRole("link", { name: "Open in quarantine" }));
    await page.waitForURL(`**/console/attention/quarantine/${history.quarantined[1]}`);
    await page.getByRole("button", { name: "Release" }).waitFor();
    await person.visit("Attention");
    await person.press(page.getByRole("link", { name: "Alarms" }));
    const alarm = rowOf(page, "A confirmation was given up");
    await person.press(alarm.getByRole("link"));
    await page.waitForURL(`**/console/attention/dead/${history.deadConfirmation}`);
    await page.getByRole("button", { name: "Retry" }).waitFor();
    await page.locator(".badge").getByText("dead letter").waitFor();
  });

  it("one releases a payment from quarantine, and it is published", async () => {
    const { page } = person;
    const [released = "", other = ""] = history.quarantined;
    await person.visit("Attention");
    await person.press(page.getByRole("link", { name: "Quarantine" }));
    await person.choose(rowOf(page, "order-foreign-1").getByRole("checkbox"));
    await person.press(page.getByRole("button", { name: "Release", exact: true }));
    await person.confirm("Release", "It is our new collection.");
    await stand.environment.until(PUBLISHED, [released], [{ n: 1 }]);
    await audited("quarantine.release", "It is our new collection.");
    await rowOf(page, "order-foreign-1").waitFor({ state: "detached" });
    await stand.environment.until(VERDICT, [other], [{ verdict: "quarantined", state: "done" }]);
  });

  it("one retries every dead letter that is shown, and all are published", async () => {
    const { page } = person;
    await person.press(page.getByRole("link", { name: "Dead letters" }));
    // Of the one that was never confirmed nothing is known but its id.
    await rowOf(page, history.deadConfirmation.slice(0, 8)).waitFor();
    await rowOf(page, "order-refused").waitFor();
    await person.choose(page.getByRole("checkbox", { name: "Choose all that are shown" }));
    await person.press(page.getByRole("button", { name: "Retry", exact: true }));
    await person.confirm("Retry 2", "The provider is back.");
    for (const id of [history.deadConfirmation, history.deadEvent])
      await stand.environment.until(PUBLISHED, [id], [{ n: 1 }]);
    await audited("dead.retry", "The provider is back.");
    await page.getByText("No dead letters.").waitFor();
  });

  it("one sees what a replay would take before it runs, and follows it to its end", async () => {
    const { page } = person;
    const before = stand.environment.sns.messages(stand.environment.otherTopicArn).length;
    await person.visit("Replays");
    await person.press(page.getByRole("link", { name: "New replay" }));
    await person.select(page.getByLabel("To the topic"), stand.environment.otherTopicArn);
    await person.press(page.getByRole("button", { name: "Dry run" }));
    const found = await page.getByRole("heading", { name: /It would take \d+ events/ }).textContent();
    expect(stand.environment.sns.messages(stand.environment.otherTopicArn)).toHaveLength(before);
    await person.press(page.getByRole("button", { name: "Start the replay" }));
    await person.confirm("Start the replay", "The copy was lost.");
    const count = Number(/\d+/.exec(found ?? "")?.[0]);
    await page.getByText(`${count} of ${count}`).waitFor();
    await page.locator(".badge").getByText("done").waitFor();
    expect(stand.environment.sns.messages(stand.environment.otherTopicArn)).toHaveLength(before + count);
    await audited("replay.start", "The copy was lost.");
  });

  it("one stops a replay, and lets it go on", async () => {
    const { page } = person;
    const { replay } = await stand.environment.api("POST", "/replays", {
      kind: "events",
      filters: {},
      rate: 1,
    });
    await person.visit("Replays");
    await person.press(page.getByRole("row").filter({ hasText: "running" }).getByRole("link"));
    await person.press(page.getByRole("button", { name: "Stop" }));
    await person.confirm("Stop", "Not now.");
    await stand.environment.until(
      "select state from replay where id = $1",
      [replay.id],
      [{ state: "cancelled" }],
    );
    await person.press(page.getByRole("button", { name: "Resume" }));
    await person.confirm("Resume", "Now.");
    await stand.environment.until(
      "select state from replay where id = $1",
      [replay.id],
      [{ state: "running" }],
    );
  });

  it("one sees a gap in the calendar, closes it with reconcile, and proves it", async () => {
    const { page } = person;
    await person.visit("Completeness");
    await page.getByText(/2 payments are missing/).waitFor();
    await person.press(page.getByRole("link", { name: "2 missing, 5,000.50" }));
    await page.getByRole("row").filter({ hasText: "no callback named it" }).first().waitFor();
    expect(await page.getByRole("row").filter({ hasText: "2,500.25" }).count()).toBe(2);
    await person.press(page.getByRole("button", { name: "Reconcile" }));
    await person.confirm("Reconcile", "Their callbacks never came.");
    await page.getByText(/2 missing; 2 asked about now/).waitFor();
    for (const id of history.missed) await stand.environment.until(PUBLISHED, [id], [{ n: 1 }]);
    await person.press(page.getByRole("button", { name: "Certify" }));
    await page.getByText("Equal: every payment of the period came through.").waitFor();
    await page
      .locator(".badge")
      .getByText(/complete, \d+ paid/)
      .waitFor();
    await person.press(page.getByRole("link", { name: "Completeness", exact: true }).last());
    await page.getByText(/All is complete/).waitFor();
  });

  it("one pauses with a reason and an end, and both are written down", async () => {
    const { page } = person;
    await person.visit("Settings & audit");
    await person.press(page.getByRole("button", { name: "Pause asking the provider of default" }));
    await person.select(page.getByLabel("Ends"), "15 minutes");
    await person.confirm("Pause", "Their deploy.");
    const row = page.getByRole("listitem").filter({ hasText: "Their deploy." });
    await row.getByText(/until/).waitFor();
    const [paused] = await stand.environment.query<{ minutes: number }>(
      "select extract(epoch from paused_until - now())::int / 60 as minutes from source where name = 'default'",
    );
    expect(paused?.minutes).toBeGreaterThanOrEqual(13);
    expect(paused?.minutes).toBeLessThanOrEqual(15);
    await person.press(page.getByRole("link", { name: "Audit log" }));
    const entry = page.getByRole("row").filter({ hasText: "pause.confirm" }).first();
    await entry.getByText("Their deploy.").waitFor();
    await entry.getByText(`admin:${NAMES.operate}`).waitFor();
  });

  it("one is led from the headline to what waits for the provider, and a search says that it waits", async () => {
    const { page } = person;
    const id = await stand.environment.invoice("waits-for-their-deploy", { payerName: "Ngozi Okafor" });
    await stand.environment.pay(id);
    await person.visit("Now");
    await person.keep(`now-held-up`);
    await person.press(page.getByRole("link", { name: "Open what is being confirmed" }));
    await rowOf(page, id.slice(0, 8)).getByText("being confirmed").waitFor();
    await person.keep(`payments-waiting`);
    await person.visit("Payments");
    await person.write(page.getByRole("searchbox"), "Ngozi Okafor");
    await page.keyboard.press("Enter");
    await page.getByText(/payments? of source default waits? .*Their deploy/).waitFor();
    await person.keep(`search-finds-nothing`);
    await person.press(page.getByRole("link", { name: "Show what waits" }));
    await rowOf(page, id.slice(0, 8)).waitFor();
  });
});

const rowOf = (page: Operator["page"], text: string) => page.getByRole("row").filter({ hasText: text });
