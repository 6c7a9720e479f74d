import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { answersOf, type KeptAnswer } from "../confirm/invoices/read-invoices.ts";
import type { Database } from "../database/tables.ts";
import { MASK, withoutCallbackTokens } from "../kit/mask.ts";
import { countLeaves } from "../ledger/proofs.ts";
import { eventsOf } from "../publish/read-events.ts";
import { callbacksNaming, type WholeCallback } from "../receive/log/list-callbacks.ts";
import { type Reading, shownBody } from "./find-callbacks.ts";

const CLAIM_LIMIT = 5;
const ANSWER_LIMIT = 20;
/** Of claims, and of answers, in characters; the newest one of each is whole in any case. */
const CHARACTER_LIMIT = 1024 ** 2;

/**
 * What callbacks claimed of an invoice, what the provider answered, and what was published: everything that a
 * person compares, personal data included. null when there is nothing.
 */
export async function readEvidence(db: Database, invoiceId: string, reading: Reading) {
  const { personal = (text: string) => text } = reading;
  const [callbacks, stored, sent] = await Promise.all([
    callbacksNaming(db, invoiceId, CLAIM_LIMIT),
    answersOf(db, invoiceId, ANSWER_LIMIT),
    eventsOf(db, invoiceId),
  ]);
  if (callbacks.length + stored.length + sent.length === 0) return null;
  const kept = stored.map((answer) => ({ ...answer, document: personal(answer.document) }));
  const events = sent.map((event) => ({ ...event, payload: personal(event.payload) }));
  const claims = [];
  for (const callback of callbacks) {
    claims.push(claimOf(callback, kept, invoiceId, reading));
    // Five large bodies in one turn would hold up everything else that this process does (G12).
    await nextTurn();
  }
  const named = [
    ...callbacks.map(({ source, id, receivedAt }) => ({
      ...{ source, kind: "callback", key: id },
      at: receivedAt.toISOString(),
    })),
    ...stored
      .filter(({ newest }) => newest)
      .flatMap(({ source }) => ["answer", "verdict"].map((kind) => ({ source, kind, key: invoiceId }))),
    ...sent.map(({ source, id }) => ({ source, kind: "event", key: id })),
  ];
  const ledger = [];
  for (const [source, rows] of Map.groupBy(named, (one) => one.source))
    ledger.push(await countLeaves(db, source, rows));
  const shown = firstWithin(claims, ({ body, text }) => body.length + (text?.length ?? 0));
  const answers = firstWithin(kept, ({ document }) => document.length);
  return {
    invoiceId,
    claims: shown,
    answers,
    events,
    ledger,
    leftOut: { claims: claims.length - shown.length, answers: kept.length - answers.length },
  };
}

function claimOf(
  callback: WholeCallback,
  answers: readonly KeptAnswer[],
  invoiceId: string,
  reading: Reading,
) {
  const shown = shownBody(callback, reading);
  const answer = answers.find(({ source, newest }) => newest && source === callback.source);
  return {
    callbackId: callback.id,
    source: callback.source,
    receivedAt: callback.receivedAt,
    foundBy: callback.foundBy,
    invoiceIds: callback.invoiceIds,
    ...shown,
    erasedAt: callback.erasedAt,
    compared: (shown.text === null ? [] : compareClaim(shown.text, answer?.document ?? null, invoiceId)).map(
      (one) => (one.claimed === MASK ? { ...one, same: null } : one),
    ),
  };
}

/** As many of the first ones as fit together, and at least one. */
function firstWithin<One>(all: readonly One[], sizeOf: (one: One) => number): One[] {
  let size = 0;
  const end = all.findIndex((one, at) => {
    size += sizeOf(one);
    return at > 0 && size > CHARACTER_LIMIT;
  });
  return end === -1 ? [...all] : all.slice(0, end);
}

/** A field that the callback claimed, next to the provider's answer. */
export const comparedClaim = z.object({
  field: z.string().describe("Its path in the claim, such as data.amount."),
  claimed: z.string(),
  answered: z.string().nullable().describe("null if the answer has no such field."),
  same: z.boolean().nullable().describe("null if there is nothing to compare."),
});

type Leaves = [path: string, value: string][];

const FIELD_LIMIT = 100;
const DEEPEST = 8;

/**
 * Longer texts, in characters, are shown but not compared, so that nobody waits while they are parsed (G12).
 */
const LONGEST = 32_768;

