import { describe, expect, it } from "vitest";
import type { ConsoleEnvironment } from "./console-environment.ts";
import { standHere } from "./console-environment.ts";
import { type FullHistory, fillHistory } from "./full-history.ts";
import { hostile, MARKUP } from "./hostile-texts.ts";
import { problemsOf } from "./inspect.ts";
import { DESKTOP, looksOn, PHONE } from "./operator.ts";

const WIDE = { viewport: { width: 2560, height: 1440 } };

/** All of them for pictures; else each screen and each of light and dark once. */
const LOOKS = looksOn({ wide: WIDE, desktop: DESKTOP, phone: PHONE }).filter(
  ({ name }) => process.env.SCREENSHOTS || ["desktop-light", "phone-dark"].includes(name),
);

/** Every page, and every place on it that has an address. */
const placesIn = (history: FullHistory | null, callback = "", replay = ""): Record<string, string> => ({
  ...{ now: "", payments: "payments", callbacks: "callbacks", completeness: "completeness" },
  ...{ "attention-dead": "attention/dead", "attention-quarantine": "attention/quarantine" },
  ...{ "attention-refused": "attention/refused", "attention-alarms": "attention/alarms" },
  ...{ replays: "replays", audit: "audit" },
  ...(history !== null && {
    payment: `payments/${history.paid[0]}`,
    "payment-quarantined": `payments/${history.quarantined[0]}`,
    callback: `callbacks/${callback}`,
    "completeness-day": `completeness/${history.gapDay}`,
    replay: `replays/${replay}`,
  }),
});

const stand = standHere();

/** Opens each place in each look: axe finds nothing, nothing is cut off, runs or hides, the browser reports nothing. */
async function visitAll(state: string, places: Record<string, string>): Promise<void> {
  const found: string[] = [];
  for (const { name: look, ...options } of LOOKS) {
    const operator = await stand.arrive(options);
    await operator.open();
    await operator.page.getByLabel("Admin token").waitFor();
    await operator.keep(`${state}-sign-in-${look}`);
    await operator.signIn("admin");
    for (const [name, path] of Object.entries(places)) {
      await operator.open(path);
      await operator.settle();
      await operator.keep(`${state}-${name}-${look}`);
      const problems = [...(await problemsOf(operator.page)), ...operator.complaints];
      found.push(...problems.map((problem) => `${name}, ${look}: ${problem}`));
      operator.complaints.length = 0;
    }
    await operator.leave();
  }
  expect(found).toEqual([]);
}

describe("every page, on a desk and a phone, light and dark, passes axe and fits", () => {
  it("when nothing has happened yet", () => visitAll("empty", placesIn(null)));

  it("when everything has happened", async () => {
    const { environment } = stand;
    const history = await fillHistory(environment);
    await haveAnotherSource(environment);
    await environment.query(
      `update invoice set total_amount = 999999999999999.99, title = $1,
         reference = $1 || repeat('long words ', 27) || repeat('x', 300)`,
      [hostile("written")],
    );
    await environment.callback(
      { event: hostile("event"), data: { id: history.paid[0], [hostile("field")]: 1 } },
      { "user-agent": MARKUP },
      `/${encodeURIComponent(hostile("own"))}?${encodeURIComponent(MARKUP)}=1`,
    );
    const [callback] = await environment.query<{ id: string }>(
      "select id from callback where invoice_ids[1] = $1 order by received_at desc limit 1",
      [history.paid[0]],
    );
    const [replay] = await environment.query<{ id: string }>(
      "select id from replay where state = 'cancelled'",
    );
    await visitAll("full", placesIn(history, callback?.id, replay?.id));
  });

  it("when the provider is away", async () => {
    await takeProviderAway(stand.environment);
    await visitAll("trouble", {
      ...{ now: "", "attention-alarms": "attention/alarms" },
      ...{ "payments-waiting": "payments?verdict=pending", "payments-none-found": "payments?to=2001-01-01" },
    });
  });
});

/** Another source knows the same payments and dead letters. */
async function haveAnotherSource(environment: ConsoleEnvironment): Promise<void> {
  await environment.query("insert into source (name, first_served_at) values ('shop-b', now())");
  await environment.query(
    `insert into confirmation
       (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at, settled_at, state, verdict)
     select invoice_id, 'shop-b', priority, opened_by, opened_at, requested_at, due_at, settled_at, state, verdict
     from confirmation where state in ('done', 'dead')`,
  );
  await environment.query(
    `insert into invoice (id, source, paid_at, asked_at, confirmed_at, total_amount, status, reference, digest, document)
     select id, 'shop-b', paid_at, asked_at, confirmed_at, total_amount, status, reference, digest, document
     from invoice`,
  );
}

/** The provider is away: its circuit breaker opens, and payments wait to be confirmed. */
async function takeProviderAway(environment: ConsoleEnvironment): Promise<void> {
  await environment.service.control("PUT", "/faults", {
    api: [{ operations: ["getInvoice"], answer: "500" }],
  });
  for (let n = 1; n <= 12; n += 1) await environment.pay(await environment.invoice(`waiting-${n}`));
  await environment.until(
    "select count(*)::int as n from alarm where name = 'source_failing' and cleared_at is null",
    [],
    [{ n: 1 }],
  );
}
