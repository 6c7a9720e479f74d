import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ADMIN } from "../../journeys/drill.ts";
import { launchChromium } from "../../sandbox/provider/chromium.ts";
import { openSession } from "../../support/database.ts";
import { addEvents } from "../../support/log-rows.ts";
import { startRelay, surroundings } from "../../support/relay.ts";
import { twoSources } from "../../support/two-sources.ts";
import { Operator } from "./operator.ts";
import { buildConsole } from "./stand.ts";

let browser: Browser;
beforeAll(async () => {
  await buildConsole();
  browser = await launchChromium();
});
afterAll(() => browser?.close());

it("of two sources one is chosen, and all of its 1,300 are acted on, with how far that is", async () => {
  const around = await surroundings();
  const last = (await addEvents(around, 1_300, { state: "dead", source: "a" })).at(-1);
  await addEvents(around, 70, { state: "dead", source: "b" });
  const relay = await startRelay({
    ...twoSources(around),
    ...{ OPS_PORT: "0", ADMIN_TOKENS: `ada:operate:${ADMIN}` },
  });
  // The last thousand waits until somebody has looked.
  const holder = await openSession(around.databaseUrl);
  await holder.query("select pg_advisory_lock(29)");
  await around.query(`
    create function linger() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(29); return new; end $$;
    create trigger linger before insert on audit_entry for each row
      when (new.subject = '${last?.id}') execute function linger()`);
  const person = await Operator.arrive(browser, { url: `${relay.opsUrl}` });
  const { page } = person;
  await person.signIn("operate", ADMIN);

  await person.open("attention/dead");
  await page.getByText("200 of 1,370 dead letters so far").waitFor();
  await person.select(page.getByRole("combobox", { name: "Source" }), "b");
  await page.getByText("70 dead letters").waitFor();
  expect(new URL(page.url()).search).toBe("?source=b");
  await person.select(page.getByRole("combobox", { name: "Source" }), "a");
  await page.getByText("200 of 1,300 dead letters so far").waitFor();
  await person.choose(page.getByRole("checkbox", { name: "Choose all that are shown" }));
  await person.press(page.getByRole("button", { name: "Dismiss all 1,300" }));

  const dialog = page.getByRole("dialog");
  await person.write(dialog.getByLabel("Why"), "The provider sent them by hand.");
  await person.press(dialog.getByRole("button", { name: "Dismiss 1,300" }));
  await dialog.getByText("1,000 of 1,300 done").waitFor();
  await person.keep("dismissing-1300");
  await holder.query("select pg_advisory_unlock(29)");
  await page.getByText("1,300 dead letters were dismissed.").waitFor();
  await person.select(page.getByRole("combobox", { name: "Source" }), "b");
  await page.getByText("70 dead letters").waitFor();
  expect(person.complaints).toEqual([]);
  await person.leave();
});

it("older replays are read on, and one that runs takes none of them away", async () => {
  const around = await surroundings();
  await around.query(
    `insert into replay (id, kind, state, filters, target, rate, matching, requested_by, requested_at, finished_at)
     select gen_random_uuid(), 'events', case n when 1 then 'running' else 'done' end, '{}', '{"kind":"topics"}',
       1, n, 'cli:x', now() - n * interval '1 min', case when n > 1 then now() end
     from generate_series(1, 201) as n`,
  );
  const environment = around.environment({ ADMIN_TOKENS: `ada:read:${ADMIN}` });
  const relay = await startRelay(environment, { http: true, workers: false });
  await using person = await Operator.arrive(browser, relay);
  const { page } = person;
  await person.signIn("read", ADMIN);
  await page.clock.install();
  await person.open("replays");
  await page.getByText("200 replays so far").waitFor();
  // One runs: it is looked at again each second.
  await page.waitForRequest("**/replays?limit=200");
  await person.press(page.getByRole("button", { name: "Show more" }));
  await page.getByText("201 replays", { exact: true }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.clock.runFor(5_000);
  expect(asked.filter((url) => url.includes("/replays"))).toEqual([]);
  await page.getByText("of 201 events").waitFor();
});