/**
 * What a callback claimed of an invoice beside what the provider answered, field by field. The object that
 * holds the invoice's id is the claim: what stands around it (an envelope's own id and status, other
 * invoices) is shown and not compared. Where none holds it, fields of the same name are compared, wherever
 * they stand. Amounts are compared as numbers, times as moments, URLs without their callback tokens. Pure.
 * @param claim the callback's body as text: JSON or a form; of anything else nothing is compared.
 * @param answer the provider's JSON; null when there is none.
 * @param invoiceId lower case.
 */
export function compareClaim(
  claim: string,
  answer: string | null,
  invoiceId: string,
): z.output<typeof comparedClaim>[] {
  const claims = leavesOf(parsed(claim) ?? formIn(claim));
  const answers = leavesOf(parsed(answer ?? ""));
  const holder = holderOf(claims, invoiceId);
  const nameIn = (holder: string | null) => (path: string) => {
    if (holder === null) return nameOf(path.slice(path.lastIndexOf(".") + 1));
    return path.startsWith(holder) ? path.slice(holder.length).split(".").map(nameOf).join(".") : null;
  };
  const claimedName = nameIn(holder);
  const answeredName = nameIn(holder === null ? null : (holderOf(answers, invoiceId) ?? ""));
  const answered = new Map(
    answers.reverse().map(([path, value]) => [answeredName(path), { value, plain: withoutTokens(value) }]),
  );
  return claims.map(([field, claimed]) => {
    const name = claimedName(field);
    const answer = name === null ? undefined : answered.get(name);
    const same = answer === undefined ? null : isSame(withoutTokens(claimed), answer.plain);
    // The callback named this invoice, or it would not be here: a different id belongs to something else.
    if (name === "id" && same === false) return { field, claimed, answered: null, same: null };
    return { field, claimed, answered: answer?.value ?? null, same };
  });
}

/** The path of the object that holds the id, with its last dot; null where none does. */
function holderOf(leaves: Leaves, invoiceId: string): string | null {
  const holding = leaves.filter(([, value]) => value.toLowerCase() === invoiceId).map(([path]) => path);
  const found = holding.find((path) => nameOf(path.slice(path.lastIndexOf(".") + 1)) === "id") ?? holding[0];
  return found === undefined ? null : found.slice(0, found.lastIndexOf(".") + 1);
}

/** Statuses have two names (interface, part B). */
const nameOf = (key: string): string => {
  const name = key.replaceAll(/[_-]/g, "").toLowerCase();
  return { invoicestatus: "status", invoiceid: "id" }[name] ?? name;
};

function parsed(text: string): unknown {
  if (text.length > LONGEST) return undefined;
  try {
    return JSON.parse(text, (_key, value, context?: { source?: string }) =>
      typeof value === "number" ? new Digits(context?.source ?? String(value)) : value,
    );
  } catch {
    return undefined;
  }
}

class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A form; some senders put JSON into one of its fields. */
function formIn(text: string): unknown {
  if (text.length > LONGEST || !/^[^\s={}<>]{1,200}=/.test(text)) return undefined;
  const fields = [...new URLSearchParams(text)].map(([key, value]) => [
    key,
    /^[{[]/.test(value) ? (parsed(value) ?? value) : value,
  ]);
  return Object.fromEntries(fields);
}

function leavesOf(value: unknown, path = "", depth = 0): Leaves {
  if (value === undefined || value === null) return [];
  if (value instanceof Digits) return [[path, value.text]];
  if (typeof value !== "object") return path === "" ? [] : [[path, String(value)]];
  if (depth >= DEEPEST) return [];
  const leaves: Leaves = [];
  for (const [key, inner] of Object.entries(value)) {
    leaves.push(...leavesOf(inner, path === "" ? key : `${path}.${key}`, depth + 1));
    if (leaves.length >= FIELD_LIMIT) return leaves.slice(0, FIELD_LIMIT);
  }
  return leaves;
}

// As long as an amount may be: the search for its last zeros takes the square of its length.
const NUMBER = /^-?\d{1,40}(\.\d{1,40})?$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;

const withoutTokens = (text: string) => withoutCallbackTokens(text.trim());

function isSame(one: string, other: string): boolean {
  if (one.toLowerCase() === other.toLowerCase()) return true;
  if (NUMBER.test(one) && NUMBER.test(other)) return plain(one) === plain(other);
  if (MOMENT.test(one) && MOMENT.test(other)) return Date.parse(one) === Date.parse(other);
  return false;
}

/** Without the zeros that say nothing. */
const plain = (digits: string): string =>
  digits
    .replace(/^(-?)0+(?=\d)/, "$1")
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
