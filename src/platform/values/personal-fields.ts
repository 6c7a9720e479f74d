// Which fields are about a person: the one list behind the log's mask, the mask of evidence, erasing, and the
// tests that no attribute of a message, column of an export or line of a log holds one.

/** A field of the provider's answer, the part of our event that repeats it, and its column in `invoice`. */
interface PersonalField {
  answer: string;
  event: "payer" | "biller" | "metadata" | "title" | "reference";
  column?: string;
}

export const PERSONAL_FIELDS: readonly PersonalField[] = [
  { answer: "payerName", event: "payer" },
  { answer: "payerEmail", event: "payer", column: "payer_email_hash" },
  { answer: "payerPhoneNumber", event: "payer" },
  { answer: "billerName", event: "biller" },
  { answer: "billerAddress", event: "biller" },
  { answer: "billerEmail", event: "biller" },
  { answer: "billerMetaData", event: "metadata" },
  // The merchant's own words, which may name anyone.
  { answer: "title", event: "title", column: "title" },
  { answer: "callBackUrl", event: "reference", column: "reference" },
];

/** What stands in an erased event instead. */
export const ERASED_IN_EVENT: Readonly<Record<string, unknown>> = Object.fromEntries(
  PERSONAL_FIELDS.map(({ event }) => [event, event === "metadata" ? {} : null]),
);

/** The columns of `invoice` that erasing empties. */
export const ERASED_COLUMNS = PERSONAL_FIELDS.flatMap(({ column = [] }) => column);

/** Whose name a key may hold; collection, bank and channel names are not personal. */
const NAMES = new Set(
  ["", "payer", "biller", "customer", "user", "first", "last", "full", "account"].map(
    (whose) => `${whose}name`,
  ),
);
const CONTACT = /(?:email|phone|phonenumber|address|accountnumber)$/;
const METADATA = new Set(["metadata", "billermetadata"]);

/** The text of a person, or an object in which anything may stand. Keys without `_`, in lower case. */
export function personalKind(key: string): "text" | "object" | null {
  const plain = key.replaceAll("_", "").toLowerCase();
  if (METADATA.has(plain)) return "object";
  return NAMES.has(plain) || CONTACT.test(plain) ? "text" : null;
}
