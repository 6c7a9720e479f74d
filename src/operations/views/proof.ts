import { countText } from "../../platform/values/text.ts";
import { bookDayOf, lastBookDay } from "../../platform/values/time.ts";
import type { ListedCertificate, Reconciled } from "../list/results.ts";
import { count, id, listOf, money, type Rows, source, state, text, time, type View } from "./view.ts";

export const CERTIFICATES: Rows<ListedCertificate> = {
  one: "certificate",
  id: id("Certificate", "id", { of: "certificate" }),
  columns: [
    text("From", ({ from, timeZone }) => bookDayOf(new Date(from), timeZone)),
    text("To", ({ to, timeZone }) => lastBookDay({ to: new Date(to) }, timeZone)),
    state("Result", ({ result, lastError }) => result ?? (lastError === null ? "being made" : "not made"), {
      note: ({ lastError }) => lastError,
    }),
    count("Gaps", "gaps"),
    count("Paid", "paid"),
    money("Amount", "paidAmount"),
    time("Made", "madeAt", { note: ({ daily }) => (daily ? "daily" : null) }),
    text("Collections", ({ collections }) =>
      collections.length === 1 ? collections[0] : `all ${collections.length}`,
    ),
    source(),
  ],
  none: "There are no certificates yet.",
  why: "serve makes one each day; certify makes one now.",
};

type Done = Reconciled[number];

const COUNTS: Rows<Done> = {
  one: "list",
  columns: [
    source(),
    id("Collection", "collectionId"),
    text("Payments", ({ from, to, zone }) => `${from} to ${to} (${zone})`),
    count("Paid", "listed"),
    count("Without event", "missing"),
    count("Healed", "opened"),
  ],
};

const UNPROVEN: Rows<Done["unproven"][number] & { collectionId: string }> = {
  one: "part",
  columns: [id("Collection", "collectionId"), text("From", "first"), text("To", "last"), text("Why", "why")],
};

export const RECONCILED: View<Reconciled> = {
  says(all) {
    const sum = (of: "missing" | "opened") => all.reduce((count, one) => count + one[of], 0);
    if (sum("missing") === 0) return "Nothing was missing: every listed payment is known here.";
    return (
      `${countText(sum("missing"))} missing; ${countText(sum("opened"))} asked about now. ` +
      "Payments from before the first serve are recorded only, unless they were to be published as well. Certify again in a moment to prove it."
    );
  },
  lists: [
    listOf((all) => all, COUNTS, "Lists of the provider"),
    listOf(
      (all) => all.flatMap(({ collectionId, unproven }) => unproven.map((one) => ({ ...one, collectionId }))),
      UNPROVEN,
      "Lists not proven complete; their entries were used",
    ),
  ],
};
