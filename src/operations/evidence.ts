import { createHash } from "node:crypto";
import { answersOf, type KeptAnswer } from "../pipeline/confirm/index.ts";
import { eventsOf, type WholeEvent } from "../pipeline/publish/index.ts";
import { firstCallbacksNaming, readCallbackWhole, type WholeCallback } from "../pipeline/receive/index.ts";
import type { Database } from "../platform/database/index.ts";
import { type Mask, markupText, plainText } from "../platform/values/index.ts";
import { type Reading, shownBody } from "./find-callbacks.ts";
import { type Parts, type ZipEntry, zipParts } from "./report/file.ts";
import { clockText, headlineOf, meaningOf } from "./timeline.ts";
import { readTimeline } from "./timeline-reading.ts";
import { wordsOf } from "./views/timeline.ts";

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
) {
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
    file("body", "its body", true, async (one) => Buffer.from(shownBody(one, reading).body, "base64")),
  ];
}

async function headOf(callback: WholeCallback, reading: Reading) {
  const { id, receivedAt, source, method, path, remoteAddress, foundBy, invoiceIds, bytes } = callback;
  const { erasedAt, erasedDigest, body } = callback;
  return {
    ...{ id, receivedAt, source, method, path, remoteAddress, foundBy, invoiceIds, bytes, erasedAt },
    bodySha256: erasedAt === null ? createHash("sha256").update(body).digest("hex") : erasedDigest,
    bodyIs: erasedAt === null ? shownBody(callback, reading).bodyIs : "erased",
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

const SHOWN_ANSWERS = 5;

/** The provider's newest answers about an invoice, and what was published of it; null when there is nothing. */
export async function readEvidence(db: Database, invoiceId: string, personal: Mask = (text) => text) {
  const [answers, events] = await Promise.all([
    answersOf(db, invoiceId, SHOWN_ANSWERS),
    eventsOf(db, invoiceId),
  ]);
  if (answers.length + events.length === 0) return null;
  return {
    invoiceId,
    answers: answers.map((answer) => ({ ...answer, document: personal(answer.document) })),
    events: events.map((event) => ({ ...event, payload: personal(event.payload) })),
  };
}

interface EvidenceFile {
  /** Inside the ZIP's folder. */
  path: string;
  /** Its contents, for the list of files. */
  what: string;
  /** Whether it may hold personal data: readers who may not see that get its digest. */
  personal: boolean;
  /** Called once, and the content let go. */
  read(): Promise<string | Uint8Array>;
}

interface SummedFile extends Pick<EvidenceFile, "path" | "what"> {
  /** In hex. */
  sha256: string;
  /** It is not in the ZIP: only its digest is. */
  withheld: boolean;
}

type Evidence = NonNullable<Awaited<ReturnType<typeof gatherEvidence>>>;

/**
 * The evidence of one payment as a ZIP: its files, the story as a page, a README, and the digests of them all,
 * which common tools check. Files are read one after the other.
 * @param showsPersonal whether what may be personal is in it, or only its digest.
 */
export function evidenceParts({ invoiceId, madeAt, story, files }: Evidence, showsPersonal: boolean): Parts {
  const folder = `evidence-${invoiceId}`;
  const summed: SummedFile[] = [];
  const sum = (path: string, what: string, content: string | Uint8Array, withheld = false) => {
    summed.push({ path, what, withheld, sha256: createHash("sha256").update(content).digest("hex") });
    return content;
  };
  const entry = (
    path: string,
    content: () => Promise<string | Uint8Array> | string | Uint8Array,
  ): ZipEntry => ({
    path: `${folder}/${path}`,
    parts: async function* () {
      yield await content();
    },
  });
  const withheld = files.filter(({ personal }) => personal && !showsPersonal);
  const about = { invoiceId, madeAt: `${madeAt.toISOString().slice(0, 19).replace("T", " ")} UTC` };
  return zipParts(
    [
      ...files
        .filter((file) => !withheld.includes(file))
        .map(({ path, what, read }) => entry(path, async () => sum(path, what, await read()))),
      ...(withheld.length === 0
        ? []
        : [
            entry("WITHHELD", async () => {
              for (const { path, what, read } of withheld) sum(path, what, await read(), true);
              return sum("WITHHELD", WITHHELD, sumLines(summed.filter((file) => file.withheld)));
            }),
          ]),
      entry("story.html", () =>
        sum("story.html", "the story, to read or print", storyPage(about, story, summed)),
      ),
      entry("README.txt", () => sum("README.txt", "", readMe(about, summed))),
      entry("SHA256SUMS", () => sumLines(summed.filter((file) => !file.withheld))),
    ],
    madeAt,
  );
}

const WITHHELD =
  "the SHA-256 of files that may say something about a person: they are left out for the role that made " +
  "this ZIP, and in the one that the roles operate and admin make";

/** As sha256sum writes and checks them. */
const sumLines = (files: readonly SummedFile[]): string =>
  files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join("");

/** Lists the files, and how to check that they are unchanged. Pure. */
function readMe(
  { invoiceId, madeAt }: { invoiceId: string; madeAt: string },
  files: readonly SummedFile[],
): string {
  const present = files.filter(({ withheld, what }) => !withheld && what !== "");
  return `Evidence of invoice ${invoiceId}, made ${madeAt}.

Begin with story.html: open it in a browser, or print it. Times are UTC.

The files
${present.map(({ path, what }) => `  ${path}\n      ${what}`).join("\n")}
  SHA256SUMS
      the SHA-256 of every other file here

How to check that no file was changed: in this folder,
  Linux     sha256sum -c SHA256SUMS
  macOS     shasum -a 256 -c SHA256SUMS
  Windows   Get-FileHash -Algorithm SHA256 <file>     (PowerShell; compare with SHA256SUMS)

How the files belong together
  - A callback is only a claim: callbacks/*/callback.json has the SHA-256 of its body as it came over
    the wire (bodySha256). Where the body held the secret token of our callback URL, that is replaced
    by *** in the file here, and bodyIs says so; the file's own digest then differs from bodySha256.
  - The provider's answers are what counts; amounts and status stand there as it wrote them.
  - events/*/event.json is the message that was published. events/*/publications.json names each
    acceptance by Amazon SNS: its MessageId, and the SHA-256 of the payload that was sent (digest),
    which is the SHA-256 of event.json.
`;
}

/** Strangers wrote some of it: a sign that could end the text, or turn its direction, is only shown. */
const shown = (text: string): string => markupText(plainText(text));

/** For paper too: black on white, no line of a table torn apart, its head on every page. */
const STYLE = `body{font:11pt/1.5 system-ui,sans-serif;color:#111;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}
table{border-collapse:collapse;width:100%;font-size:.85em}thead{display:table-header-group}
th,td{text-align:left;vertical-align:top;padding:.3em .8em .3em 0;border-bottom:1px solid #ccc}
.times td:first-child{white-space:nowrap;font-variant-numeric:tabular-nums}tr{break-inside:avoid}code{font-size:.9em}
@media print{body{margin:0;max-width:none;font-size:9.5pt}@page{margin:18mm}}`;

const table = (kind: string, head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table class="${kind}"><thead><tr>${head.map((name) => `<th>${name}</th>`).join("")}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${shown(cell)}</td>`).join("")}</tr>`)
    .join("\n")}</tbody></table>`;

/** The story of a payment as a page that needs nothing else, reads well and prints well. Pure. */
function storyPage(
  { invoiceId, madeAt }: { invoiceId: string; madeAt: string },
  { headline, meaning, entries, further }: Evidence["story"],
  files: readonly SummedFile[],
): string {
  const more = further > 0 ? `<p>… and ${further.toLocaleString("en-US")} later callbacks.</p>` : "";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Invoice ${shown(invoiceId)}</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><style>${STYLE}</style></head><body>
<h1>Invoice ${shown(invoiceId)}</h1>
<p>${shown(headline)}</p>
${meaning.map((line) => `<p>${shown(line)}</p>`).join("\n")}
<h2>What happened (times are UTC)</h2>
${table(
  "times",
  ["Time", "What"],
  entries.map(({ at, words }) => [at, words]),
)}${more}
<h2>Files</h2>
${table(
  "files",
  ["File", "Contents", "SHA-256"],
  files.map(({ path, what, sha256, withheld }) => [withheld ? `${path} (withheld)` : path, what, sha256]),
)}
<p>Made ${shown(madeAt)}. README.txt says how to check the digests.</p>
</body></html>
`;
}
