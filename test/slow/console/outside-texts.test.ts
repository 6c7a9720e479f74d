import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { visibleText } from "../../../src/console/pages/kit/text.ts";
import { storableText } from "../../../src/kit/text.ts";
import { readZip } from "../../books/read-zip.ts";
import { OPEN_AMOUNT } from "../../sandbox/provider/service-fixture.ts";
import { onTestFinished } from "../../support/own-test.ts";
import { ADMIN_TOKENS, type ConsoleWorld, STRANGER } from "./console-world.ts";
import { type FullHouse, fillHouse, inProvidersBook } from "./full-house.ts";
import { BIDI, CONTROLS, hostile, MARKUP } from "./hostile-texts.ts";
import { harmDone } from "./inspect.ts";
import { standHere } from "./stand.ts";

/** What Postgres takes of it. */
const COLLECTION = storableText(hostile("collection"));

const stand = standHere();
let house: FullHouse;
let callbacks: string[];
/** Of the collection whose name is hostile. */
let replay: string;
beforeAll(async () => {
  house = await fillHouse(stand.world, { reference: encodeURIComponent(hostile("reference")) });
  await spoilProvider(stand.world);
  callbacks = await sendHostileCallbacks(stand.world);
  const filters = { collection: COLLECTION };
  const asked = { kind: "confirmations", filters, rate: 1, reason: hostile("wanted") };
  replay = (await stand.world.api("POST", "/replays", asked)).replay.id;
  await stand.world.api("POST", "/pause", { work: "confirm", reason: hostile("reason") });
});

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
  await world.callback({ [hostile("where")]: { id } }, headers);
  await world.callback(claim, { ...headers, "x-forwarded-for": STRANGER });
  const rows = await world.query<{ id: string }>("select id from callback order by received_at desc limit 5");
  return rows.map((row) => row.id);
}

