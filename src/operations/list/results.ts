import { z } from "zod";
import { type listedCertificate, reconciled } from "../../pipeline/reconcile/index.ts";
import { replay, replayPlan, type replayRefusal } from "../../pipeline/replay/index.ts";
import { FAILED_CHECKS, type FailedCheck } from "../../platform/config/index.ts";
import type { erased } from "../erase.ts";
import type { pauseResult } from "../pause.ts";
import type { retentionResult } from "../retention.ts";
import type { alarm } from "../status.ts";
import type { Either } from "../views/view.ts";
import { answeredId, bodyShown, decimal, eventState, shownVerdict, time, verdict, whole } from "./fields.ts";

// Results of operations, and their types for the views. Results of other modules stand there.

export const listedCallback = z.object({
  id: answeredId,
  receivedAt: time,
  source: z.string(),
  method: z.string(),
  path: z.string().describe("With the token masked."),
  reference: z.string().nullable(),
  remoteAddress: z.string().nullable(),
  foundBy: z.string().nullable(),
  verdict: verdict.nullable().describe("The best verdict of its invoices, or its own."),
  failedCheck: z
    .enum(Object.keys(FAILED_CHECKS) as FailedCheck[])
    .nullable()
    .describe("Of a refused one: the check of its source that it failed, when it came."),
  invoiceIds: z.array(answeredId),
  bytes: whole.nullable().describe("Size of the body as it was sent; null once erased."),
  erasedAt: time.nullable(),
});

export const callbackShown = listedCallback.extend({
  query: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])).describe("In their original order; secrets are ***."),
  ...bodyShown,
  erasedDigest: z.string().nullable().describe("SHA-256 (hex) of the erased body."),
  ids: z.array(
    z.object({
      invoiceId: answeredId,
      foundBy: z.string().nullable(),
      state: z.enum(["due", "claimed", "done", "dead"]).nullable(),
      verdict: shownVerdict.nullable(),
    }),
  ),
});

export type ListedCallback = Either<z.output<typeof listedCallback>>;
export type CallbackShown = Either<z.output<typeof callbackShown>>;

export type Replay = Either<z.output<typeof replay>>;
export type Refusal = Either<z.output<typeof replayRefusal>>;
export type Plan = Either<z.output<typeof replayPlan>>;

export const replayStarted = z.object({
  replay: replay.nullable().describe("null for a dry run or when nothing matches."),
  plan: replayPlan.nullable().describe("Of a dry run."),
});

export const undelivered = z.object({
  kind: z.enum(["confirmation", "event"]),
  invoiceId: answeredId,
  eventId: answeredId.nullable(),
  source: z.string(),
  collection: z.string().nullable(),
  reference: z.string().nullable(),
  amount: z.string().nullable().describe("The total, as a decimal string."),
  since: time,
  attempts: whole,
  error: z.string().nullable(),
  dismissedAt: time.nullable(),
});

export const decision = z.object({
  dryRun: z.boolean(),
  count: whole,
  items: z.array(undelivered).describe("The first hundred of them."),
});

export type Undelivered = Either<z.output<typeof undelivered>>;
export type Decision = Either<z.output<typeof decision>>;

export type ListedCertificate = Either<z.output<typeof listedCertificate>>;

export const reconcileResult = z.array(reconciled);
export type Reconciled = Either<z.output<typeof reconcileResult>>;

export const change = z.object({
  id: whole,
  at: time,
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  invoiceId: answeredId.nullable(),
  detail: z.record(z.string(), z.unknown()),
});
export type Kept = Either<z.output<typeof retentionResult>>;
export type Change = Either<z.output<typeof change>>;

export type Paused = Either<z.output<typeof pauseResult>>;

export type ListedAlarm = Either<z.output<typeof alarm>>;

export const listedInvoice = z.object({
  invoiceId: answeredId,
  source: z.string(),
  status: z.string().nullable().describe("The provider's status; null if it has not confirmed the invoice."),
  type: z.string().nullable(),
  reference: z.string().nullable(),
  collection: z.string().nullable(),
  totalAmount: decimal.nullable(),
  paidAt: time.nullable(),
  confirmedAt: time.nullable(),
  verdict: shownVerdict.nullable(),
  event: eventState.nullable().describe("The state of its event; null without one."),
});

export const invoiceEvidence = z.object({
  invoiceId: answeredId,
  answers: z
    .array(
      z.object({
        source: z.string(),
        newest: z.boolean(),
        status: z.string(),
        askedAt: time,
        document: z.string().describe("The provider's JSON, digit for digit."),
        erasedAt: time.nullable(),
      }),
    )
    .describe("The provider's newest answers, at most five."),
  events: z.array(
    z.object({
      source: z.string(),
      id: answeredId,
      type: z.string(),
      createdAt: time,
      state: eventState,
      payload: z.string().describe("Exactly as published."),
      erasedAt: time.nullable(),
      publications: z.array(
        z.object({
          topicArn: z.string(),
          messageId: z.string(),
          publishedAt: time,
          replayId: answeredId.nullable(),
          digest: z.string().nullable().describe("SHA-256, in hex, of the payload that was sent."),
        }),
      ),
    }),
  ),
});

export type ListedInvoice = Either<z.output<typeof listedInvoice>>;
export type InvoiceEvidence = Either<z.output<typeof invoiceEvidence>>;
export type Erased = Either<z.output<typeof erased>>;
