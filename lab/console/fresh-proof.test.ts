import { beforeAll, describe, expect, it } from "vitest";
import { standHere } from "./console-environment.ts";
import type { Operator } from "./operator.ts";

const stand = standHere();

// Until 01:00 UTC the relay makes no certificate for today, and the next sweep is a day ahead.
beforeAll(async () => {
  await stand.environment.query("update sweep set finished_at = now() where state = 'done'");
  await stand.environment.query(
    `insert into certificate (id, source, day, window_from, window_to, collection_ids, state, finished_at, result,
       gaps, document)
     select gen_random_uuid(), 'default', day, day - 30, day, '{}', 'done', now(), 'equal', 0, '{}'
     from (select (now() at time zone 'UTC')::date - 1 as day) as yesterday`,
  );
});

/** The page's streams are kept, so that a test can keep them from being heard. */
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
        if (!window.isDeaf) listener(event);
      });
    }
  };
})()`;

const deafen = (isDeaf: boolean) => `window.isDeaf = ${isDeaf}`;

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
