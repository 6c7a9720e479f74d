import { beforeAll, describe, expect, it } from "vitest";
import type { Operator } from "./operator.ts";
import { standHere } from "./stand.ts";

const stand = standHere();

// Until 01:00 UTC the relay makes none for today.
beforeAll(async () => {
  await stand.environment.query(
    `insert into certificate (id, source, day, window_from, window_to, collection_ids, state, finished_at, result,
       gaps, document)
     select gen_random_uuid(), 'default', day, day - 30, day, '{}', 'done', now(), 'equal', 0, '{}'
     from (select (now() at time zone 'UTC')::date - 1 as day) as yesterday`,
  );
});

/** The page's streams are kept, so that a test can speak on them, and keep them from being heard. */
const HELD_STREAMS = `(() => {
  const Real = window.EventSource;
  window.streams = [];
  window.EventSource = class extends Real {
    constructor(url) {
      super(url);
      window.streams.push(this);
    }
    addEventListener(name, listener) {
      super.addEventListener(name, (event) => {
        if (!window.isDeaf || event.isOurs) listener(event);
      });
    }
  };
})()`;

const deafen = (isDeaf: boolean) => `window.isDeaf = ${isDeaf}`;

/** Sends an event down the page's stream. */
const say = (name: string, data: unknown) => `(() => {
  const event = new MessageEvent("${name}", { data: ${JSON.stringify(JSON.stringify(data))} });
  event.isOurs = true;
  window.streams.at(-1).dispatchEvent(event);
})()`;

/** The words that stand in green in the main part of the page. */
const GREEN = `(() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--good)";
  const green = getComputedStyle(probe).color;
  probe.remove();
  const shown = [...document.querySelectorAll("main *")].filter((one) => getComputedStyle(one).color === green);
  return shown.map((one) => one.textContent);
})()`;

async function arrive(): Promise<Operator> {
  const person = await stand.arrive();
  await person.page.addInitScript(HELD_STREAMS);
  await person.page.clock.install();
  await person.signIn("read");
  await person.settle();
  return person;
}

const headlineIn = ({ page }: Operator) => page.getByRole("region", { name: "How it does" });

describe("the console is never green without fresh proof", () => {
  it("and ages and ends go by the relay's clock, where the browser's is a day off", async () => {
    const person = await stand.arrive();
    const { page } = person;
    await page.clock.install({ time: Date.now() - 86_400_000 });
    await person.signIn("operate");
    await person.settle();
    await person.visit("Settings & audit");
    await person.press(page.getByRole("button", { name: "Pause" }).first());
    await person.select(page.getByLabel("Ends"), "1 hour");
    await person.confirm("Pause", "The clock is wrong.");
    const paused = `select count(*)::int as n from source
      where paused_until between now() + interval '55 minutes' and now() + interval '65 minutes'`;
    await stand.environment.until(paused, [], [{ n: 1 }]);
    await person.press(page.getByRole("button", { name: "Resume" }).first());
    await person.confirm("Resume", "Seen.");
    await person.leave();
  });

  it("when the relay has said nothing for 15 s, and is green again as soon as it does", async () => {
    const person = await arrive();
    const { page } = person;
    await headlineIn(person)
      .getByText(/All is well/)
      .waitFor();
    await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
    await page.evaluate(deafen(true));
    await page.clock.fastForward(20_000);
    await headlineIn(person)
      .getByText(/Not known since \d\d:\d\d:\d\d/)
      .waitFor();
    await headlineIn(person)
      .getByText(/has sent nothing since then/)
      .waitFor();
    expect(await headlineIn(person).getAttribute("class")).toContain("is-bad");
    expect(await page.getByText(/All is well/).count()).toBe(0);
    expect(await page.evaluate(GREEN)).toEqual([]);
    await page.getByRole("status").getByText("Not live").waitFor();
    await person.keep("not-known");
    // Nothing closed it, so the browser takes it for open: another one is tried.
    await page.clock.fastForward(20_000);
    await page.waitForFunction("window.streams.length > 1");
    await page.evaluate(deafen(false));
    await headlineIn(person)
      .getByText(/All is well/)
      .waitFor();
    await person.leave();
  });

  it("when the relay tells that it cannot read, on Now and on Attention, until it can", async () => {
    const person = await arrive();
    const { page } = person;
    const sentence = "The database does not answer.";
    await page.evaluate(deafen(true));
    await page.evaluate(say("trouble", { what: "status", since: "2026-11-22T03:00:00.000Z", sentence }));
    await headlineIn(person).getByText("Not known since 22 Nov, 04:00:00.").waitFor();
    await headlineIn(person).getByText(sentence).waitFor();
    await person.keep("trouble-told");
    await person.visit("Attention");
    await page.locator(".page-says").getByText("Not known since 22 Nov, 04:00:00.").waitFor();
    await page.evaluate(deafen(false));
    await page
      .locator(".page-says")
      .getByText(/All is well/)
      .waitFor();
    await person.leave();
  });
});

describe("a page that breaks", () => {
  it("says so, leaves the way to the others, and is whole when it is come back to", async () => {
    const person = await arrive();
    const { page } = person;
    await page.route("**/admin/v1/settings", (route) => route.fulfill({ json: {} }));
    await person.open("settings");
    await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor();
    await person.keep("broken-page");
    await page.unroute("**/admin/v1/settings");
    await person.visit("Payments");
    await person.visit("Settings & audit");
    await page.getByRole("heading", { name: "All settings" }).waitFor();
    await person.leave();
  });
});
