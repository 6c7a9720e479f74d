import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as at } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, vi } from "vitest";
import { invoicePaidId } from "../../src/events/invoice-paid.ts";
import { Random } from "../faults/torture/random.ts";
import { type CliProcess, startCli } from "../support/cli-process.ts";
import { type Surroundings, surroundings } from "../support/relay.ts";
import { invoiceAnswer, NOT_FOUND, type Script } from "../support/scripted-provider.ts";
import { describedIn } from "../support/two-sources.ts";

/**
 * KILLS_SEED=<number> plays the same sequences of answers, and kills at the same steps; moments are the
 * machine's.
 */
const SEED = Number(process.env.KILLS_SEED ?? randomInt(2 ** 31));

const SOURCES = ["here", "there"] as const;
type Source = (typeof SOURCES)[number];

const AT_STEP = pathToFileURL(resolve(import.meta.dirname, "../faults/crash/at-step.ts")).href;

/** Where a process may die by itself, besides any moment. */
const STEPS = [
  "confirmations claimed",
  "invoice to be asked for",
  "invoice answered",
  "outcomes to be stored",
  "outcomes stored",
  "events claimed",
  "events leave",
  "events accepted",
  "acceptances to be kept",
  "acceptances kept",
] as const;

type Said =
  | { kind: "found"; status: string; day: number; amount: number }
  | { kind: "not_found" }
  | { kind: "outside_contract" };

/** What the relay holds of an invoice of one source. */
interface Held {
  source: Source;
  id: string;
  verdict: string | null;
  status: string | null;
  amount: string | null;
  events: number;
  event: string | null;
  /** How often an anomaly was told. */
  told: number;
}

const keyOf = ({ source, id }: { source: string; id: string }) => `${source} ${id}`;

/**
 * Some answers about each invoice, from two sources, confirmed and published by two processes of `serve` that
 * are killed with SIGKILL at any moment and at any step, and started again.
 */
export async function answersBetweenKills(given: {
  invoices: number;
  answers: number;
  world: number;
}): Promise<void> {
  const { invoices, answers, world } = given;
  const random = new Random(SEED, `world ${world}`);
  process.stdout.write(`answers between kills: KILLS_SEED=${SEED}, world ${world}\n`);
  const around = await surroundings();
  const ids = Array.from({ length: invoices }, () => random.uuid());
  const script = new Map(
    SOURCES.flatMap((source) =>
      ids.map(
        (id) => [keyOf({ source, id }), Array.from({ length: answers }, () => anyAnswer(random))] as const,
      ),
    ),
  );
  const answered = new Set<string>();
  let round = 0;
  around.provider.otherwise((request, response) => {
    const id = request.url?.split("/").at(-1) ?? "";
    const key = keyOf({ source: String(request.headers["x-api-key"]).replace("key-of-", ""), id });
    const said = script.get(key)?.[round];
    const answer = said === undefined ? NOT_FOUND : wireOf(id, said);
    if (typeof answer === "function") return;
    response
      .writeHead(answer.status, { "content-type": "application/json" })
      .end(JSON.stringify(answer.body), () => void answered.add(key));
  });
  const crew = new Crew(around, random);

  for (; round < answers; round += 1) {
    const before = await readHeld(around, ids);
    answered.clear();
    await around.query(OPENING, [ids]);
    await around.query("notify invoice_relay, 'test confirm'");
    const killed =
      round === 0 || random.share() < 0.8 ? at(random.between(0, 150)).then(() => crew.kill()) : undefined;
    await vi.waitFor(
      async () => {
        expect(answered.size).toBe(script.size);
        expect(await around.query(OPEN)).toEqual([]);
      },
      { interval: 25 },
    );
    await killed;
    const after = await readHeld(around, ids);
    for (const [key, said] of script) holds(key, said[round] as Said, before.get(key), after.get(key));
  }

  await vi.waitFor(async () => expect(await around.query("select from outbox")).toEqual([]), {
    interval: 50,
  });
  crew.dismiss();
  await published(around);
  process.stdout.write(`answers between kills: ${script.size * answers} answers, ${crew.kills} kills\n`);
  expect(crew.kills).toBeGreaterThan(0);
}

function anyAnswer(random: Random): Said {
  if (random.share() < 0.25)
    return random.one([{ kind: "not_found" }, { kind: "outside_contract" }] as const);
  return {
    kind: "found",
    status: random.one(["Paid", "Paid", "Unpaid", "Invalidated", "OnHold"]),
    day: random.between(1, 9),
    amount: random.one([1500.5, 1400]),
  };
}

function wireOf(id: string, said: Said): Script {
  if (said.kind === "not_found") return NOT_FOUND;
  if (said.kind === "outside_contract")
    return { status: 200, body: { status: 200, data: { id, status: 7 } } };
  const { status, day, amount } = said;
  const at = `2026-11-0${day}T09:00:00Z`;
  const paymentDate = status === "Paid" ? at : null;
  return invoiceAnswer(id, { status, amount, totalAmount: amount + 10.75, dateModified: at, paymentDate });
}

const OPENING = `
  insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at)
  select id, source, 'callback', now(), now(), now()
  from unnest($1::uuid[]) as id, unnest(array['here', 'there']) as source
  on conflict (invoice_id, source) do update set requests = confirmation.requests + 1, attempt = 0,
    requested_at = now(), due_at = now(), state = 'due'`;

