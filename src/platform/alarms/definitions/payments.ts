import type { Remedy } from "../../errors/index.ts";
import type { AlarmAbout, AlarmDefinition } from "../alarm-definition.ts";

const showInvoice = ({ subject: id }: AlarmAbout): Remedy => ({ operation: "showInvoice", args: { id } });
const DEAD: Remedy = { operation: "listDead", args: {} };

export const ALARMS_OF_PAYMENTS = {
  provider_answer_outside_contract: {
    severity: "warning",
    title: [
      "an answer of the provider is outside its contract",
      "answers of the provider are outside its contract",
    ],
    about: "invoice",
    means:
      "A response about an invoice breaks the contract of the provider's API. The relay keeps it as " +
      "evidence and retries on the retry schedule. Then the confirmation is dead.",
    ends: "with the next good response, a verdict, or a dismissal.",
    action: "Look at the answer, and tell the provider; it is asked again.",
    remedy: showInvoice,
    todo:
      "`invoice-relay invoice <id>` shows the evidence. Contact the provider. If their API changed, " +
      "this program has to change too.",
  },
  confirmation_dead: {
    severity: "critical",
    title: ["a confirmation was given up", "confirmations given up"],
    about: "dead_letter",
    means:
      "A confirmation was given up. At the end of the retry schedule the response was still outside " +
      "the contract, its status unknown, or its type neither Live nor Test.",
    ends: "with a retry, a dismissal or a later verdict.",
    action: "Read why; once the cause is gone, retry it.",
    remedy: () => DEAD,
    listedBy: DEAD,
    todo:
      "Run `invoice-relay invoice <id>`. If the status means paid, add it to `PAID_STATUSES`. If the " +
      "invoice is paid with another type, or without a type, ask the provider to correct it. Then run " +
      "`invoice-relay dead retry <id>`, or `dead dismiss <id>` if it is no payment.",
  },
  invoice_quarantined: {
    severity: "warning",
    title: ["a paid invoice in quarantine", "paid invoices in quarantine"],
    about: "quarantined_invoice",
    means: "A paid invoice belongs to no collection in `COLLECTION_IDS`; its event waits.",
    ends: "with a release or a dismissal, or with a later response that names one of these collections.",
    action:
      "If the collection is yours, release it, and add the collection to COLLECTION_IDS. If not, dismiss it.",
    remedy: () => ({ operation: "listQuarantine", args: {} }),
    listedBy: { operation: "listQuarantine", args: {} },
    todo:
      "Run `invoice-relay invoice <id>`. If the collection is yours, add it to " +
      "`COLLECTION_IDS` and run `quarantine release <id>`, which publishes the event. Otherwise run " +
      "`quarantine dismiss <id>`; certificates then name it in a note and count it nowhere.",
  },
  invoice_anomaly: {
    severity: "warning",
    title: ["something is odd about an invoice", "invoices with something odd about them"],
    about: "invoice",
    means:
      "A response contradicts itself or an earlier one: a total that does not add up, a date in the " +
      "future or an unreadable date, paid after invalid, paid and then unpaid. The payment is " +
      "published, with two exceptions that the detail names. A paid invoice waits while the relay " +
      "cannot read a collection in `COLLECTION_IDS` that it may belong to. An invoice that is neither " +
      "Live nor Test waits until the provider names its type, because the type decides the topic.",
    ends: "when a later response is in order, or a person closes it.",
    action: "Compare what the provider answered, and ask them.",
    remedy: showInvoice,
    todo:
      "Read the detail and `invoice-relay invoice <id>`, and contact the provider.\n\nA type that " +
      "changes after the event was made does not change the event. From Live to Test: the event stays " +
      "on the live topic, so inform the consumers if it is no payment; certificates note it " +
      "(`type_changed`). From Test to Live: the live topic lacks the payment, and certificates name it " +
      "(`wrong_topic`, `held`) until a person sends it: `invoice-relay replay events --invoice <id> " +
      "--topic <live topic's ARN> --reason <why>`. The replay keeps the event's id and is audited. Its " +
      "`data.type` and `invoiceType` are still `Test`, and it has the attribute `replay`, so inform " +
      "consumers that ignore Test invoices.",
  },
  invoice_unanswered: {
    severity: "warning",
    title: ["an invoice gets no usable answer", "invoices get no usable answer"],
    about: "invoice",
    means:
      "The provider fails for this invoice twenty times in a row, while it responds for others. The " +
      "relay retries every ten seconds.",
    ends: "with the first response about it.",
    action: "Ask the provider why it answers about others and not about this one; requests for it go on.",
    remedy: showInvoice,
    todo: "`invoice-relay invoice <id>` shows the provider's words. Contact the provider.",
  },
  event_dead: {
    severity: "critical",
    title: ["an event was given up", "events given up"],
    about: "dead_letter",
    means: "SNS refused this event as the sender's fault, in a batch and alone.",
    ends: "with a retry or a dismissal.",
    action: "Read why; once the cause is gone, retry it.",
    remedy: () => DEAD,
    listedBy: DEAD,
    todo:
      "`invoice-relay dead list --kind event` shows SNS' words. Correct the topic (policy, encryption, " +
      "FIFO), then run `invoice-relay dead retry <event id>`.",
  },
  event_truncated: {
    severity: "warning",
    title: ["an event was too large and lost its metadata", "events were too large and lost their metadata"],
    about: "invoice",
    means:
      "An invoice is too large for an SNS message (256 KiB), or the provider's fields are nested too " +
      "deeply to be read. The event was published without metadata and beneficiaries, with `truncated` " +
      "true.",
    ends: "a day after the last one.",
    quietAfter: "1 day",
    action: "Consumers got the event without metadata and beneficiaries; they can ask the provider for them.",
    remedy: showInvoice,
    todo: "Inform the consumers, who can read the rest from the provider's Get Invoice. Nothing waits.",
  },
} as const satisfies Record<string, AlarmDefinition>;
