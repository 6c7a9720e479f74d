import { CollectionApiError, type CollectionClient } from "../collection-api/index.ts";
import type { Source } from "../kit/sources.ts";
import type { Limits } from "./allowance.ts";
import type { Answer } from "./answer.ts";
import type { KeyProbe } from "./key-probe.ts";
import type { Rules } from "./rules.ts";
import type { SourceGate } from "./source-gate.ts";

/** After this long the collections' names are read again, in ms; a name that does not fit is checked at once. */
const NAMES_STALE_MS = 300_000;
const NAMES_RECHECK_MS = 1_000;

export interface ConfirmSourceOptions {
  source: Source;
  limits: Limits;
  client: CollectionClient;
  gate: SourceGate;
  keyProbe: KeyProbe;
  rules: Omit<Rules, "collectionNames" | "hasTestTopic">;
}

/** One source as the confirming side sees it: how to ask it, and how to judge what it says. */
export class ConfirmSource {
  readonly name: string;
  readonly limits: Limits;
  readonly client: CollectionClient;
  readonly gate: SourceGate;
  readonly keyProbe: KeyProbe;
  readonly #source: Source;
  readonly #rules: ConfirmSourceOptions["rules"];
  #names: Promise<ReadonlySet<string>> | null = null;
  #namesReadAt = 0;

  constructor({ source, limits, client, gate, keyProbe, rules }: ConfirmSourceOptions) {
    this.name = source.name;
    this.limits = limits;
    this.client = client;
    this.gate = gate;
    this.keyProbe = keyProbe;
    this.#source = source;
    this.#rules = rules;
  }

  /**
   * The rules for judging an answer. Invoices name their collection, and not by its id, so before a name is
   * found foreign the names are read again.
   * @returns the error instead, when the names cannot be read.
   */
  async rulesFor(answer: Answer): Promise<Rules | CollectionApiError> {
    const rules = { ...this.#rules, hasTestTopic: this.#source.snsTestTopicArn !== null };
    if (this.#source.collectionIds.length === 0 || answer.kind !== "found")
      return { ...rules, collectionNames: null };
    try {
      const known = await this.#collectionNames(NAMES_STALE_MS);
      if (known.has(answer.invoice.collectionName ?? "")) return { ...rules, collectionNames: known };
      return { ...rules, collectionNames: await this.#collectionNames(NAMES_RECHECK_MS) };
    } catch (error) {
      if (error instanceof CollectionApiError) return error;
      throw error;
    }
  }

  async #collectionNames(staleMs: number): Promise<ReadonlySet<string>> {
    if (this.#names === null || Date.now() - this.#namesReadAt > staleMs) {
      this.#namesReadAt = Date.now();
      this.#names = this.#readNames();
    }
    try {
      return await this.#names;
    } catch (error) {
      this.#names = null;
      throw error;
    }
  }

  async #readNames(): Promise<ReadonlySet<string>> {
    const collections = await Promise.all(
      this.#source.collectionIds.map((id) => this.client.getCollection(id)),
    );
    return new Set(collections.map((collection) => collection.collectionName ?? ""));
  }
}
