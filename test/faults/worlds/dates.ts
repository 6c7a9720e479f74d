import type { DateForm } from "./plan.ts";

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** How far a zone's clocks are ahead of UTC at a moment, in ms. */
function offsetMs(moment: Date, zone: string): number {
  const shown = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  const wall = Date.parse(`${shown.format(moment).replace(" ", "T")}Z`);
  return wall - Math.floor(moment.getTime() / 1_000) * 1_000;
}

/** What the zone's clocks show, as ISO 8601 without a zone. */
const wallIn = (moment: Date, zone: string): string =>
  new Date(moment.getTime() + offsetMs(moment, zone)).toISOString().slice(0, 19);

/** The text, or number, that a provider writes for a moment in this form. */
export function written(
  form: DateForm,
  moment: Date | null,
  { zone, createdAt }: { zone: string; createdAt: Date },
): string | number | null {
  if (moment === null) return null;
  const utc = moment.toISOString();
  switch (form) {
    case "utc":
      return utc;
    case "offset":
      return `${new Date(moment.getTime() + 330 * MINUTE_MS).toISOString().slice(0, 19)}+05:30`;
    case "without a zone":
      return wallIn(moment, zone);
    case "day":
      return wallIn(moment, zone).slice(0, 10);
    case "empty":
      return "";
    case "garbage":
      return "soon";
    case "in the future":
      return "2199-01-01T00:00:00Z";
    case "before creation":
      return new Date(createdAt.getTime() - 400 * DAY_MS).toISOString();
    case "year 1":
      return "0001-01-01T00:00:00";
    case "milliseconds":
      return moment.getTime();
    case "an impossible zone":
      return `${utc.slice(0, 19)}+99:99`;
    case "another calendar":
      return `${moment.getUTCFullYear() + 543}${utc.slice(4)}`;
    case "an impossible day":
      return `${moment.getUTCFullYear()}-02-30T10:00:00Z`;
    default:
      return null;
  }
}

/** The moments that this may rightly be taken for; none when it names none. */
export function meanings(form: DateForm, moment: Date | null): Date[] {
  if (moment === null) return [];
  if (form === "utc" || form === "offset" || form === "without a zone") return [moment];
  // A day is some moment of it, in some zone.
  if (form === "day")
    return [new Date(moment.getTime() - DAY_MS), new Date(moment.getTime() + DAY_MS), moment];
  return [];
}

/** Forms that some readers may take for one moment and some for none. */
export const isDoubtful = (form: DateForm): boolean => form === "milliseconds";
