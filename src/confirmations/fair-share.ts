import { type RawBuilder, sql } from "kysely";
import type { Slots } from "../database/statement.ts";
import type { Claiming } from "./claim.ts";
import { type Class, dueIn, nameOf } from "./classes.ts";

/** Every class that has work due gets at least this share of each claim, so that none starves. */
export const RESERVED_SHARE = 1 / 8;

/** How much of a claim each class gets. */
export class Share<Given extends Claiming> {
  readonly #slots: Slots<Given>;
  readonly #classes: readonly Class[];
  readonly #reserved: RawBuilder<unknown>;

  constructor(slots: Slots<Given>, classes: readonly Class[], reserved: RawBuilder<unknown>) {
    this.#slots = slots;
    this.#classes = classes;
    this.#reserved = reserved;
  }

  /** What earlier classes left of the claim, less what is reserved for later ones. */
  of(place: number): RawBuilder<unknown> {
    const own = this.#classes[place];
    if (own === undefined) return sql`0`;
    const before = [...this.#classes.keys()].filter((other) => other < place);
    const same = before.filter((other) => this.#classes[other]?.priority === own.priority);
    const waiting = this.#classes.slice(place + 1).map((one) => {
      const due = sql`select from confirmation where ${dueIn(one)} limit ${this.#reserved}`;
      return sql`least(${this.#mostOf(one)}, (select count(*) from (${due}) as waiting))`;
    });
    return sql`greatest(0, least(
      ${this.#total} - (${sum(before.map(countOf))}) - (${sum(waiting)}),
      ${this.#mostOf(own)} - (${sum(same.map(countOf))})))`;
  }

  get #total(): RawBuilder<unknown> {
    return sql`${this.#slots.value(({ total }) => total)}::bigint`;
  }

  #mostOf({ priority }: Class): RawBuilder<unknown> {
    if (priority === "known") return this.#total;
    const most = this.#slots.value((given) => (priority === "unknown" ? given.unknown : given.replays));
    return sql`${most}::bigint`;
  }
}

const countOf = (place: number) => sql`(select count(*) from ${nameOf(place)})`;

const sum = (terms: readonly RawBuilder<unknown>[]) => sql.join([sql`0`, ...terms], sql` + `);
