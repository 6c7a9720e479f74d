import { RelayError } from "../../kit/errors.ts";
import { type Money, sumOfMoney } from "../../provider/provider.ts";

export interface Group<Key> {
  key: Key;
  payments: number;
  sums: Money[];
}

/** More groups than anybody reads; as many fit into memory. */
const GROUP_LIMIT = 100_000;

/** What one payment adds to a group; null adds nothing. */
export interface Addend<Key> {
  key: Key;
  amounts: readonly (Money | null)[];
}

/**
 * Adds up payments by their keys, in the order of the keys' texts.
 * @param key arrays of texts and nulls are the same when their parts are.
 * @throws RelayError when there are more than 100,000 groups.
 */
export async function groupsOf<Key extends readonly (string | null)[]>(
  addends: AsyncIterable<Addend<Key>>,
): Promise<Group<Key>[]> {
  const groups = new Map<string, Group<Key>>();
  for await (const { key, amounts } of addends) {
    const name = JSON.stringify(key);
    const group = groups.get(name) ?? { key, payments: 0, sums: amounts.map(() => "0.00") };
    groups.set(name, group);
    if (groups.size > GROUP_LIMIT)
      throw new RelayError("There are more than 100,000 groups in this period. Choose a shorter one.");
    group.payments += 1;
    for (const [at, amount] of amounts.entries())
      if (amount !== null) group.sums[at] = sumOfMoney([group.sums[at] ?? "0", amount]);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}
