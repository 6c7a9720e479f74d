import { whyRefused } from "../../platform/config/failed-checks.ts";
import type { CallbackShown, ListedCallback } from "../list/results.ts";
import { count, id, listOf, type Rows, raw, source, state, text, time, type View } from "./view.ts";

const RECEIVED = time<ListedCallback>("Received", "receivedAt", { phone: "lead" });
const FATE = state<ListedCallback>("Verdict", ({ verdict }) => verdict ?? "pending", {
  note: ({ verdict, failedCheck }) => (verdict === "refused" ? whyRefused(failedCheck) : null),
  phone: "side",
});
const REFERENCE = text<ListedCallback>("Reference", "reference");
const SENDER = text<ListedCallback>("Sender", "remoteAddress", { phone: "away" });
const BYTES = count<ListedCallback>("Bytes", "bytes", { phone: "away" });
const SOURCE = source<ListedCallback>();
const ID = id<ListedCallback>("Callback", "id", { of: "callback" });

export const CALLBACKS: Rows<ListedCallback> = {
  one: "callback",
  id: ID,
  columns: [
    RECEIVED,
    FATE,
    REFERENCE,
    id("Invoice", "invoiceIds", { of: "invoice", phone: "away" }),
    text("Id found in", "foundBy"),
    SENDER,
    BYTES,
    SOURCE,
  ],
  none: "No callback has come in yet.",
  why: "A callback with a wrong token is answered 404 and not recorded.",
};

const FOUND: Rows<CallbackShown["ids"][number] & { shown: string }> = {
  one: "id",
  id: id("Invoice", "invoiceId", { of: "invoice" }),
  columns: [text("Found in", "foundBy"), state("Verdict", "shown")],
  none: "No part of the callback looks like an invoice's id.",
};

/** An id without a confirmation has no verdict of its own. */
const idsIn = ({ ids, verdict: own }: CallbackShown) =>
  ids.map((one) => ({
    ...one,
    shown: one.verdict ?? (own === "refused" ? "not_asked_about" : "unknown_invoice"),
  }));

const HEADERS: Rows<CallbackShown["headers"][number]> = {
  one: "header",
  columns: [text("Header", ([name]) => name), text("Value", ([, value]) => value)],
};

export const CALLBACK: View<CallbackShown> = {
  facts: [
    ID,
    RECEIVED,
    text("Request", ({ method, path, query }) => `${method} ${path}${query && `?${query}`}`),
    SENDER,
    REFERENCE,
    SOURCE,
    FATE,
    BYTES,
    time("Erased", "erasedAt"),
    text("SHA-256 of the erased body", "erasedDigest"),
    raw("Body", "text"),
  ],
  lists: [listOf(idsIn, FOUND, "Ids found in it"), listOf("headers", HEADERS, "Headers")],
};
