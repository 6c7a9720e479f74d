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
    await person.visit("Payments");
    const id = await environment.invoice("live-17");
    await environment.pay(id);
    await person.page.getByText("live-17").first().waitFor();
  });

  it("one finds a payment by its reference, and opens its story", async () => {
    const { page } = person;
    await person.visit("Payments");
    await person.write(page.getByLabel("Reference"), "order-2");
    await page.keyboard.press("Enter");
    await person.press(page.getByRole("row").getByRole("link", { name: /order-2/ }));
    await page.waitForURL(`**/console/payments/${history.paid[1]}`);
    await page
      .getByText(/invoice\.paid/)
      .first()
      .waitFor();
  });

  it("one releases a payment from quarantine, and it is published", async () => {
    const { page } = person;
    const [released = "", other = ""] = history.quarantined;
    await person.visit("Attention");
    await person.press(page.getByRole("link", { name: /^Quarantine/ }));
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

  it("one sees a gap among the days, closes it with reconcile, and proves it", async () => {
    const { page } = person;
    await person.visit("Completeness");
    await page.getByText(/1 day needs a look/).waitFor();
    await person.press(rowOf(page, "2 missing, 5,000.50").getByRole("link"));
    await page.getByRole("row").filter({ hasText: "no callback named it" }).first().waitFor();
    expect(await page.getByRole("row").filter({ hasText: "2,500.25" }).count()).toBe(2);
    await person.press(page.getByRole("button", { name: "Reconcile" }));
    await person.confirm("Reconcile", "Their callbacks never came.");
    await page.getByText(/2 missing; 2 asked about now/).waitFor();
    for (const id of history.missed) await stand.environment.until(PUBLISHED, [id], [{ n: 1 }]);
    await person.press(page.getByRole("button", { name: "Certify" }));
    await page.getByRole("dialog").getByRole("button", { name: "Certify" }).click();
    await page.getByText("default: equal.").waitFor();
    await page
      .locator(".badge")
      .getByText(/complete, \d+ paid/)
      .waitFor();
    await person.press(page.getByRole("link", { name: "Back to Completeness" }));
    await page.getByText(/All is complete/).waitFor();
  });
});

const rowOf = (page: Operator["page"], text: string) => page.getByRole("row").filter({ hasText: text });
