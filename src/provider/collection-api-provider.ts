import { randomUUID } from "node:crypto";
import { messageOf } from "../platform/errors/index.ts";
import { quietText, storableText, withoutCallbackTokens } from "../platform/values/index.ts";
import {
  CollectionApiError,
  type CollectionApiErrorKind,
  CollectionClient,
  type CollectionClientOptions,
} from "./collection-api/index.ts";
import { type NotFound, type Provider, type Refusal, statusText } from "./provider.ts";

/** The relay's meaning of each error of the client. */
const MEANING: Record<CollectionApiErrorKind, NotFound["kind"] | Refusal["kind"]> = {
  not_found: "not_found",
  rate_limited: "rate_limited",
  key_refused: "key_refused",
  timeout: "fault",
  unreachable: "fault",
  server_fault: "fault",
  broken_json: "fault",
  redirected: "fault",
  invalid: "outside_contract",
  rule_refused: "outside_contract",
  outside_contract: "outside_contract",
  wrong_id: "outside_contract",
  too_large: "outside_contract",
  aborted: "interrupted",
};

/** An account at the Invoice Collection API, behind the port. */
export function collectionApiProvider(options: CollectionClientOptions): Provider {
  const client = new CollectionClient(options);
  const provider: Provider = {
    askInvoice: (invoiceId, ask) =>
      answered(async () => {
        const { invoice, document, leftOut } = await client.getInvoice(invoiceId, ask);
        const status = statusText(invoice.status);
        return { kind: "found", invoice: { ...invoice, status }, document, leftOut, receivedAt: new Date() };
      }),
    readPage: ({ collectionId, ...filter }, ask) =>
      answered(async () => {
        const page = await client.listInvoices(collectionId, filter, ask);
        return { kind: "page", page };
      }),
    getCollection: (id, ask) =>
      answered(async () => {
        const collection = await client.getCollection(id, ask);
        return { kind: "found", collection };
      }),
    async proveKey(ask) {
      const answer = await provider.askInvoice(randomUUID(), ask);
      if (answer.kind === "key_refused") return { kind: "refused", error: answer.error };
      if (answer.kind === "not_found" && answer.inOwnWords) return { kind: "taken" };
      if (answer.kind === "interrupted") return { kind: "unclear", error: "stopped before it answered" };
      const error = answer.kind === "found" ? "it knows an invoice that was made up" : answer.error;
      return { kind: "unclear", error };
    },
    close: () => client.close(),
  };
  return provider;
}

async function answered<Found>(call: () => Promise<Found>): Promise<Found | NotFound | Refusal> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof CollectionApiError))
      return { kind: "fault", error: storableText(messageOf(error)) };
    return refusalOf(error);
  }
}

function refusalOf(fault: CollectionApiError): NotFound | Refusal {
  const error = storableText(quietText(fault.summary));
  const kind = MEANING[fault.kind];
  switch (kind) {
    case "not_found":
      return { kind, error, inOwnWords: fault.inEnvelope };
    case "rate_limited":
      return { kind, error, retryAfterMs: fault.retryAfterMs ?? null };
    case "outside_contract":
      return { kind, error, evidence: storableText(withoutCallbackTokens(fault.evidence ?? "")) };
    case "key_refused":
    case "fault":
      return { kind, error };
    case "interrupted":
      return { kind };
  }
}