describe("what others wrote: markup, control and bidi characters", () => {
  it("is shown on every page as the text that it is: nothing runs, is made, or hides", async () => {
    await using person = await stand.person("admin");
    // The status comes by the stream, and has the reason of the pause in it.
    const needed = "A person is needed";
    /** A page, and words that must be seen there: else it would be clean because it is empty. */
    const places: [path: string, words: string[]][] = [
      ["", [needed]],
      ["payments", ["reference"]],
      [`payments/${house.paid[0]}`, ["title"]],
      [`payments/${house.quarantined[0]}`, ["reference"]],
      ["callbacks", ["reference"]],
      ...callbacks.map((id): [string, string[]] => [`callbacks/${id}`, ["<img src=x"]]),
      ["attention", [needed]],
      ["attention/dead", [needed, "reference"]],
      [`attention/dead/${house.deadConfirmation}`, ["reference"]],
      [`attention/dead/${house.deadEvent}`, ["reference"]],
      ["attention/quarantine", [needed, "reference"]],
      [`attention/quarantine/${house.quarantined[0]}`, ["reference"]],
      ["attention/anomalies", [needed, "amount changed"]],
      ["attention/refused", [needed, "Read again"]],
      ["attention/alarms", [needed, "callback"]],
      ["completeness", ["missing"]],
      [`completeness/${house.gapDay}`, ["no callback named it"]],
      ["replays", ["collection"]],
      [`replays/${replay}`, ["collection"]],
      ["replays/new", []],
      ["settings", ["reason"]],
      ["settings/audit", ["reason", "wanted"]],
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

  it("filled in, or standing in an address that somebody sent, is shown again as what it is", async () => {
    const person = await stand.person("operate");
    const { page } = person;
    const text = encodeURIComponent(hostile("given"));
    const given = (names: string[]) => names.map((name) => `${name}=${text}`).join("&");
    const LISTS: [path: string, names: string[]][] = [
      ["payments", ["verdict", "from", "to", "collection", "source"]],
      ["callbacks", ["verdict", "from", "reference", "invoiceId", "remoteAddress", "foundBy", "source"]],
      ["settings/audit", ["actor", "action", "subject", "from"]],
      ["completeness", ["back"]],
      [`attention/dead/${house.deadConfirmation}`, ["source"]],
    ];
    const harm: unknown[] = [];
    const look = async (where: string) =>
      harm.push(...(await harmDone(page)).map((what) => `${where}: ${what}`));
    // One by one, since one that is refused hides the others.
    for (const [path, names] of LISTS)
      for (const some of [...names.map((name) => [name]), names]) {
        await person.open(`${path}?${given(some)}`);
        await person.settle();
        await look(`${path}?${some}`);
      }

    await person.open("payments");
    await person.settle();
    await person.write(page.getByRole("searchbox"), hostile("searched"));
    await page.keyboard.press("Enter");
    await page.getByText("No payments match").waitFor();
    await look("the search");

    await person.open("replays/new");
    for (const [kind, found] of [
      ["Ask again", /It would take \d+ confirmation/],
      ["Read again", /It would take \d+ callback/],
      ["Publish again", /Nothing matches|It would take \d+ event/],
    ] as const) {
      await person.choose(page.getByRole("radio", { name: kind }));
      await person.select(page.getByLabel("Collection"), visibleText(COLLECTION));
      await person.press(page.getByRole("button", { name: "Dry run" }));
      await page.getByRole("heading", { name: found }).waitFor();
      await look(`the dry run of ${kind}`);
    }
    await person.choose(page.getByRole("radio", { name: "Ask again" }));
    await person.write(page.getByLabel("Invoice ids"), hostile("ids"));
    await person.press(page.getByRole("button", { name: "Dry run" }));
    await page.getByRole("alert").waitFor();
    await look("a refused dry run");
    await person.write(page.getByLabel("Invoice ids"), "");
    await person.press(page.getByRole("button", { name: "Dry run" }));
    await person.press(page.getByRole("button", { name: "Start the replay" }));
    await person.write(page.getByRole("dialog").getByLabel(/why/i), hostile("why"));
    await look("a reason");
    await person.press(page.getByRole("dialog").getByRole("button", { name: "Start the replay" }));
    await page.getByRole("heading", { name: "Ask again" }).waitFor();
    await person.settle();
    await look("the replay that was started");

    await person.open("settings");
    await person.press(page.getByRole("button", { name: "Pause sending to the topics of default" }).first());
    await person.write(page.getByRole("dialog").getByLabel(/why/i), hostile("pausing"));
    await look("the reason of a pause");
    expect(harm).toEqual([]);
  });

  it("in the evidence of a payment is text as well, opened from the disk as finance does, and printed", async () => {
    const [id = ""] = house.paid;
    await stand.world.query(
      "update invoice set collection_name = collection_name || repeat('long', 25000) where id = $1",
      [id],
    );
    const answer = await fetch(`${stand.world.url}/admin/v1/invoices/${id}/evidence.zip`, {
      headers: { authorization: `Bearer ${ADMIN_TOKENS.admin}` },
    });
    const story = readZip(Buffer.from(await answer.arrayBuffer())).get(`evidence-${id}/story.html`);
    const folder = await mkdtemp(join(tmpdir(), "evidence-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "story.html");
    await writeFile(file, story ?? "");
    const { page, complaints } = await stand.arrive();
    await page.goto(pathToFileURL(file).href);
    expect(await page.innerText("body")).toContain(`reason${MARKUP}`);
    expect(await harmDone(page)).toEqual([]);
    expect(complaints).toEqual([]);
    // Nothing wider than its paper, however long a word is.
    const isWider = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    expect(await page.evaluate(isWider)).toBe(false);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
  });

  it("in an address does no more", async () => {
    const person = await stand.person("read");
    // A dot would ask for a file, which the server answers itself.
    const text = encodeURIComponent(MARKUP + BIDI).replaceAll(".", "%2e");
    for (const page of ["payments", "callbacks", "attention", "completeness", "replays", "nowhere"]) {
      await person.open(`${page}/${text}?reference=${encodeURIComponent(MARKUP)}`);
      await person.page.getByRole("heading", { level: 1 }).waitFor();
      expect(await harmDone(person.page), page).toEqual([]);
    }
  });
});
