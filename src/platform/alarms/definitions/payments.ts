import type { Remedy } from "../../errors/index.ts";
import type { AlarmAbout, AlarmDefinition } from "../alarm-definition.ts";

const showInvoice = ({ subject: id }: AlarmAbout): Remedy => ({ operation: "showInvoice", args: { id } });
const showDead = ({ subject: id }: AlarmAbout): Remedy => ({ operation: "showDead", args: { id } });
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
      "An answer about one invoice is not what the provider's API promises. It is kept as evidence until a " +
      "better answer comes, asked again on the ladder, then dead.",
    ends: "with the next good answer, a verdict, or a dismissal.",
    action: "Look at the answer, and tell the provider; it is asked again.",
    remedy: showInvoice,
    todo:
      "`invoice-relay invoice <id>` shows the evidence. Ask the provider. If their API changed, this " +
      "program has to learn it.",
  },
  confirmation_dead: {
    severity: "critical",
    title: ["a confirmation was given up", "confirmations given up"],
    about: "dead_letter",
    means:
      "A confirmation was given up: until the end of the ladder its answers stayed outside the contract, " +
      "its status unknown, or its type neither Live nor Test.",
    ends: "with a retry, a dismissal or a later verdict.",
    action: "Read why; once the cause is gone, retry it.",
    remedy: showDead,
    listedBy: DEAD,
    todo:
      "`invoice-relay dead show <id>`. A status that means paid: add it to `PAID_STATUSES`. Paid and of " +
      "another type, or of none: it is published nowhere, so ask the provider to correct the type. Then " +
      "`invoice-relay dead retry <id>`, or `dead dismiss <id>` where it is no payment.",
  },
  invoice_quarantined: {
    severity: "warning",
    title: ["a paid invoice in quarantine", "paid invoices in quarantine"],
    about: "quarantined_invoice",
    means: "A paid invoice belongs to no collection in `COLLECTION_IDS`; its event waits.",
    ends: "with a release or a dismissal, or when a later answer names one of them.",
    action:
      "If the collection is yours, release it, and add the collection to COLLECTION_IDS. If not, dismiss it.",
    remedy: ({ subject }) => ({ operation: "showQuarantine", args: { id: subject } }),
    listedBy: { operation: "listQuarantine", args: {} },
    todo:
      "`invoice-relay quarantine show <id>`. Ours: add the collection, then `quarantine release <id>`, which " +
      "publishes it. Somebody else's: `quarantine dismiss <id>`; certificates then name it as a note, and count " +
      "it nowhere.",
  },
  invoice_anomaly: {
    severity: "warning",
    title: ["something is odd about an invoice", "invoices with something odd about them"],
    about: "invoice",
    means:
      "An answer is odd: a total that does not add up or cannot be read, a date in the future or one that is " +
      "none, paid after invalid, paid and then not. The payment is published all the same, with two " +
      "exceptions, which the detail names: while a collection in `COLLECTION_IDS` cannot be read, a paid invoice that may be its own waits; and one " +
      "whose type is neither Live nor Test waits until the provider says which it is, as nobody can tell " +
      "its topic.",
    ends: "when a later answer is in order, or a person closes it.",
    action: "Compare what the provider answered, and ask them.",
    remedy: showInvoice,
    todo:
      "Read the detail, look at `invoice-relay invoice <id>`, ask the provider.\n\n" +
      "A type that changes after the event was made does not change the event. From Live to Test: it went " +
      "to the live topic and stays there, so tell the consumers if it is no payment; certificates note it " +
      "(`type_changed`). From Test to Live: nobody on the live topic has heard of the payment, and " +
      "certificates name it (`wrong_topic`, `held`) until a person sends it there: `invoice-relay replay " +
      "events --invoice <id> --topic <live topic's ARN> --reason <why>`, which is audited and keeps the " +
      "event's id. Its `data.type` and `invoiceType` still say `Test`, and it has the attribute `replay`: " +
      "tell consumers that leave Test invoices out. From then on certificates note it.",
  },
  invoice_unanswered: {
    severity: "warning",
    title: ["an invoice gets no usable answer", "invoices get no usable answer"],
    about: "invoice",
    means:
      "The provider fails or refuses to answer about this one invoice, twenty times in a row and more, " +
      "while it answers about others. It waits, and is asked for every ten seconds.",
    ends: "with the first answer about it.",
    action:
      "Ask the provider why it answers about others and not about this one; it goes on being asked for.",
    remedy: showInvoice,
    todo: "`invoice-relay invoice <id>` has the provider's words. Ask the provider.",
  },
  event_dead: {
    severity: "critical",
    title: ["an event was given up", "events given up"],
    about: "dead_letter",
    means: "SNS refused this event as our fault; sent alone, it was refused again.",
    ends: "with a retry or a dismissal.",
    action: "Read why; once the cause is gone, retry it.",
    remedy: showDead,
    listedBy: DEAD,
    todo:
      "`invoice-relay dead show <event id>` has SNS' words. Mend the topic (policy, encryption, FIFO), then " +
      "`invoice-relay dead retry <event id>`.",
  },
  event_truncated: {
    severity: "warning",
    title: ["an event was too large and lost its metadata", "events were too large and lost their metadata"],
    about: "invoice",
    means:
      "An invoice is too large for one SNS message (256 KiB), or fields of the provider's answer are nested " +
      "too deep or of too many pieces to be read: its event went out without metadata and beneficiaries, " +
      "with `truncated` true.",
    ends: "a day after it was last seen.",
    quietAfter: "1 day",
    action: "Consumers got the event without metadata and beneficiaries; they can ask the provider for them.",
    remedy: showInvoice,
    todo: "Tell the consumers, who read the rest from the provider's Get Invoice. Nothing waits.",
  },
} as const satisfies Record<string, AlarmDefinition>;
