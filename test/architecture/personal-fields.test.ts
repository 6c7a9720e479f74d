import { expect, it } from "vitest";
import { invoicePaidSchema } from "../../src/events/invoice-paid.ts";
import { entryOf } from "../../src/pipeline/publish/sns-destination.ts";
import { certificate, difference } from "../../src/pipeline/reconcile/certificate/certificate.ts";
import { createLogger } from "../../src/platform/log/log.ts";
import {
  ERASED_IN_EVENT,
  maskedEvidence,
  PERSONAL_FIELDS,
  personalKind,
} from "../../src/platform/values/mask.ts";
import { invoiceWritten } from "../../src/provider/collection-api/contract/invoice.ts";

const names = PERSONAL_FIELDS.map(({ answer }) => answer);
/** The merchant's own words are shown to who may see evidence. */
const ofPersons = PERSONAL_FIELDS.filter(({ event }) => event !== "title" && event !== "reference");
const planted = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, `planted ${key}`]));

it("the list names fields of the provider's invoice, and every one of a person", () => {
  const fields = Object.keys(invoiceWritten.shape);
  expect(names.filter((name) => !fields.includes(name))).toEqual([]);
  const personal = fields.filter((field) => personalKind(field) !== null);
  expect(ofPersons.map(({ answer }) => answer).sort()).toEqual(personal.sort());
});

it("no line of the log holds one", () => {
  const lines: string[] = [];
  const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
  log.info({ ...planted(names), invoice: planted(names) }, "a line");
  expect(lines.join("")).toContain("[left out]");
  expect(lines.join("")).not.toContain("planted");
});

it("evidence on a screen holds none", () => {
  const evidence = JSON.stringify(planted(ofPersons.map(({ answer }) => answer)));
  expect(maskedEvidence(evidence)).not.toContain("planted");
});

it("an erased event holds none: what it blanks are parts of the event", () => {
  const parts = Object.keys(invoicePaidSchema.shape.data.shape);
  expect(Object.keys(ERASED_IN_EVENT).filter((part) => !parts.includes(part))).toEqual([]);
});

it("neither an attribute of a message nor a column of an export is one", () => {
  const event = {
    ...{ source: "default", id: "id", type: "invoice.paid", invoiceId: "invoice", invoiceType: "Live" },
    ...{ collectionName: "Shop", payload: "{}", traceparent: "trace" },
  };
  const { MessageAttributes = {} } = entryOf(event, "arn:aws:sns:eu-west-1:123456789012:one", "replay");
  expect(Object.keys(MessageAttributes)).toHaveLength(7);
  const exported = [certificate, difference].flatMap(({ shape }) => Object.keys(shape));
  const columns = [...Object.keys(MessageAttributes), ...exported];
  const personal = [...names, ...Object.keys(ERASED_IN_EVENT)];
  expect(columns.filter((name) => personal.includes(name) || personalKind(name) !== null)).toEqual([]);
});
