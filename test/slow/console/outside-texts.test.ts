import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPEN_AMOUNT } from "../../sandbox/provider/service-fixture.ts";
import { type ConsoleWorld, STRANGER } from "./console-world.ts";
import { type FullHouse, fillHouse, inProvidersBook } from "./full-house.ts";
import { BIDI, CONTROLS, hostile, MARKUP } from "./hostile-texts.ts";
import { harmDone } from "./inspect.ts";
import { Operator } from "./operator.ts";
import { openStand, type Stand } from "./stand.ts";

let stand: Stand;
let house: FullHouse;
let callbacks: string[];
beforeAll(async () => {
  stand = await openStand();
  house = await fillHouse(stand.world, { reference: encodeURIComponent(hostile("reference")) });
  await spoilProvider(stand.world);
  callbacks = await sendHostileCallbacks(stand.world);
  await stand.world.api("POST", "/pause", { work: "confirm", reason: hostile("reason") });
});
afterAll(() => stand?.close());

/** Every text of the provider's book, and the collection's name; asked again, they are what the relay holds. */
async function spoilProvider(world: ConsoleWorld): Promise<void> {
  await world.service.control("PATCH", `/collections/${OPEN_AMOUNT}`, {
    collectionName: hostile("collection"),
  });
  await inProvidersBook(
    world,
    `update collection_service.invoice set title = $1, payer_name = $2, payer_phone_number = $3,
       biller_metadata = $4, modified_at = now()`,
    [
      hostile("title"),
      hostile("payer"),
      hostile("phone"),
      JSON.stringify({ [hostile("key")]: hostile("value") }),
    ],
  );
  await world.api("POST", "/resume", { work: "publish" });
  const [id] = house.paid;
  await world.callback({ data: { id } });
  await world.until(
    "select count(*)::int as n from invoice where id = $1 and title like 'title%'",
    [id],
    [{ n: 1 }],
  );
}

/** Claims, headers, query and bytes that are not even text; one of them refused. */
async function sendHostileCallbacks(world: ConsoleWorld): Promise<string[]> {
  const id = house.paid[0];
  const headers = { "x-odd": MARKUP, "user-agent": `agent ${MARKUP}` };
  const claim = { event: hostile("event"), data: { id, title: hostile("claimed"), [hostile("field")]: 1 } };
  await world.callback(
    claim,
    headers,
    `/${encodeURIComponent(hostile("own"))}?${encodeURIComponent(MARKUP)}=1`,
  );
  await world.callback(`${MARKUP}${BIDI}${CONTROLS}\0`, { ...headers, "content-type": "text/html" });
  await world.callback(new Uint8Array([0, 255, 254, 0x3c, 0x62, 0x3e, 0xe2, 0x80, 0xae, 0x41]), headers);
  await world.callback(claim, { ...headers, "x-forwarded-for": STRANGER });
  const rows = await world.query<{ id: string }>("select id from callback order by received_at desc limit 4");
  return rows.map((row) => row.id);
}

describe("what others wrote: markup, control and bidi characters", () => {
  it("is shown on every page as the text that it is: nothing runs, is made, or hides", async () => {
    const person = await Operator.arrive(stand.browser, stand.world);
    await person.signIn("admin");
    const [replay] = await stand.world.query<{ id: string }>(
      "select id from replay order by requested_at desc limit 1",
    );
    // The status comes by the stream, and has the reason of the pause in it.
    const needed = "A person is needed";
    /** A page, and words that must be seen there: else it would be clean because it is empty. */
    const places: [path: string, words: string[]][] = [
      ["", [needed]],
      ["payments", ["reference"]],
      [`payments/${house.paid[0]}`, ["title"]],
      ["callbacks", ["reference"]],
      ...callbacks.map((id): [string, string[]] => [`callbacks/${id}`, ["<img src=x"]]),
      ["attention/dead", [needed, "reference"]],
      [`attention/dead/${house.deadConfirmation}`, ["reference"]],
      ["attention/quarantine", [needed, "reference"]],
      [`attention/quarantine/${house.quarantined[0]}`, ["reference"]],
      ["attention/anomalies", [needed, "amount changed"]],
      ["attention/refused", [needed, "Read again"]],
      ["attention/alarms", [needed, "callback"]],
      ["completeness", ["missing"]],
      [`completeness/${house.gapDay}`, ["Nobody asked"]],
      ["replays", ["until"]],
      [`replays/${replay?.id}`, ["until"]],
      ["replays/new", []],
      ["settings", ["reason"]],
      ["settings/audit", ["reason"]],
    ];
    const harm: unknown[] = [];
    for (const [path, words] of places) {
      await person.open(path);
      await person.settle();
      await person.keep(`hostile-${path.replaceAll(/\W+/g, "-").slice(0, 24)}`);
      for (const word of words) await person.page.locator("main").getByText(word).first().waitFor();
      harm.push(...(await harmDone(person.page)).map((what) => `${path}: ${what}`));
      harm.push(...person.complaints.map((what) => `${path}: ${what}`));
      person.complaints.length = 0;
    }
    expect(harm).toEqual([]);
  });

  it("in an address does no more", async () => {
    const person = await Operator.arrive(stand.browser, stand.world);
    await person.signIn("read");
    // A dot would ask for a file, which the server answers itself.
    const text = encodeURIComponent(MARKUP + BIDI).replaceAll(".", "%2e");
    for (const page of ["payments", "callbacks", "attention", "completeness", "replays", "nowhere"]) {
      await person.open(`${page}/${text}?reference=${encodeURIComponent(MARKUP)}`);
      await person.page.getByRole("heading", { level: 1 }).waitFor();
      expect(
        (await harmDone(person.page)).filter((what) => !String(what).startsWith("hides")),
        page,
      ).toEqual([]);
    }
  });
});
