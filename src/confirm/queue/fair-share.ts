import { type RawBuilder, sql } from "kysely";
import type { Slots } from "../../database/statement.ts";
import type { Claiming } from "./claim.ts";
import { type Class, dueIn, nameOf } from "./classes.ts";
import type { Priority } from "./confirmation.ts";

/** Every class that has work due gets at least this share of what is claimed, so that none starves. */
const RESERVED_SHARE = 1 / 8;

const mostOf = (priority: Priority, { total, unknown, replays }: Claiming): number =>
  ({ known: total, unknown, replay: replays })[priority];

/**
 * How many places of one claim are kept for the class in that place. Parts of a place go round by chance:
 * over many claims each class gets its share exactly, of claims for a single place too, and no claim keeps
 * more than it has. Classes of one priority share what that priority may have. Pure.
 */
export function reservedFor(place: number, classes: readonly Class[], claiming: Claiming): number {
  const shares = classes.map(({ priority }) => {
    const ofPriority = classes.filter((other) => other.priority === priority).length;
    return Math.min(claiming.total * RESERVED_SHARE, mostOf(priority, claiming) / ofPriority);
  });
  const before = shares.slice(0, place).reduce((sum, share) => sum + share, claiming.chance);
  return Math.floor(before + (shares[place] ?? 0)) - Math.floor(before);
}

/** How much of a claim each class gets. */
export class Share<Given extends Claiming> {
  readonly #slots: Slots<Given>;
  readonly #classes: readonly Class[];

  constructor(slots: Slots<Given>, classes: readonly Class[]) {
    this.#slots = slots;
    this.#classes = classes;
  }

  /** A row of how many of its reserved places each class after the first has work for. */
  get waiting(): RawBuilder<unknown> {
    const counts = this.#classes.map((one, place) => {
      const reserved = this.#slots.value((given) => reservedFor(place, this.#classes, given));
      const due = sql`select from confirmation where ${isDue(one)} limit ${reserved}`;
      return sql`(select count(*) from (${due}) as due) as ${nameOf(place)}`;
    });
    return sql`select ${sql.join(counts.slice(1))}`;
  }

  /** What earlier classes left of the claim, and of what its priority may have, less what waits later. */
  of(place: number): RawBuilder<unknown> {
    const own = this.#classes[place];
    const others = [...this.#classes.keys()].filter((other) => other !== place);
    const same = others.filter((other) => this.#classes[other]?.priority === own?.priority);
    const left = (most: RawBuilder<unknown>, among: readonly number[]) => sql`
      ${most}::bigint - (${sum(among.filter((other) => other < place).map(countOf))})
        - (${sum(among.filter((other) => other > place).map(waitingIn))})`;
    const { value } = this.#slots;
    const total = left(
      value((given) => given.total),
      others,
    );
    if (own === undefined || own.priority === "known") return sql`greatest(0, ${total})`;
    return sql`greatest(0, least(${total}, ${left(
      value((given) => mostOf(own.priority, given)),
      same,
    )}))`;
  }
}

/** Both kinds by name: before Postgres 18 the index would be read past all that is not due yet. */
const isDue = (one: Class) =>
  one.askedBefore === null ? sql`${dueIn(one)} and least(attempt + faults, 1) in (0, 1)` : dueIn(one);

const countOf = (place: number) => sql`(select count(*) from ${nameOf(place)})`;

const waitingIn = (place: number) => sql`(select ${nameOf(place)} from waiting)`;

const sum = (terms: readonly RawBuilder<unknown>[]) => sql.join([sql`0`, ...terms], sql` + `);
