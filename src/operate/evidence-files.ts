import { createHash } from "node:crypto";
import type { Evidence, EvidenceFile } from "../books/evidence.ts";
import { answersOf, type KeptAnswer } from "../confirm/invoices/read-invoices.ts";
import type { Database } from "../database/tables.ts";
import { eventsOf, type WholeEvent } from "../publish/read-events.ts";
import {
  firstCallbacksNaming,
  readCallbackWhole,
  type WholeCallback,
} from "../receive/log/list-callbacks.ts";
import { type Reading, shownBody } from "./find-callbacks.ts";
import { meaningOf } from "./timeline-meaning.ts";
import { readTimeline } from "./timeline-reading.ts";
import { clockText, headlineOf, wordsOf } from "./timeline-words.ts";

/** More callbacks and answers than a person reads; the story counts the others. */
const CALLBACK_LIMIT = 1_000;
const ANSWER_LIMIT = 200;

/**
 * Everything that shows what happened to one payment.
 * @param invoiceId in lower case
 * @returns null when nothing is known about it.
 */
export async function gatherEvidence(
  db: Database,
  invoiceId: string,
  { currency, ...reading }: Reading & { currency: (source: string) => string | undefined },
): Promise<Evidence | null> {
  const timeline = await readTimeline(db, invoiceId);
  if (timeline === null) return null;
  const [callbacks, answers, events] = await Promise.all([
    firstCallbacksNaming(db, invoiceId, CALLBACK_LIMIT),
    answersOf(db, invoiceId, ANSWER_LIMIT),
    eventsOf(db, invoiceId),
  ]);
  return {
    invoiceId,
    madeAt: new Date(),
    story: {
      headline: headlineOf(timeline, currency),
      meaning: meaningOf(timeline),
      entries: timeline.entries.map((entry) => ({
        at: clockText(entry.at),
        words: reading.mask(wordsOf(entry)),
      })),
      further: timeline.furtherCallbacks,
    },
    files: [
      ...callbacks.flatMap(({ id, at }, index) => callbackFiles(db, id, numbered(index, at), reading)),
      ...answers.toReversed().map((answer, index) => answerFile(answer, index, reading)),
      ...events.flatMap(eventFiles),
    ],
  };
}

/** A name that sorts by time and that every file system takes. */
const numbered = (index: number, at: Date): string =>
  `${String(index + 1).padStart(4, "0")}-${at.toISOString().replaceAll(/[-:]/g, "").slice(0, 15)}Z`;

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function callbackFiles(db: Database, id: string, name: string, reading: Reading): EvidenceFile[] {
  // Read for each file anew: all of them together may be large.
  const file = (
    of: string,
    what: string,
    personal: boolean,
    contentOf: (one: WholeCallback) => string | Buffer | Promise<string | Buffer>,
  ) => ({
    path: `callbacks/${name}/${of}`,
    what,
    personal,
    read: async () => {
      const callback = await readCallbackWhole(db, id);
      return callback === null ? "no longer in the log\n" : contentOf(callback);
    },
  });
  return [
    file(
      "callback.json",
      "a callback: when it came, from where, and the digest of its body",
      false,
      async (one) => json(await headOf(one, reading)),
    ),
    file("headers.json", "its query and headers, in order", true, ({ query, headers }) =>
      reading.mask(json({ query, headers })),
    ),
    file("body", "its body", true, async (one) =>
      Buffer.from((await shownBody(one, reading)).body, "base64"),
    ),
  ];
}

async function headOf(callback: WholeCallback, reading: Reading) {
  const { id, receivedAt, source, method, path, remoteAddress, foundBy, invoiceIds, bytes } = callback;
  const { erasedAt, erasedDigest, body } = callback;
  return {
    ...{ id, receivedAt, source, method, path, remoteAddress, foundBy, invoiceIds, bytes, erasedAt },
    bodySha256: erasedAt === null ? createHash("sha256").update(body).digest("hex") : erasedDigest,
    bodyIs: erasedAt === null ? (await shownBody(callback, reading)).bodyIs : "erased",
  };
}

const answerFile = (
  { source, status, askedAt, document }: KeptAnswer,
  index: number,
  { mask }: Reading,
): EvidenceFile => ({
  path: `answers/${numbered(index, askedAt)}-${source}.json`,
  what: `the provider's answer to source ${source}: ${status}`,
  personal: true,
  read: async () => mask(document),
});

const eventFiles = ({ source, id, type, payload, state, publications }: WholeEvent): EvidenceFile[] => [
  {
    path: `events/${source}-${id}/event.json`,
    what: `the event ${type}, exactly as published`,
    personal: true,
    read: async () => payload,
  },
  {
    path: `events/${source}-${id}/publications.json`,
    what: "each acceptance by Amazon SNS, with its MessageId",
    personal: false,
    read: async () => json({ source, id, state, publications }),
  },
];