/** What is not yet decided by the answer of this round. */
const OPEN =
  "select from confirmation where state = 'claimed' or (state = 'due' and due_at <= now()) limit 1";

async function readHeld(around: Surroundings, ids: readonly string[]): Promise<Map<string, Held>> {
  const rows = await around.query<Held>(
    `select asked.source, asked.id::text, confirmation.verdict, invoice.status, invoice.amount::text,
       (select count(*)::int from event where (event.source, invoice_id) = (asked.source,
       asked.id)) as events,
       (select id::text from event where (event.source, invoice_id) = (asked.source,
       asked.id) limit 1) as event,
       coalesce((select sum(times)::int from alarm where name = 'invoice_anomaly'
         and (alarm.source, subject) = (asked.source, asked.id::text)), 0) as told
     from (select id, source from unnest($1::uuid[]) as id, unnest(array['here', 'there']) as source) as asked
     left join confirmation on (confirmation.source, invoice_id) = (asked.source, asked.id)
     left join invoice on (invoice.source, invoice.id) = (asked.source, asked.id)`,
    [ids],
  );
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** What one answer may have changed, and must have. */
function holds(key: string, said: Said, before: Held | undefined, after: Held | undefined): void {
  if (before === undefined || after === undefined) throw new Error(`${key} is not there`);
  const about = `${key}: ${JSON.stringify({ said, before, after })}`;
  const wasPaid = before.verdict === "paid" || before.events > 0;
  if (wasPaid) expect(after.verdict, `paid is absorbing: ${about}`).toBe("paid");
  expect(after.events, `one event and no other: ${about}`).toBe(
    wasPaid || (said.kind === "found" && said.status === "Paid") ? 1 : 0,
  );
  if (after.event !== null) expect(after.event, about).toBe(invoicePaidId(after.id));
  if (said.kind === "found" && said.status === "Paid") {
    expect(after.verdict, `Paid is never dropped: ${about}`).toBe("paid");
    expect(after.status, about).toBe("Paid");
  }
  if (wasPaid && isChange(said, before))
    expect(after.told, `each change is told: ${about}`).toBeGreaterThan(before.told);
}

function isChange(said: Said, before: Held): boolean {
  if (said.kind === "not_found") return true;
  if (said.kind !== "found") return false;
  const sameAmount = Number(before.amount) === said.amount;
  return said.status === "Paid" ? !sameAmount : said.status !== before.status || !sameAmount;
}

/** Every event is at its own source's topic, under one id, and nothing else is. */
async function published(around: Surroundings): Promise<void> {
  for (const [source, topicArn] of [
    ["here", around.topicArn],
    ["there", around.testTopicArn],
  ] as const) {
    const events = await around.query<{ id: string }>(
      "select id::text from event where source = $1 order by id",
      [source],
    );
    const accepted = await around.query<{ id: string }>(
      "select distinct event_id::text as id from publication where source = $1 and topic_arn = $2 order by 1",
      [source, topicArn],
    );
    expect(accepted).toEqual(events);
    const sent = around.sns
      .messages(topicArn)
      .map(({ message }) => (JSON.parse(message) as { id: string }).id);
    expect([...new Set(sent)].sort()).toEqual(events.map(({ id }) => id));
  }
}

/** Two processes of `serve`, each replaced as soon as it has died. */
class Crew {
  readonly #environment: Record<string, string | undefined>;
  readonly #random: Random;
  readonly #members: CliProcess[] = [];
  #isDismissed = false;
  kills = 0;

  constructor(around: Surroundings, random: Random) {
    this.#environment = twoSources(around);
    this.#random = random;
    for (const place of [0, 1]) this.#hire(place);
    onTestFinished(() => this.dismiss());
  }

  /** Whoever's turn it is; done when the next one is in its place. */
  async kill(): Promise<void> {
    const member = this.#random.one(this.#members);
    member.child.kill("SIGKILL");
    await member.ended;
  }

  dismiss(): void {
    this.#isDismissed = true;
  }

  #hire(place: number): void {
    const dies =
      this.#random.share() < 0.5
        ? {
            NODE_OPTIONS: `--import ${AT_STEP}`,
            FAULTS_SOURCES: resolve(import.meta.dirname, "../../src"),
            FAULTS_STEP: this.#random.one(STEPS),
            FAULTS_PASSING: String(this.#random.between(1, 4)),
          }
        : {};
    const member = startCli(["serve", "--workers-only"], { ...this.#environment, ...dies });
    this.#members[place] = member;
    void member.ended.then((code) => {
      if (this.#isDismissed) return;
      if (code !== null) throw new Error(`serve ended by itself: ${member.output.stderr}`);
      this.kills += 1;
      this.#hire(place);
    });
  }
}

function twoSources(around: Surroundings): Record<string, string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "invoice-relay-kills-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "sources.json");
  const source = (name: Source, snsTopicArn: string) => ({
    name,
    collectionApiUrl: around.provider.url,
    collectionApiKey: `key-of-${name}`,
    callbackTokens: [`token-of-${name}-0123456789abcdef`],
    snsTopicArn,
  });
  writeFileSync(
    file,
    JSON.stringify({ sources: [source("here", around.topicArn), source("there", around.testTopicArn)] }),
  );
  return around.environment({
    ...describedIn(file),
    UNKNOWN_RATE_PER_SECOND: "10000",
    LEASE_DURATION: "1s",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });
}
