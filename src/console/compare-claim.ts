/** A field of what a callback claimed, beside the provider's answer. */
export interface Compared {
  /** Where it stands in the claim, such as `data.amount`. */
  field: string;
  claimed: string;
  /** null when the answer has no such field. */
  answered: string | null;
  /** null when there is nothing to compare it with. */
  same: boolean | null;
}

type Leaves = [path: string, value: string][];

/** More of a claim than a person reads. */
const MOST_FIELDS = 100;
const DEEPEST = 8;

/** Longer texts are for the eye alone, in characters: nobody waits while they are taken apart (G12). */
const LONGEST = 32_768;

/**
 * What a callback claimed beside what the provider answered, field by field: those of the same name, wherever
 * they stand. Amounts are compared as numbers, times as moments. Pure.
 * @param claim the callback's body as text: JSON or a form; nothing is compared of anything else.
 * @param answer the provider's JSON; null when there is none.
 */
export function compareClaim(claim: string, answer: string | null): Compared[] {
  const answered = new Map(
    leavesOf(parsed(answer ?? ""))
      .reverse()
      .map(([path, value]) => [nameOf(path), value]),
  );
  const leaves = leavesOf(parsed(claim) ?? formIn(claim));
  const compared = theInvoices(leaves, answered);
  return leaves.map(([field, claimed]) => {
    const value = compared.has(field) ? (answered.get(nameOf(field)) ?? null) : null;
    if (value === null) return { field, claimed, answered: null, same: null };
    // What the answer hides is hidden here, too.
    if (isMasked(claimed, value)) return { field, claimed: value, answered: value, same: true };
    return { field, claimed, answered: value, same: isSame(claimed, value) };
  });
}

/** Of fields of one name, that which stands with the most others of the invoice: an envelope has an `id`, too. */
function theInvoices(leaves: Leaves, answered: ReadonlyMap<string, string>): ReadonlySet<string> {
  const known = leaves.map(([path]) => path).filter((path) => answered.has(nameOf(path)));
  const beside = Map.groupBy(known, parentOf);
  const company = (path: string) => beside.get(parentOf(path))?.length ?? 0;
  return new Set(
    [...Map.groupBy(known, nameOf).values()].flatMap((paths) => {
      const most = Math.max(...paths.map(company));
      return paths.find((path) => company(path) === most) ?? [];
    }),
  );
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")));

/** Whether it is the same but for a secret that stands as *** in the answer. */
function isMasked(claimed: string, answered: string): boolean {
  const [before = "", after] = answered.split("***");
  return after !== undefined && claimed.startsWith(before) && claimed.endsWith(after);
}

/** Statuses have two names (interface, part B). */
const nameOf = (path: string): string => {
  const name = path
    .slice(path.lastIndexOf(".") + 1)
    .replaceAll(/[_-]/g, "")
    .toLowerCase();
  return { invoicestatus: "status", invoiceid: "id" }[name] ?? name;
};

function parsed(text: string): unknown {
  if (text.length > LONGEST) return undefined;
  try {
    return JSON.parse(text, (_key, value, context?: { source?: string }) =>
      typeof value === "number" ? new Digits(context?.source ?? String(value)) : value,
    );
  } catch {
    return undefined;
  }
}

/** A number as it was written. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function formIn(text: string): unknown {
  return text.length <= LONGEST && /^[^\s={}<>]{1,200}=/.test(text)
    ? Object.fromEntries(new URLSearchParams(text))
    : undefined;
}

function leavesOf(value: unknown, path = "", depth = 0): Leaves {
  if (value === undefined || value === null) return [];
  if (value instanceof Digits) return [[path, value.text]];
  if (typeof value !== "object") return path === "" ? [] : [[path, String(value)]];
  if (depth >= DEEPEST) return [];
  const leaves: Leaves = [];
  for (const [key, inner] of Object.entries(value)) {
    leaves.push(...leavesOf(inner, path === "" ? key : `${path}.${key}`, depth + 1));
    if (leaves.length >= MOST_FIELDS) return leaves.slice(0, MOST_FIELDS);
  }
  return leaves;
}

const NUMBER = /^-?\d+(\.\d+)?$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;

function isSame(claimed: string, answered: string): boolean {
  const [one, other] = [claimed.trim(), answered.trim()];
  if (one.toLowerCase() === other.toLowerCase()) return true;
  if (NUMBER.test(one) && NUMBER.test(other)) return plain(one) === plain(other);
  if (MOMENT.test(one) && MOMENT.test(other)) return Date.parse(one) === Date.parse(other);
  return false;
}

/** Without the zeros that say nothing. */
const plain = (digits: string): string =>
  digits
    .replace(/^(-?)0+(?=\d)/, "$1")
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
