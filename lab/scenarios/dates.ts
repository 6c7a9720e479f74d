const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

interface Payment {
  at: Date;
  createdAt: Date;
  /** Of the provider's clocks. */
  zone: string;
}

/** What the provider's clocks show, as ISO 8601 without a zone. */
const wall = ({ at, zone }: Payment): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" })
    .format(at)
    .replace(" ", "T");

/** How a time of payment is written down. */
const FORMS = {
  utc: ({ at }) => at.toISOString(),
  offset: ({ at }) => new Date(at.getTime() + 330 * MINUTE_MS).toISOString().replace(".000Z", "+05:30"),
  "without a zone": wall,
  day: (payment) => wall(payment).slice(0, 10),
  none: () => null,
  empty: () => "",
  garbage: () => "soon",
  "in the future": () => "2199-01-01T00:00:00Z",
  "before creation": ({ createdAt }) => new Date(createdAt.getTime() - 400 * DAY_MS).toISOString(),
  "year 1": () => "0001-01-01T00:00:00",
  milliseconds: ({ at }) => at.getTime(),
  "an impossible zone": ({ at }) => at.toISOString().replace(".000Z", "+99:99"),
  "another calendar": ({ at }) => `${at.getUTCFullYear() + 543}${at.toISOString().slice(4)}`,
  "an impossible day": ({ at }) => `${at.getUTCFullYear()}-02-30T10:00:00Z`,
} satisfies Record<string, (payment: Payment) => string | number | null>;

export type DateForm = keyof typeof FORMS;
export const DATE_FORMS = Object.keys(FORMS) as DateForm[];

/** What a provider writes for a payment's time in this form; null while nothing is paid. */
export const written = (form: DateForm, at: Date | null, rest: Omit<Payment, "at">) =>
  at === null ? null : FORMS[form]({ at, ...rest });

/** The moments that this may rightly be taken for; none when it names none. */
export function meanings(form: DateForm, moment: Date | null): Date[] {
  if (moment === null) return [];
  if (form === "utc" || form === "offset" || form === "without a zone") return [moment];
  // A day is some moment of it, in some zone.
  if (form === "day")
    return [new Date(moment.getTime() - DAY_MS), new Date(moment.getTime() + DAY_MS), moment];
  return [];
}

/** Some readers may take it for a moment and some for none. */
export const isDoubtful = (form: DateForm): boolean => form === "milliseconds";
