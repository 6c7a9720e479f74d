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
  await person.page.clock.install();
  await person.signIn("read");
  await person.settle();
  return person;
}

const headlineIn = ({ page }: Operator) => page.getByRole("region", { name: "How it does" });

describe("the console is never green without fresh proof", () => {
  it("when the relay does not answer, and is green again as soon as it does", async () => {
    const person = await arrive();
    const { page } = person;
    const isWell = headlineIn(person).getByText(/All is well/);
    await isWell.waitFor();
    await page.route("**/admin/v1/status", (route) => route.abort());
    await page.clock.fastForward(20_000);
    await headlineIn(person)
      .getByText(/Not known since \d\d:\d\d:\d\d/)
      .waitFor();
    expect(await headlineIn(person).getAttribute("class")).toContain("is-bad");
    expect(await isWell.count()).toBe(0);
    expect(await page.evaluate(GREEN)).toEqual([]);
    await person.keep("not-known");
    await page.unroute("**/admin/v1/status");
    await page.clock.fastForward(20_000);
    await isWell.waitFor();
    await person.leave();
  });
});

describe("a page that breaks", () => {
  it("says so, leaves the way to the others, and is whole when it is come back to", async () => {
    const person = await arrive();
    const { page } = person;
    await page.route("**/admin/v1/replays*", (route) => route.fulfill({ json: {} }));
    await person.open("replays");
    await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor();
    await person.keep("broken-page");
    await page.unroute("**/admin/v1/replays*");
    await person.visit("Payments");
    await person.visit("Replays");
    await page.getByText("No replay has run yet.").waitFor();
    await person.leave();
  });
});
